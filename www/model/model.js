// The language model: any OpenAI-compatible endpoint. Address and model are for this tab, the key is in memory only.

import { byId } from "../dom.js";
import { fetchThroughDoor } from "./door.js";

const notice = byId("settings-notice");

/** @param model the page's: `{ llm, model, name }`, or null for none */
export function startModel({ model }) {
  byId("forget-llm").addEventListener("click", () => use(null));
  byId("settings-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const settings = { endpoint: byId("endpoint").value.trim(), model: byId("model-name").value.trim(), key: byId("key").value.trim() };
    const wrong = complaint(settings);
    notice.textContent = wrong ?? "";
    notice.hidden = wrong === null;
    if (wrong === null) use(settings);
  });

  model.on((chosen) => (byId("llm-name").textContent = chosen?.name ?? "none"));

  function use(settings) {
    model.value = settings && {
      isElsewhere: true,
      name: settings.model || new URL(settings.endpoint).host,
      model: settings.model || undefined,
      llm: callEndpoint(settings),
    };
  }
}

function complaint({ endpoint }) {
  if (!endpoint) return "Enter the address of an endpoint, or choose “Use none”.";
  if (!URL.canParse(endpoint)) return `“${endpoint}” is not an address. It should look like http://localhost:11434/v1.`;
  if (!/^https?:$/.test(new URL(endpoint).protocol)) return `The address must begin with http:// or https://. Did you mean http://${endpoint}?`;
  return null;
}

/** The LLM function that Vademecum asks for: one fetch. */
function callEndpoint({ endpoint, key }) {
  const base = endpoint.replace(/\/+$/, "");
  const url = base.endsWith("/chat/completions") ? base : `${base}/chat/completions`;
  return async (request, { signal }) => {
    const headers = { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) };
    try {
      return await fetchThroughDoor(url, { method: "POST", headers, body: JSON.stringify(request), signal });
    } catch (error) {
      if (signal.aborted) throw error;
      throw new Error(`${url} could not be reached. Is it running, and does it allow requests from ${location.origin} (CORS)?`);
    }
  };
}
