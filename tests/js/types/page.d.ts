// Declarations for the demo page: queries of its own elements never return null, and APIs that are missing in the compiler's DOM types.

interface ParentNode {
  querySelector(selectors: string): any;
  querySelectorAll(selectors: string): NodeListOf<any>;
}
interface Document {
  getElementById(id: string): any;
}

declare var LanguageModel: any;
declare namespace WebAssembly {
  const Suspending: unknown;
}

// Members of service workers' globals. The compiler's own types of these conflict with those of pages.
interface Window {
  clients: { matchAll(options?: object): Promise<any[]>; claim(): Promise<void> };
  skipWaiting(): Promise<void>;
}
interface WindowEventMap {
  install: any;
  activate: any;
  fetch: any;
}
interface MessageEvent {
  waitUntil(work: Promise<unknown>): void;
}
