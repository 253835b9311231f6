// The base of relative addresses.

/** Returns the base of relative addresses. */
export const here = () => globalThis.document?.baseURI ?? globalThis.location?.href ?? workingFolder();

/** Whether this is Node. */
function workingFolder() {
  const folder = globalThis.process?.cwd?.();
  return folder && `file:///${folder.replaceAll("\\", "/").replace(/^\//, "")}/`;
}
