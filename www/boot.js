// The first module, which is loaded without others: it starts the engine's worker, and reports scripts that could not be loaded. Until the library is open,
// it also keeps dropped files, and says that a question is queued. It runs before the first paint, where the
// browser can wait for it, so that what an earlier visit has changed does not move anything later.

import { startThread } from "./policy.js";

const byId = (id) => document.getElementById(id);
const { documentElement } = document;
const QUESTION = "vademecum.question"; // as in kept-question.js
const { lang: language } = documentElement; // see language.js

/** Returns a text of this script in the language of the page, once that is loaded. */
let t = (text) => text;

function tell(text) {
  byId("notice").textContent = text;
  byId("notice").hidden = false;
}

/** What was dropped, until the library can take it. */
const early = [];
/** Copies what the library reads of a transfer, which is empty after its event. */
function lasting({ items, files }) {
  const entries = [...items].map((item) => item.webkitGetAsEntry?.());
  return { items: entries.map((entry) => ({ webkitGetAsEntry: () => entry })), files: [...files] };
}
const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
// On the window, because the library listens on the document and handles its own drops first.
window.addEventListener("dragover", (event) => hasFiles(event) && event.preventDefault());
window.addEventListener("drop", (event) => {
  if (event.defaultPrevented || !hasFiles(event)) return;
  event.preventDefault();
  const isFailed = byId("status").dataset.state === "failed" || document.querySelector("#library > .missing") !== null;
  if (isFailed) return tell(t("No files were added, because the library is not open. Load the page again."));
  early.push(lasting(event.dataTransfer));
  tellDropped();
});
function tellDropped() {
  if (early.length > 0) tell(t("Your files will be added as soon as the library is open."));
}
document.addEventListener("takesfiles", (/** @type {any} */ { detail: take }) => early.splice(0).forEach(take)); // of library.js, once it listens itself
window.addEventListener("beforeunload", (event) => early.length > 0 && event.preventDefault());

const form = byId("ask-form");
/** Says that a question waits for the page: see early.js. */
function tellAsked() {
  if (form.dataset.state === "asked") byId("ask-said").textContent = t("Your question will be asked as soon as the page has started.");
}
form.addEventListener("submit", tellAsked);
putBack();
tellAsked();
const own = stored("suggested") ?? []; // questions that one's own documents answer: see ask/examples.js
if (own.length > 0) {
  for (const button of byId("examples").children) button.hidden = true;
  byId("examples").append(...own.map((question) => Object.assign(document.createElement("button"), { type: "button", className: "suggested", textContent: question })));
  byId("own-told").hidden = false;
}
byId("examples").hidden = own.length === 0 && stored("examples") === false;
byId("sample-told").hidden = own.length > 0 || stored("examples") === false;
byId("promise").textContent = stored(language === "en" ? "promise" : `promise-${language}`) ?? byId("promise").textContent;

/** Puts back the question that was typed when the page loaded itself again: see kept-question.js. */
function putBack() {
  try {
    byId("question").value ||= sessionStorage.getItem(QUESTION) ?? "";
    sessionStorage.removeItem(QUESTION);
  } catch {
    // the browser stores nothing for this page
  }
}

/** Loads the page again after a failed start, with what is typed. */
function loadAgain() {
  try {
    sessionStorage.setItem(QUESTION, byId("question").value);
  } catch {
    // the browser stores nothing for this page: what is typed is lost
  }
  location.reload();
}

/** Returns what the page remembers of an earlier visit: see remember.js. */
function stored(name) {
  try {
    return JSON.parse(localStorage.getItem(`vademecum.${name}`));
  } catch {
    return null;
  }
}

/** Detects framing by another site, which could overlay the page to steal clicks. */
function isFramed() {
  try {
    return top !== self && top.location.origin !== location.origin;
  } catch {
    return true; // access to another origin's location throws
  }
}

/** Loads the catalogue of the language, and translates the document before it is shown. */
async function translated() {
  const folder = new URL(`words/${language}/`, import.meta.url).href;
  const from = (name) => import(`${folder}${name}.js`);
  try {
    const [{ speak, t: texts }, { translate }, page] = await Promise.all([import("./words.js"), import("./words/translate.js"), from("page")]);
    speak(language, [page]);
    translate(documentElement);
    delete documentElement.dataset.waits;
    speak(language, [page, ...(await Promise.all(["shell", "ask", "library", "tabs", "engine"].map(from)))]);
    t = texts;
  } catch (error) {
    console.info(error); // what has no text in the language of the page is in English
    if (documentElement.dataset.waits !== undefined) documentElement.lang = "en";
    delete documentElement.dataset.waits;
  }
}

const spoken = language === "en" ? null : translated();
void spoken?.then(() => (tellAsked(), tellDropped())); // which said it in English until now
if (isFramed()) void (spoken ? spoken.then(refuse) : refuse());
else void start();

function refuse() {
  document.querySelector("main").inert = document.querySelector(".tabs").inert = true;
  byId("status").dataset.state = "failed";
  byId("status-text").textContent = t("The page was not started.");
  tell(t("Another site embeds this page. Open it in a tab of its own: your library is not loaded here."));
}

/**
 * Resolves when the first frame is on its way to the screen: its files have had the whole connection, and scripts are read while it is drawn. A tab in
 * the background draws none.
 */
function painted() {
  return new Promise((resolve) => {
    document.addEventListener("visibilitychange", resolve, { once: true });
    setTimeout(resolve, document.hidden ? 0 : 3000);
    requestAnimationFrame(() => setTimeout(resolve));
  });
}

/** Fetches a file that a script will ask for, while that is loaded. */
function fetchEarly(href, type) {
  document.head.append(Object.assign(document.createElement("link"), { rel: "preload", href, as: "fetch", type, crossOrigin: "" }));
}

async function start() {
  startThread("vademecum/worker.js"); // the engine's
  await painted();
  import("./vademecum/preload.js").catch(() => {}); // the engine starts without it, too
  fetchEarly("vademecum/vademecum_bg.wasm", "application/wasm");
  if (stored("examples") === null) fetchEarly("library/rust-book.library", "application/octet-stream"); // the sample, on a first visit
  import("./words.js").catch(() => {}); // which open.js and main.js import
  import("./open.js").catch(() => {}); // reported below: main.js imports it, too
  await spoken;
  import("./main.js").catch((error) => {
    import("./open.js").then(({ opened }) => opened()).then((kb) => kb.close()).catch(() => {}); // for other tabs, and for the page when it is loaded again
    byId("status").dataset.state = "failed";
    byId("status-text").textContent = t("The page could not be started.");
    byId("retry").hidden = false;
    byId("retry").onclick = loadAgain;
    tell(`${t("A part of this page could not be loaded. Check your connection, then load the page again. Nothing in your library was changed.")} (${error.message})`);
  });
}
