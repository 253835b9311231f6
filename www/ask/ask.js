// Asking: hits appear while the question is typed, then the answer with its citations.

import { Agent } from "../vademecum/index.js";
import { byId, h, pathOf } from "../dom.js";
import { hideHits, showHits } from "./hits.js";

const LIMIT = 8;
/** A passage that is no nearer in meaning has nothing to do with the question. */
const THRESHOLD = 0.25;
const TYPING_PAUSE = 60;

/** @param app what the parts of the page share: see main.js */
export function startAsk({ kb, open, complain, model, runs, hits, goTo }, examples) {
  const question = byId("question");
  let last = null; // the question that the answer on the page is to
  let typing = null; // the search under way while typing
  let asking = null; // the run under way

  byId("examples").replaceChildren(
    ...examples.map((example) => h("button", { type: "button", onclick: () => { question.value = example; submit(); } }, example)),
  );

  // While typing ------------------------------------------------------------------------------------------------

  async function searchAsTyped() {
    typing?.abort();
    const text = question.value;
    if (!text.trim()) return hideHits();
    const abort = (typing = new AbortController());
    const { signal } = abort;
    await new Promise((resolve) => setTimeout(resolve, TYPING_PAUSE));
    try {
      const options = { limit: LIMIT, threshold: THRESHOLD, prefix: true, explain: true, signal };
      present(await kb.search(text, { ...options, mode: "keyword" }), text);
      present(await kb.search(text, options), text);
    } catch (error) {
      if (error.code !== "aborted" && error.code !== "empty_question") complain(error);
    }
  }

  function present(found, text) {
    showHits(found, text, open);
    hits.value = found.hits;
  }

  // The answer --------------------------------------------------------------------------------------------------

  async function ask(text) {
    typing?.abort();
    asking?.abort();
    last = text;
    const abort = (asking = new AbortController());
    const { signal } = abort;
    complain(null);
    busy(true);
    byId("answer").hidden = false;
    byId("answer-title").textContent = "Answer";
    byId("answer-note").textContent = "";
    byId("sources").replaceChildren();
    write("", true);
    kb.search(text, { limit: LIMIT, threshold: THRESHOLD, explain: true, signal }).then((found) => present(found, text), () => {});
    try {
      const result = await answer(text, signal);
      if (asking === abort) await finish(result);
    } catch (error) {
      byId("answer").hidden = true;
      if (asking === abort) complain(error);
    } finally {
      if (asking === abort) {
        asking = null;
        busy(false);
      }
    }
  }

  async function answer(text, signal) {
    const { llm, model: named } = model.value ?? {};
    const collections = (await kb.stats()).collections.map(({ name }) => name);
    const run = new Agent(kb, { llm, model: named }).pipeline(text, { limit: 6 }).search({ collections }).answer().run({ signal });
    const record = runs.begin({ question: text, style: "search", run });
    let written = "";
    for await (const event of run) {
      runs.note(record, event);
      if (event.type === "failed") written = ""; // what a model began is not what the answer will be
      if (event.type === "token" && !signal.aborted) write((written += event.text), true);
    }
    const result = await run.result;
    runs.end(record, result.terminatedBy === "aborted" ? "stopped" : result.error ? "failed" : "done", result);
    return result;
  }

  async function finish(result) {
    if (result.terminatedBy === "aborted") {
      byId("answer-title").textContent = "Stopped";
      byId("answer-text").classList.remove("writing");
      if (!byId("answer-text").textContent) byId("answer").hidden = true;
      return;
    }
    // The model may have failed, the documents did not: what they say stands below the reason.
    complain(result.error ?? failed(result)[0] ?? null);
    if (result.error) return void (byId("answer").hidden = true);
    show(result);
    const { pending } = await kb.stats();
    const early = pending > 0 ? "Not all passages are understood yet: a little later, the answer may be better. " : "";
    byId("answer-note").textContent = early + noteOn(result);
  }

  function show(result) {
    const text = byId("answer-text");
    text.classList.remove("writing");
    text.replaceChildren(...withCitations(result));
    byId("answer-title").textContent = result.answeredBy === "rule" ? "From your documents, word for word" : "Answer";
    const cited = [...new Map(result.citations.map((citation) => [citation.number, citation])).values()];
    cited.sort((a, b) => a.number - b.number);
    byId("sources").replaceChildren(
      ...cited.map((citation) =>
        h("li", {}, h("button", { type: "button", onclick: () => open(citation) },
          h("span.number", {}, String(citation.number)), h("span", {}, sourceOf(citation)))),
      ),
    );
  }

  function withCitations({ answer, citations }) {
    const parts = [];
    let at = 0;
    for (const citation of citations) {
      parts.push(answer.slice(at, citation.at.start));
      const label = `Source ${citation.number}: ${sourceOf(citation)}`;
      parts.push(h("button.cite", { type: "button", title: sourceOf(citation), ariaLabel: label, onclick: () => open(citation) }, String(citation.number)));
      at = citation.at.end;
    }
    return [...parts, answer.slice(at)];
  }

  function write(text, writing) {
    const target = byId("answer-text");
    target.textContent = text;
    target.classList.toggle("writing", writing);
  }

  function busy(is) {
    const hadFocus = document.activeElement === byId("stop-button");
    byId("ask-button").hidden = is;
    byId("stop-button").hidden = !is;
    if (!is && hadFocus) question.focus();
  }

  /** After documents are gone: what was found in them must not stay. */
  function refresh() {
    asking?.abort();
    byId("answer").hidden = true;
    searchAsTyped();
  }

  // Wiring ------------------------------------------------------------------------------------------------------

  function submit() {
    const text = question.value.trim();
    if (!text) return question.focus();
    const asked = new URLSearchParams(location.search).get("q");
    if (asked !== text) history.pushState(null, "", `${location.pathname}?q=${encodeURIComponent(text)}`);
    ask(text);
  }

  function followAddress() {
    const text = new URLSearchParams(location.search).get("q") ?? "";
    if (text === last) return;
    question.value = last = text;
    if (text) ask(text);
    else {
      asking?.abort();
      byId("answer").hidden = true;
      hideHits();
    }
  }

  byId("ask-form").addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  byId("stop-button").addEventListener("click", () => asking?.abort());
  question.addEventListener("input", searchAsTyped);
  question.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    submit();
  });
  document.addEventListener("keydown", (event) => {
    const elsewhere = !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "") && !document.querySelector("dialog[open]");
    if (event.key === "/" && elsewhere) {
      event.preventDefault();
      goTo("ask");
      question.focus();
    }
  });
  window.addEventListener("popstate", () => {
    for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
    followAddress();
  });

  return { followAddress, refresh };
}

/** What failed, but for an embedder that is still on its way: until it is there, words are searched, and a note says so. */
const failed = ({ failures = [] }) => failures.filter(({ code }) => code !== "embedder_loading");

const sourceOf = (citation) => pathOf(citation).join(" › ");

function noteOn({ answeredBy, usage, invalidCitations, citations, failures = [] }) {
  const notes = [];
  if (answeredBy === "rule" && failed({ failures }).length > 0) notes.push("The language model gave no answer; these are sentences of your documents.");
  if (answeredBy === "llm") {
    const tokens = usage.promptTokens + usage.completionTokens;
    notes.push(`Written by the language model, ${usage.estimated ? "about " : ""}${tokens.toLocaleString("en")} tokens.`);
    if (citations.length === 0) notes.push("It cites no passage: check it against those below.");
  }
  if (invalidCitations.length > 0) notes.push(`It cited passages that do not exist (${invalidCitations.join(", ")}); they were removed.`);
  return notes.join(" ");
}
