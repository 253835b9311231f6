// How good search and agent are on the documents that are here.

/** @param app what the parts of the page share: see main.js */
export function startEvaluate() {}
