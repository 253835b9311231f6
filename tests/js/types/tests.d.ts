// Declarations for the tests: variables that they set on a page, and modules that they import by URL.

interface Window {
  [name: string]: any;
}
declare var agent: any, axe: any, bench: any, chat: any, crash: any, here: any, ids: any, kb: any, letFetch: any, llm: any, pets: any, reading: any, run: any, seen: any;
declare var sessionsOfStandIn: any, settled: any, shown: any, spawn: any, there: any, told: any, unreached: any, vademecum: any, waiting: any, worker: any, writable: any;

// Missing in the compiler's types of pages, because only workers have them.
declare var FileSystemSyncAccessHandle: any;
interface FileSystemFileHandle {
  createSyncAccessHandle(options?: object): Promise<any>;
}

declare module "vademecum";
declare module "/vademecum/*";
declare module "/ask/*";
declare module "./library/*";
