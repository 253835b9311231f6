// Stands in the package for the file of this name in crate ort-web, which would tell its authors where it runs.

export const trackSessionInit = () => false;
