// Lets Node import scripts of the demo page from their sources: the page imports the package from the folder `vademecum` of its site, which is not among them.
// A test imports this file first, and the scripts by `await import(…)`, which are resolved after that.

import { register } from "node:module";

const PAGE = new URL("../../../www/vademecum/", import.meta.url).href;
const PACKAGE = new URL("../../../crates/web/js/", import.meta.url).href;

const hooks = `
  export function resolve(name, context, next) {
    const wanted = name.startsWith(".") ? new URL(name, context.parentURL).href : name;
    return next(wanted.startsWith(${JSON.stringify(PAGE)}) ? wanted.replace(${JSON.stringify(PAGE)}, ${JSON.stringify(PACKAGE)}) : name, context);
  }`;

register(`data:text/javascript,${encodeURIComponent(hooks)}`);
