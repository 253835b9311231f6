// Declarations for the benchmarks: peers, which `cargo xtask bench` installs, and modules of the package by their URLs on the site.

declare module "@huggingface/transformers";
declare module "@orama/orama";
declare module "esbuild";
declare module "flexsearch";
declare module "lunr";
declare module "minisearch";
declare module "pagefind";
declare module "playwright-core";
declare module "/site/*";
