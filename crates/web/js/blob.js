// What a value is, across realms. Without imports: the engine's worker loads this as well as the page.

export const tagOf = (value) => Object.prototype.toString.call(value).slice(8, -1);

export const isBlob = (value) => ["Blob", "File"].includes(tagOf(value));
