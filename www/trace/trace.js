// The Trace tab: shows a run while it runs.

import { byId, h } from "../dom.js";
import { snapshotOf } from "../run-snapshot.js";
import { coverageOf } from "./coverage.js";
import { factsOf } from "./facts.js";
import { entriesOf, ledgerOf } from "./ledger.js";
import { ChunkLinks } from "./chunk-links.js";
import { saveRun } from "./save.js";
import { spentBy, stepsOf } from "./steps.js";
import { timeline } from "./timeline.js";
import { t } from "../words.js";

/** Milliseconds between two drawings of a running run. */
const PAUSE = 120;

/** @param app what the parts of the page share: see main.js */
export function startTrace({ kb, open, complain, runs, chosenRun, veto, goTo, changed }) {
  const panel = byId("trace");
  const view = { places: new ChunkLinks(kb), open, kept: new Map(), age: 0 };
  const drawSteps = timeline(byId("timeline"), view);
  const choice = byId("trace-runs");
  const places = { coverage: null, ledger: null }; // the last drawn data, so that expanded details are kept if it is unchanged
  let waiting = null;

  byId("trace-ask").addEventListener("click", () => {
    goTo("ask");
    byId("question").focus();
  });
  byId("trace-veto").addEventListener("change", (event) => (veto.isOn.value = event.target.checked));
  veto.isOn.on((is) => (byId("trace-veto").checked = is));
  choice.addEventListener("change", () => (chosenRun.value = runs.find(Number(choice.value))));
  byId("trace-save").addEventListener("click", async () => {
    try {
      await saveRun(chosenRun.value, kb);
      byId("trace-saved").textContent = t("Saved. The file contains the passages found, and the model’s requests and replies.");
    } catch (error) {
      complain(error);
    }
  });

  panel.addEventListener("shown", draw);
  changed.on(({ added, removed }) => {
    if (!added && !removed) return;
    view.age += 1;
    draw();
  });
  runs.list.on(listRuns);
  runs.changed.on((record) => record && record === chosenRun.value && soon());
  chosenRun.on((record) => {
    if (record) choice.value = String(record.id);
    byId("trace-saved").textContent = "";
    draw();
  });

  function listRuns(list) {
    byId("trace-empty").hidden = list.length > 0;
    byId("trace-run").hidden = list.length === 0;
    choice.replaceChildren(...list.map(({ id, question, reply, goesOn, style }) =>
      h("option", { value: String(id) }, `${id}. ${question}${reply ? ` — ${reply}` : ""}${goesOn ? t(" (continued)") : ""} (${style})`)));
    if (chosenRun.value) choice.value = String(chosenRun.value.id);
  }

  function soon() {
    waiting ??= setTimeout(draw, PAUSE);
  }

  function draw() {
    clearTimeout(waiting);
    waiting = null;
    const record = chosenRun.value;
    if (!record || panel.hidden) return;
    view.kept = snapshotOf(record);
    drawSteps(record, stepsOf(record.events, record.result), spentBy(record).ms);
    byId("trace-facts").replaceChildren(...factsOf(record));
    const { result } = record;
    byId("coverage-part").hidden = !result?.coverage?.length;
    fill("coverage", record, result, () => coverageOf(result ?? {}, view));
    fill("ledger", record, entriesOf(record).length + record.state, () => ledgerOf(record, view));
    if (record.state === "running") soon();
  }

  /** Redraws a part if its data has changed. */
  function fill(name, record, version, make) {
    const was = places[name];
    if (was?.record === record && was.version === version && was.age === view.age) return;
    places[name] = { record, version, age: view.age };
    byId(name).replaceChildren(...make());
  }
}
