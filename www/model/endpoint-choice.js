// The form for a model at an address. Address and name are remembered in this browser; the key is never stored.

import { byId, h } from "../dom.js";
import { remember, remembered } from "../remember.js";
import { baseOf, complaint, endpointModel } from "./endpoint.js";
import { listModels, probe } from "./probe.js";

const REMEMBERED = "endpoint";
const PRESETS = [
  { name: "Ollama", address: "http://localhost:11434/v1", hint: () => `Start Ollama with OLLAMA_ORIGINS=${location.origin} to allow this page.` },
  { name: "llama.cpp", address: "http://localhost:8080/v1", hint: () => "llama-server allows every page; the name of the model may stay empty." },
  { name: "LM Studio", address: "http://localhost:1234/v1", hint: () => "In LM Studio, start the server and switch on “Enable CORS”." },
];

/**
 * @param use called with the model
 * @returns `restore()`, which uses the remembered endpoint if possible, and returns whether it did
 */
export function startEndpoint(use) {
  const fields = { endpoint: byId("endpoint"), model: byId("model-name"), key: byId("key") };
  /** @returns {any} */
  const settings = () => Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.value.trim()]));
  let probing = null;

  let before = remembered(REMEMBERED, {});
  // Addresses stored by earlier versions of the page may contain a key.
  if (before.endpoint && complaint({ endpoint: before.endpoint, key: "" })) remember(REMEMBERED, (before = {}));
  fields.endpoint.value = before.endpoint ?? "";
  fields.model.value = before.model ?? "";
  byId("presets").replaceChildren(
    ...PRESETS.map(({ name, address, hint }) =>
      h("button", { type: "button", onclick: () => (edited(), (fields.endpoint.value = address), (byId("endpoint-hint").textContent = hint()), fields.model.focus()) }, name)),
  );
  for (const field of Object.values(fields)) field.addEventListener("input", edited);

  byId("settings-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const chosen = checked();
    if (!chosen) return;
    remember(REMEMBERED, { endpoint: baseOf(chosen.endpoint), model: chosen.model });
    use(endpointModel(chosen));
    const isStill = ({ endpoint, key }) => endpoint === chosen.endpoint && key === chosen.key;
    listModels(chosen).then((names) => {
      if (!isStill(settings())) return;
      offer(names);
      if (!chosen.model && names.length > 1) say("busy", `It has several models: ${names.slice(0, 6).join(", ")}${names.length > 6 ? " and others" : ""}. Enter the name of one, unless the server has a default.`);
    }, () => {});
  });

  byId("probe").addEventListener("click", async () => {
    if (probing) return probing.abort();
    const chosen = checked();
    if (!chosen) return;
    const abort = (probing = new AbortController());
    byId("probe").textContent = "Stop the test";
    say("busy", `Testing ${chosen.endpoint} with a question…`);
    try {
      const { ok, text, models } = await probe(chosen, abort);
      if (probing !== abort) return;
      offer(models);
      say(ok ? "good" : "bad", text);
    } catch (error) {
      if (probing === abort) say("bad", abort.signal.aborted ? "The test was stopped." : error.message);
    } finally {
      if (probing === abort) ended();
    }
  });

  /** Returns the settings, or null if they are invalid: then the reason is shown. */
  function checked() {
    const chosen = settings();
    const wrong = complaint(chosen);
    byId("settings-notice").textContent = wrong?.text ?? "";
    byId("settings-notice").hidden = wrong === null;
    if (wrong !== null) {
      forget();
      fields[wrong.field].focus();
    }
    return wrong === null ? chosen : null;
  }

  /** Removes what was said of other settings. */
  function edited() {
    byId("settings-notice").hidden = true;
    forget();
  }

  /** Discards the result of a test of other settings. */
  function forget() {
    byId("probe-outcome").hidden = true;
    probing?.abort();
    ended();
  }

  function ended() {
    probing = null;
    byId("probe").textContent = "Test it";
  }

  function restore() {
    const kept = { endpoint: before.endpoint ?? "", model: before.model ?? "", key: "" };
    if (complaint(kept)) return false;
    use(endpointModel(kept));
    return true;
  }

  return { restore };
}

function say(state, text) {
  const outcome = byId("probe-outcome");
  Object.assign(outcome, { hidden: false, textContent: text }).dataset.state = state;
}

const offer = (names) => byId("model-names").replaceChildren(...names.map((value) => h("option", { value })));
