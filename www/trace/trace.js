// What a run does, as it does it.

/** @param app what the parts of the page share: see main.js */
export function startTrace() {}
