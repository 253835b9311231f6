// What the demo page takes for granted: that its own elements are there, and what the compiler's types do not have yet.

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

// Of service workers, whose types do not go together with those of pages.
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
