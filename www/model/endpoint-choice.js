// The form for a model on a server. Address and name are remembered in this browser; the key is kept for the session only if the user wants it.

import { byId, h } from "../dom.js";
import { remember, remembered } from "../remember.js";
import { baseOf, complaint, endpointModel } from "./endpoint.js";
import { keepKey, keptKey } from "./kept-key.js";
import { markChosen, offer } from "./offered.js";
import { absenceOf, listModels, probe } from "./probe.js";
import { SERVERS } from "./servers.js";
import { t } from "../words.js";

const REMEMBERED = "endpoint";

/**
 * @param use called with the model
 * @returns `restore()`, which uses the remembered endpoint if possible, and returns whether it did
 */
export function startEndpoint(use) {
  const fields = { endpoint: byId("endpoint"), model: byId("model-name"), key: byId("key") };
  /** @returns {any} */
  const settings = () => Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.value.trim()]));
  const isStill = ({ endpoint, key }) => settings().endpoint === endpoint && settings().key === key;
  let probing = null;
  let looking = new AbortController();
  /** @type {string | null} */
  let keyed = null; // the origin that the key was entered for: it is sent to no other unless the user asks for that
  const keyFor = (endpoint) => (keyed = originOf(endpoint));

  let before = remembered(REMEMBERED, {});
  // Addresses stored by earlier versions of the page may contain a key.
  if (before.endpoint && complaint({ endpoint: before.endpoint, key: "" })) remember(REMEMBERED, (before = {}));
  const kept = keptKey();
  fields.endpoint.value = before.endpoint ?? "";
  fields.model.value = before.model ?? "";
  if (kept && kept.endpoint === before.endpoint) {
    fields.key.value = kept.key;
    byId("keep-key").checked = true;
    keyFor(kept.endpoint);
  }
  byId("presets").replaceChildren(...SERVERS.map((server) => h("button", { type: "button", onclick: () => preset(server) }, server.name)));
  fields.endpoint.addEventListener("input", () => changed());
  fields.key.addEventListener("input", () => {
    keyFor(settings().endpoint);
    changed();
  });
  fields.model.addEventListener("input", () => (edited(), markChosen()));
  for (const field of [fields.endpoint, fields.key]) field.addEventListener("change", () => void look());
  byId("keep-key").addEventListener("change", () => !byId("keep-key").checked && keepKey(null));

  byId("settings-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const chosen = checked();
    if (!chosen) return;
    const base = baseOf(chosen.endpoint);
    remember(REMEMBERED, { endpoint: base, model: chosen.model });
    keepKey(byId("keep-key").checked && chosen.key ? { endpoint: base, key: chosen.key } : null);
    use(endpointModel(chosen));
    void doubtOf(chosen).then((doubt) => doubt && isStill(chosen) && !probing && say(doubt.state, doubt.text), () => {});
  });

  byId("probe").addEventListener("click", async () => {
    if (probing) return probing.abort();
    const chosen = checked();
    if (!chosen) return;
    looking.abort(); // the test reports more
    const abort = (probing = new AbortController());
    byId("probe").textContent = t("Stop the test");
    byId("probe-fix").hidden = true;
    say("busy", t`Testing ${chosen.endpoint} with a question…`);
    try {
      const { ok, text, models, address } = await probe(chosen, abort);
      if (probing !== abort) return;
      show(models);
      say(ok ? "good" : "bad", text);
      if (address) suggest(address);
    } catch (error) {
      if (probing === abort) say("bad", abort.signal.aborted ? t("The test was stopped.") : error.message);
    } finally {
      if (probing === abort) ended();
    }
  });

  /** Asks a server that is used from now on for its models; returns what may keep it from answering, if anything. */
  async function doubtOf(chosen) {
    const names = await look();
    if (names === undefined || !isStill(chosen)) return null;
    if (names === null) {
      const { signal } = looking;
      const absence = await absenceOf(chosen, { signal });
      if (signal.aborted) return null;
      if (absence !== null) return { state: "bad", text: t`It is in use, but was not reached. ${absence}` };
      return { state: "busy", text: t`It is in use, but ${chosen.endpoint} did not list its models. “Test it” asks it a question, and says what is wrong if it does not answer.` };
    }
    if (settings().model || names.length < 2) return null;
    return { state: "busy", text: t`It has several models: ${names.slice(0, 6).join(", ")}${names.length > 6 ? t(" and others") : ""}. Enter the name of one, unless the server has a default.` };
  }

  /** Fills in a common server, and asks it for its models. */
  function preset({ address, hint }) {
    fields.endpoint.value = address;
    byId("endpoint-hint").textContent = hint(location.origin);
    changed();
    (address === "" ? fields.endpoint : fields.model).focus();
    if (address !== "") void look();
  }

  /** Asks the server for its models, and offers them. Resolves to them, to null if it does not list any, or to undefined if the settings are invalid or were changed meanwhile. */
  async function look() {
    const chosen = settings();
    looking.abort();
    looking = new AbortController();
    if (complaint(chosen)) return undefined;
    const { signal } = looking;
    const key = originOf(chosen.endpoint) === keyed ? chosen.key : "";
    const names = await listModels({ ...chosen, key }, { signal }).catch(() => null);
    if (signal.aborted || !isStill(chosen)) return undefined;
    show(names ?? []);
    return names;
  }

  function show(names) {
    if (names.length === 1 && fields.model.value === "") fields.model.value = names[0];
    offer(names, (name) => {
      fields.model.value = name;
      edited();
      markChosen();
      fields.model.focus();
    });
  }

  /** Offers another address of the same server, where an interface answers. */
  function suggest(address) {
    const button = byId("probe-fix");
    button.textContent = t`Use ${address}`;
    button.hidden = false;
    button.onclick = () => {
      fields.endpoint.value = address;
      changed();
      byId("probe").focus();
      byId("probe").click();
    };
  }

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
    if (wrong !== null) return null;
    keyFor(chosen.endpoint); // the user has chosen to use or test both together
    return chosen;
  }

  /** Removes what was said of other settings, and the models of another server. */
  function changed() {
    looking.abort();
    show([]);
    edited();
  }

  function edited() {
    byId("settings-notice").hidden = true;
    forget();
  }

  /** Discards the result of a test of other settings. */
  function forget() {
    byId("probe-outcome").hidden = byId("probe-fix").hidden = true;
    probing?.abort();
    ended();
  }

  function ended() {
    probing = null;
    byId("probe").textContent = t("Test it");
  }

  /** Clears the messages about a model that is no longer used; its address and name stay in their fields. */
  function release() {
    looking.abort();
    edited();
  }

  function restore() {
    const kept = { endpoint: before.endpoint ?? "", model: before.model ?? "", key: fields.key.value };
    if (complaint(kept)) return false;
    use(endpointModel(kept), true);
    return true;
  }

  return { restore, release };
}

const originOf = (endpoint) => (URL.canParse(endpoint) ? new URL(endpoint).origin : null);

function say(state, text) {
  const outcome = byId("probe-outcome");
  Object.assign(outcome, { hidden: false, textContent: text }).dataset.state = state;
}
