// A model's file dropped on the page while its card is shown. All other files go to the library.

const holdsFiles = (event) => event.dataTransfer?.types.includes("Files");
const isModel = ({ name }) => /\.gguf$/i.test(name);

/** Calls `take` with the file of a model that is dropped while `element` is shown. Listens before the page, which takes files into the library. */
export function startDropping(element, take) {
  const isShown = (event) => holdsFiles(event) && element.checkVisibility();
  const mark = (is) => element.classList.toggle("is-target", is);
  const listen = (type, listener) => window.addEventListener(type, listener, { capture: true });
  listen("dragover", (event) => {
    if (!isShown(event)) return;
    mark(true);
    event.preventDefault();
    event.stopPropagation(); // the page would cover the card
  });
  listen("dragleave", (event) => event.relatedTarget === null && mark(false));
  listen("drop", (event) => {
    mark(false);
    const [file, ...more] = event.dataTransfer?.files ?? [];
    if (!isShown(event) || !file || more.length > 0 || !isModel(file)) return;
    event.preventDefault();
    event.stopPropagation();
    take(file);
  });
}
