// Type checks that work across realms. Without imports, because both the engine's worker and the page load this.

export const tagOf = (value) => Object.prototype.toString.call(value).slice(8, -1);

export const isBlob = (value) => ["Blob", "File"].includes(tagOf(value));
