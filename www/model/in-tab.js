// A small language model in this tab: a GGUF file, run by wllama (llama.cpp as WebAssembly), which is loaded on first use.

import { t } from "../words.js";

const FOLDER = new URL("../vendor/wllama/", import.meta.url).href;
/** Context size in tokens, for prompt and reply together. */
const CONTEXT = 4096;
const MAGIC = "GGUF";
/** More layers than any model has. */
const ALL_LAYERS = 99_999;

/** Returns what this browser lacks for it, or null. */
export function lacking() {
  if (!WebAssembly.Suspending) return t("This browser cannot run a model in the tab yet: it lacks JavaScript Promise Integration. Chrome and Edge 137 or newer can.");
  try {
    new WebAssembly.Memory(/** @type {any} */ ({ address: "i64", initial: 1n }));
    return null;
  } catch {
    return t("This browser cannot run a model in the tab yet: it lacks 64-bit WebAssembly memory. Chrome and Edge 137 or newer can.");
  }
}

/** What loading a file takes, by its size: memory for weights and context in bytes, and seconds on one core. */
export const costOf = (size) => ({ memory: Math.round(size * 1.1) + 150e6, seconds: Math.max(1, Math.round(size / 60e6)) });

/** Fetches a file of this site; the page's policy forbids other origins. */
export async function fetchModel(address, { signal, onProgress }) {
  const url = urlOf(address);
  const response = await fetch(url, { signal }).catch((error) => {
    signal.throwIfAborted();
    throw new Error(t`${url.href} could not be loaded: ${error.message}.`);
  });
  if (!response.ok) throw new Error(t`${url.href} could not be loaded (HTTP ${response.status}).`);
  const total = Number(response.headers.get("content-length")) || 0;
  const parts = [];
  let loaded = 0;
  for (const reader = response.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    onProgress((loaded += value.length), total);
  }
  return new File(parts, url.pathname.split("/").at(-1));
}

/** Returns whether this device has a graphics card that models can run on (WebGPU). One that the processor imitates is slower than WebAssembly. */
export async function hasGraphics() {
  const { gpu } = /** @type {any} */ (navigator);
  const adapter = await gpu?.requestAdapter().catch(() => null);
  return Boolean(adapter) && adapter.info?.isFallbackAdapter !== true;
}

/**
 * Loads a model: on the graphics card where there is one, and on one core where there is none or the card refuses it.
 * @param file a GGUF file
 */
export async function inTabModel(file, { signal }) {
  await checkFile(file);
  if (!(await hasGraphics())) return loaded(file, { signal, layers: 0 });
  return loaded(file, { signal, layers: ALL_LAYERS }).catch((error) => {
    signal.throwIfAborted();
    console.info(`The graphics card does not run ${file.name}, one core does: ${error.message}`);
    return loaded(file, { signal, layers: 0 });
  });
}

async function loaded(file, { signal, layers }) {
  const { Wllama, LoggerWithoutDebug } = await import(`${FOLDER}index.min.js`);
  signal.throwIfAborted();
  const quiet = { ...LoggerWithoutDebug, log() {}, warn() {} };
  const wllama = new Wllama({ default: `${FOLDER}wllama.wasm` }, { suppressNativeLog: true, logger: quiet });
  wllama.setCompat(null); // builds for older browsers would be fetched from another origin
  const leave = () => wllama.exit();
  signal.addEventListener("abort", leave);
  try {
    await orAborted(signal, wllama.loadModel([file], { n_ctx: CONTEXT, n_threads: 1, n_gpu_layers: layers, n_parallel: 1 }));
    // wllama does not report a file that llama.cpp refuses, but returns a model without a vocabulary.
    if (!(wllama.getModelMetadata().hparams.nVocab > 0)) throw new Error(t("llama.cpp cannot load it."));
  } catch (error) {
    await wllama.exit().catch(() => {});
    signal.throwIfAborted();
    throw new Error(t`${file.name} could not be loaded. It may be damaged, too large for this device, or of an unsupported type. ${error.message}`, { cause: error });
  } finally {
    signal.removeEventListener("abort", leave);
  }
  const name = file.name.replace(/\.gguf$/i, "");
  const closing = new AbortController();
  const close = () => {
    closing.abort(new Error(t`The model ${name} was removed from this tab during a request. Choose a model, and ask again.`));
    return wllama.exit();
  };
  return { kind: "in-tab", name, where: t("this tab"), isElsewhere: false, llm: oneAfterAnother(wllama, closing.signal), close };
}

/** Returns the size of a file of this site before it is fetched, or 0 where the server does not say. */
export async function sizeAt(address, { signal }) {
  const response = await fetch(urlOf(address), { method: "HEAD", signal }).catch(() => null);
  signal.throwIfAborted();
  return response?.ok ? Number(response.headers.get("content-length")) || 0 : 0;
}

function urlOf(address) {
  const url = URL.canParse(address, document.baseURI) ? new URL(address, document.baseURI) : null;
  if (url?.origin !== location.origin) throw new Error(t`This page can only fetch files from its own site, ${location.origin}. Download the model, and choose the file.`);
  return url;
}

/** Checks the type by the first bytes, without reading the whole file. */
async function checkFile(file) {
  if (file.size === 0) throw new Error(t`${file.name} is empty.`);
  if ((await file.slice(0, 4).text()) !== MAGIC) throw new Error(t`${file.name} is not a GGUF file. Choose a file whose name ends in .gguf.`);
}

/** A terminated worker never settles its promises, so waiting calls end by the signal. */
const orAborted = (signal, work) =>
  new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });

/**
 * Serialises requests, because there is one model on one thread. When `closing` is aborted, current and
 * later requests fail with its reason.
 */
function oneAfterAnother(wllama, closing) {
  let last = Promise.resolve();
  return async function* (request, { signal }) {
    const before = last;
    /** @type {(value?: any) => void} */
    let done = () => {};
    /** @type {AsyncIterator<any> | null} */
    let parts = null;
    last = new Promise((resolve) => (done = resolve));
    try {
      await before;
      signal.throwIfAborted();
      closing.throwIfAborted();
      const reply = await orAborted(closing, wllama.createChatCompletion({ ...request, stream: true, abortSignal: signal }));
      parts = reply[Symbol.asyncIterator]();
      for (;;) {
        const { done: isLast, value } = await orAborted(closing, parts.next());
        if (isLast) return;
        yield value;
      }
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      if (!closing.aborted) await parts?.return?.(); // the caller may have stopped reading
      done();
    }
  };
}
