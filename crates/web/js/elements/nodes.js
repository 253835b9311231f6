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

/** Returns the title of a document and the headings above a place in it, outermost first, without a heading that repeats the title. */
export function namesOf({ title, docId, headings = [] }) {
  const name = title || docId;
  return [name, ...headings.filter((heading) => heading.toLowerCase() !== name.toLowerCase())];
}

/** Returns the names of a hit or citation, with its page. */
export const pathOf = (place, texts) => [...namesOf(place), ...(place.page ? [texts.page(place.page)] : [])];

/** Returns the name of a source: its path as one text. */
export const sourceOf = (place, texts) => pathOf(place, texts).join(" › ");

/** Replaces characters that are not shown, such as page breaks, by spaces, without a change of length. */
export const printable = (text) => text.replace(/[\0-\x08\x0b-\x1f\x7f]/g, " ");
