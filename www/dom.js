// DOM helpers.

export const byId = (id) => document.getElementById(id);

/** Creates an element: `h("button.title", { onclick }, "text", node)`. */
export function h(name, properties = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = Object.assign(document.createElement(tag), properties);
  if (classes.length > 0) element.classList.add(...classes);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Milliseconds to wait for a frame at most: a tab in the background draws none. */
const UNDRAWN = 100;
/** Resolves after the next frame, which shows all changes made so far. */
export function drawn() {
  return new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(resolve));
    setTimeout(resolve, UNDRAWN);
  });
}
