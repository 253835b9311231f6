// The two helpers this page needs of a framework.

export const byId = (id) => document.getElementById(id);

/** `h("button.title", { onclick }, "text", node)` */
export function h(name, properties = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = Object.assign(document.createElement(tag), properties);
  if (classes.length > 0) element.classList.add(...classes);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** A passage's title and the headings above it, outermost first; a heading that repeats the title is left out. */
export function pathOf({ title, docId, headings }) {
  const name = title ?? docId;
  return [name, ...headings.filter((heading) => heading.toLowerCase() !== name.toLowerCase())];
}

/** The page a passage begins on, where its document has pages: one part of its path, or none. */
export const pageOf = ({ page }) => (page ? [`page ${page}`] : []);
