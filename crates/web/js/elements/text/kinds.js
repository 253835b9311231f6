// What documents are by their metadata, as far as that determines how their text is shown.

/** Returns whether a document is code, settings or a log, whose lines are kept. @param {Record<string, any> | null} [metadata] */
export function isCode(metadata) {
  const { type, file, path = "" } = metadata ?? {};
  return type === "code" || /\.log$/i.test(path) || (type === "json" && file === undefined);
}
