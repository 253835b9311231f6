/** A script for workers: it exports nothing. A worker of yours that imports it is one that `workers` takes. */
export {};
