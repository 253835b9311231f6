// Something of the page as a file for the person.

import { h } from "./dom.js";

/** @param content a text, or bytes */
export function download(name, content, type) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = h("a", { href: address, download: name });
  document.body.append(link); // not every browser follows a link that stands nowhere
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000); // a large one is read for a while yet
}
