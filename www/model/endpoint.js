// A language model at an address: any OpenAI-compatible endpoint, called with one fetch.

import { fetchThroughFrame } from "./frame-fetch.js";
import { mixedContent } from "./network.js";
import { t } from "../words.js";

/** Returns what is wrong with the settings, as `{ field, text }`, or null. */
export function complaint({ endpoint, key }) {
  const text = wrongWith(endpoint);
  if (text) return { field: "endpoint", text };
  // Headers cannot contain other characters; most come from a page that shows only a part of the key.
  if (/[^\x21-\x7e]/.test(key)) return { field: "key", text: t("The key contains a space, or a character that keys do not have, such as “…” or “•”. Probably only a part of it was shown: copy the whole key again.") };
  return null;
}

function wrongWith(endpoint) {
  if (!endpoint) return t("Enter the address of a server, or choose “Use none”.");
  if (!URL.canParse(endpoint)) return t`“${endpoint}” is not an address. It should look like http://localhost:11434/v1.`;
  const { protocol, username, password, search } = new URL(endpoint);
  if (!/^https?:$/.test(protocol)) return t`The address must start with http:// or https://. Did you mean http://${endpoint}?`;
  if (username || password) return t("The address must not contain a user name or password. Enter the key in its own field.");
  if (search) return t("The address must not contain a “?”: the rest would not be sent. Enter a key in its own field.");
  return mixedContent(new URL(endpoint));
}

/** Returns the address without the path of an API function, which people often include. */
export const baseOf = (endpoint) => endpoint.replace(/[?#].*$/, "").replace(/\/+$/, "").replace(/\/(chat\/completions|models)$/, "");

export const headersOf = (key) => ({ ...(key && { authorization: `Bearer ${key}` }) });

/** @returns the model as the page uses it: see `app.model` in main.js */
export function endpointModel({ endpoint, model, key }) {
  const base = baseOf(endpoint);
  return {
    kind: "endpoint",
    name: model || new URL(base).host,
    model: model || undefined,
    host: new URL(base).host,
    where: `${base}/chat/completions`,
    isKeyed: key !== "",
    isElsewhere: true, // another program, even if on this device
    llm: async (request, { signal }) => {
      const headers = { "content-type": "application/json", ...headersOf(key) };
      try {
        return await fetchThroughFrame(base, `${base}/chat/completions`, { method: "POST", headers, body: JSON.stringify(request), signal });
      } catch (error) {
        if (signal.aborted) throw error;
        throw new Error(t`${base} could not be reached. Is it running, and does it allow requests from ${location.origin} (CORS)? It must answer at this address, and not redirect requests to another.`, { cause: error });
      }
    },
  };
}
