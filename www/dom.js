// DOM helpers, and the texts of a passage's path.

import { t } from "./words.js";

export const byId = (id) => document.getElementById(id);

/** Creates an element: `h("button.title", { onclick }, "text", node)`. */
export function h(name, properties = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = Object.assign(document.createElement(tag), properties);
  if (classes.length > 0) element.classList.add(...classes);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Returns a passage's title and its headings, outermost first, without a heading that repeats the title. */
export function pathOf({ title, docId, headings }) {
  const name = title ?? docId;
  return [name, ...headings.filter((heading) => heading.toLowerCase() !== name.toLowerCase())];
}

/** Returns the page number of a passage as one part of its path, or nothing for documents without pages. */
export const pageOf = ({ page }) => (page ? [t`page ${page}`] : []);
