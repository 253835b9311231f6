// Creation of nodes. Texts become text nodes, so that nothing in a document is ever parsed as HTML.

/**
 * Creates an element of the shadow tree, with its name for `::part` and as a class.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string | null} part
 * @param {Record<string, any>} [attributes] `null` and `false` leave an attribute out; functions are listeners by the event's name
 * @param {(Node | string | null)[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function node(tag, part, attributes = {}, ...children) {
  const made = document.createElement(tag);
  if (part) {
    made.setAttribute("part", part);
    made.className = part.split(" ")[0];
  }
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...present(children));
  return made;
}

/** @param {(Node | string | null)[]} children @returns {(Node | string)[]} */
export const present = (children) => /** @type {(Node | string)[]} */ (children.filter((child) => child !== null));

/** Returns the title of a hit or citation and the headings above it, without a heading that repeats the title, and its page. */
export function pathOf({ title, docId, headings = [], page }, labels) {
  const name = title || docId;
  const below = headings.filter((heading) => heading.toLowerCase() !== name.toLowerCase());
  return [name, ...below, ...(page ? [labels.page(page)] : [])];
}

/** Replaces characters that are not shown, such as page breaks, by spaces, without a change of length. */
export const printable = (text) => text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, " ");
