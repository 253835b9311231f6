// The Evaluate tab: questions, strategies to compare, and the report.

import { Agent } from "../vademecum/index.js";
import { byId, h } from "../dom.js";
import { download } from "../download.js";
import { number, plural, size } from "../format.js";
import { startCaseList } from "./case-list.js";
import { parseCases } from "./cases.js";
import { showRanking, startRankingDialog } from "./ranking-dialog.js";
import { reportNodes } from "./report.js";
import { SentRequests } from "./sent-requests.js";
import { estimate, STRATEGIES } from "./strategies.js";
import { startSuggestions } from "./suggestions.js";
import { startUnsaved } from "./unsaved.js";
import { lasting } from "./format.js";
import { t } from "../words.js";

const DEFAULT = ["keyword", "vector", "hybrid", "pipeline"];
const LARGEST = 5_000_000;

/** @param app what the parts of the page share: see main.js */
export function startEvaluate(app) {
  const { kb, open, complain, model, veto } = app;
  const unsaved = startUnsaved({ hasQuestions: () => list.count > 0, isRunning: () => running !== null });
  const list = startCaseList(() => (unsaved.changed(), tell()), startSuggestions(app));
  let running = null;
  startRankingDialog();

  // Questions ---------------------------------------------------------------------------------------------------

  byId("make-cases").addEventListener("submit", async (event) => {
    event.preventDefault();
    if (byId("make-button").hidden) return; // Enter in a field while questions are being made
    const abort = new AbortController();
    byId("make-cancel").onclick = () => abort.abort();
    const making = (is) => {
      const [goes, comes] = (is ? ["make-button", "make-cancel"] : ["make-cancel", "make-button"]).map(byId);
      const hadFocus = document.activeElement === goes;
      goes.hidden = true;
      comes.hidden = false;
      if (hadFocus) comes.focus();
    };
    making(true);
    notice("case-notice", null);
    byId("make-hint").textContent = "";
    const now = byId("case-llm").checked ? model.value : null;
    const sent = new SentRequests(now, now && veto.of(now));
    try {
      const count = whole("case-number", 1, 1000);
      const seed = whole("case-seed", 0, Number.MAX_SAFE_INTEGER);
      const cases = await kb.makeCases({ count, seed, signal: abort.signal, ...(now && { llm: named(now), onBeforeSend: sent.onBeforeSend }) });
      if (cases.length === 0) throw new Error(t("No questions could be made from these documents: no sentence is long enough. Write some, or add other documents."));
      list.add(cases);
      if (cases.length < count) byId("make-hint").textContent = t`These documents yielded ${plural(cases.length, "question")}, not ${count}. `;
    } catch (error) {
      notice("case-notice", error.code === "aborted" ? t("Cancelled. No question was added.") : error.message);
    } finally {
      if (now) byId("make-hint").append(sent.told);
      making(false);
    }
  });

  function take(text) {
    notice("case-notice", null);
    try {
      list.add(parseCases(text));
      return true;
    } catch (error) {
      notice("case-notice", error.message);
      return false;
    }
  }
  byId("take-cases").addEventListener("click", () => {
    if (take(byId("case-text").value)) byId("case-text").value = "";
  });
  byId("pick-cases").addEventListener("click", () => byId("case-file").click());
  byId("case-file").addEventListener("change", async () => {
    const [file] = byId("case-file").files;
    byId("case-file").value = "";
    if (!file) return;
    if (file.size > LARGEST) notice("case-notice", t`${file.name} has ${size(file.size)}. A file of questions may have up to ${size(LARGEST)}.`);
    else take(await file.text());
  });
  byId("save-cases").addEventListener("click", () => {
    const cases = attempt("case-notice", () => list.read());
    if (!cases) return;
    save("questions.json", { cases });
    unsaved.questionsSaved();
  });

  // Strategies to compare -------------------------------------------------------------------------------------------

  byId("strategies").replaceChildren(
    ...STRATEGIES.map(({ name, text }) => {
      const box = h("input", { type: "checkbox", value: name, checked: DEFAULT.includes(name), onchange: tell });
      return h("label.check", {}, box, h("span", {}, h("b", {}, name), h("span.hint", {}, text)));
    }),
  );
  const boxes = () => [...byId("strategies").querySelectorAll("input")];
  const chosen = () => boxes().filter((box) => box.checked && !box.disabled).map((box) => box.value);

  model.on((now) => {
    byId("case-llm").disabled = now === null;
    if (now === null) byId("case-llm").checked = false;
    for (const box of boxes()) {
      const wants = STRATEGIES.find(({ name }) => name === box.value).needsModel ?? false;
      box.disabled = wants && now === null;
      box.closest("label").title = box.disabled ? t("Needs a language model: choose one in the tab Model") : "";
    }
    tell();
  });

  /** Describes what will be asked, and which model will be called, before the start. */
  function tell() {
    const [names, now] = [chosen(), model.value];
    const runs = names.length * list.count;
    const [fewest, most] = estimate(names, list.count, now !== null);
    const said = [];
    if (list.count === 0) said.push(t("There are no questions yet: make some from your documents, or add your own."));
    else if (names.length === 0) said.push(t("Choose at least one strategy."));
    else said.push(t`${plural(list.count, "question")} in ${plural(names.length, "way")}: ${plural(runs, "run")}.`);
    if (runs > 0 && most > 0) said.push(t`About ${number(fewest)} to ${number(most)} calls to ${now.name}.${now.isElsewhere ? t(" The questions and the passages found for them are sent there.") : ""}`);
    else if (runs > 0) said.push(now ? t("None of them calls the language model.") : t("No language model is called, and nothing leaves this tab. React, investigate and graph need one."));
    byId("estimate").textContent = said.join(" ");
    byId("run-evaluation").disabled = runs === 0 || running !== null;
  }

  byId("run-evaluation").addEventListener("click", async () => {
    notice("evaluation-notice", null);
    const cases = attempt("evaluation-notice", () => list.read());
    if (!cases) return;
    const abort = (running = new AbortController());
    const [names, now, byRule, version] = [chosen(), model.value, list.byRule, unsaved.version];
    const sent = new SentRequests(now, now && veto.of(now));
    busy(true);
    try {
      const agent = new Agent(kb, now ? { llm: now.llm, model: now.model, onBeforeSend: sent.onBeforeSend } : {});
      const report = await kb.evaluate(cases, { strategies: names, agent, signal: abort.signal, onProgress: progress() });
      present({ report, cases, byRule, version, sent, model: now?.name ?? null, at: new Date().toISOString() });
    } catch (error) {
      const what = error.code === "aborted" ? t("Cancelled. The previous report is kept.") : error.message;
      notice("evaluation-notice", sent.isNothing ? what : `${what} ${sent.told}`);
    } finally {
      running = null;
      busy(false);
    }
  });
  byId("cancel-evaluation").addEventListener("click", () => running?.abort());

  function busy(is) {
    byId("cancel-evaluation").hidden = byId("evaluation-progress").hidden = !is;
    byId("run-evaluation").hidden = is;
    byId("evaluation-bar").removeAttribute("value");
    byId("evaluation-status").textContent = is ? t("Making ready…") : "";
    tell();
    if (is) byId("cancel-evaluation").focus();
    else if (document.activeElement === document.body) byId("run-evaluation").focus();
  }

  /** @returns a function that reports each run: the progress, and the remaining time */
  function progress() {
    const began = performance.now();
    return ({ done, total, strategy }) => {
      Object.assign(byId("evaluation-bar"), { max: total, value: done });
      const left = ((performance.now() - began) / done) * (total - done) / 1000;
      byId("evaluation-status").textContent = t`${done} of ${total} runs, now ${strategy}${done < total ? t`; about ${lasting(left)} yet` : ""}`;
    };
  }

  // The report ------------------------------------------------------------------------------------------------------

  function present(result) {
    const show = (cell) => showRanking(cell, { kb, open }).catch(complain);
    const saveAll = () => {
      save("evaluation.json", { ...result.report, questions: result.cases, model: result.model, sent: result.sent.count, at: result.at });
      unsaved.reportSaved();
      unsaved.questionsSaved(result.version);
    };
    const nodes = reportNodes({ ...result, sent: result.sent.told }, { show, save: saveAll });
    unsaved.reported();
    byId("report").replaceChildren(...nodes);
    byId("report").hidden = false;
    byId("report").focus();
  }

  tell();
}

/** Returns the model's function, with the name that its requests carry. */
const named = ({ llm, model }) => (model ? (request, context) => llm({ ...request, model }, context) : llm);

function whole(id, least, most) {
  const value = Number(byId(id).value);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  byId(id).focus();
  throw new Error(t`“${byId(id).value}” is invalid: enter a whole number of at least ${least}${most < 1e9 ? t`, and at most ${number(most)}` : ""}.`);
}

function notice(id, text) {
  byId(id).textContent = text ?? "";
  byId(id).hidden = text === null;
}

function attempt(id, work) {
  try {
    return work();
  } catch (error) {
    notice(id, error.message);
    return null;
  }
}

const save = (name, data) => download(name, JSON.stringify(data, null, 2), "application/json");
