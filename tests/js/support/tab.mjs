// A tab and a worker that both use the package's storage.

import { ORIGIN } from "./demo.mjs";

/**
 * Opens a tab with an empty page. `run` and `inWorker` call a function `(storage, argument, kept)`, where `kept` persists between
 * calls, and return its result, or `{ name, code, message, retryable }` of the error that it throws.
 */
export async function openTab(context, origin = ORIGIN) {
  const page = await context.newPage();
  await page.goto(`${origin}/icon.svg`);
  await page.evaluate((module) => {
    const serve = `async (body, argument) => {
      self.kept ??= {};
      try {
        return await (0, eval)("(" + body + ")")(await import("${module}"), argument, self.kept);
      } catch ({ name, code, message, retryable }) {
        return { name, code, message, retryable };
      }
    }`;
    window.here = (0, eval)(serve);
    window.spawn = () => {
      const code = `const serve = ${serve};
        onmessage = async ({ data: [id, ...call] }) => postMessage([id, await serve(...call)]);`;
      window.worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })), { type: "module" });
      const calls = new Map();
      let last = 0;
      worker.onmessage = ({ data: [id, value] }) => calls.get(id)(value);
      window.there = (...call) => new Promise((resolve) => {
        calls.set(++last, resolve);
        worker.postMessage([last, ...call]);
      });
    };
    spawn();
  }, `${origin}/vademecum/storage/index.js`);
  return {
    page,
    run: (body, argument) => page.evaluate(([...call]) => here(...call), [String(body), argument]),
    inWorker: (body, argument) => page.evaluate(([...call]) => there(...call), [String(body), argument]),
    close: () => page.close(),
  };
}

let last = 0;
/** Returns a unique name for a library. */
export const unused = () => `library ${++last}`;

/** Opens a library in a tab's worker, keeps it open, and writes one file. */
export const write = (where, argument) =>
  where.inWorker(async ({ openStorage }, { name, kind }, kept) => {
    kept.storage = await openStorage(name, { kind });
    await kept.storage.write("a", Uint8Array.of(1));
  }, argument);

export const closeKept = (where) => where.inWorker((_, __, kept) => kept.storage.close());
