/** A plugin of Vite that builds a library of a folder, serves it while the site is developed, and adds it to the site's output. */

import type { BuildOptions } from "../generated/build-options.js";

/** Options of the plugin: those of `build`, with the library's name in the site's output in place of its path. */
export interface LibraryPluginOptions extends Omit<BuildOptions, "out" | "signal"> {
  /** Name of the library in the site's output, such as `manual.library`; may have folders. */
  file: string;
}

/** A plugin as Vite takes it. */
export interface LibraryPlugin {
  /** `vademecum`. */
  name: string;
}

/**
 * Builds a library of folders and files, which count from Vite's root. The library and what is kept beside it are in Vite's cache folder,
 * so that the next build reads only what has changed.
 */
export function library(options: LibraryPluginOptions): LibraryPlugin;
