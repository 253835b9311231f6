// Creates SVG elements.

const SVG = "http://www.w3.org/2000/svg";

/** Creates an element: `s("rect.bar", { x: 0, width: "50%" }, child)`. */
export function s(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElementNS(SVG, tag);
  if (classes.length > 0) element.classList.add(...classes);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined) element.setAttribute(key, value);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** A drawing with a text alternative. */
export const drawing = (label, height, ...children) =>
  s("svg", { role: "img", "aria-label": label, width: "100%", height }, ...children);
