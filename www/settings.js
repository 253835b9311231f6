// The language model: any OpenAI-compatible endpoint. Address and model are for this tab, the key is in memory only.

import { byId } from "./dom.js";

const dialog = byId("settings");
const notice = byId("settings-notice");

export function startSettings(onChange) {
  let current = null;
  byId("open-settings").addEventListener("click", () => {
    notice.hidden = true;
    byId("endpoint").value = current?.endpoint ?? "";
    byId("model").value = current?.model ?? "";
    byId("key").value = current?.key ?? "";
    dialog.showModal();
  });
  byId("close-settings").addEventListener("click", () => dialog.close());
  byId("forget-llm").addEventListener("click", () => use(null));
  byId("settings-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const settings = { endpoint: byId("endpoint").value.trim(), model: byId("model").value.trim(), key: byId("key").value.trim() };
    const wrong = complaint(settings);
    notice.textContent = wrong ?? "";
    notice.hidden = wrong === null;
    if (wrong === null) use(settings);
  });

  function use(settings) {
    current = settings;
    byId("llm-name").textContent = settings ? settings.model || new URL(settings.endpoint).host : "none";
    dialog.close();
    onChange(settings && { model: settings.model || undefined, llm: callEndpoint(settings) });
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
      return await fetch(url, { method: "POST", headers, body: JSON.stringify(request), signal });
    } catch (error) {
      if (signal.aborted) throw error;
      throw new Error(`${url} could not be reached. Is it running, and does it allow requests from ${location.origin} (CORS)?`);
    }
  };
}
