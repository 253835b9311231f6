// Saves data of the page as a file.

import { h } from "./dom.js";

/** @param content a string or bytes */
export function download(name, content, type) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = h("a", { href: address, download: name });
  document.body.append(link); // some browsers ignore clicks on detached links
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000); // reading a large file takes a while
}
