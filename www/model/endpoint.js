// A language model at an address: any OpenAI-compatible endpoint. One fetch is all it takes.

import { fetchThroughDoor } from "./door.js";

/** What is wrong with the settings, as `{ field, text }`; null where nothing is. */
export function complaint({ endpoint, key }) {
  const text = wrongWith(endpoint);
  if (text) return { field: "endpoint", text };
  // No header can hold another letter; most come from a place that shows a key in part.
  if (/[^\x21-\x7e]/.test(key)) return { field: "key", text: "The key holds a space, or a letter that no key has, such as “…” or “•”. It was probably shown in part only: copy it again, whole." };
  return null;
}

function wrongWith(endpoint) {
  if (!endpoint) return "Enter the address of an endpoint, or choose “Use none”.";
  if (!URL.canParse(endpoint)) return `“${endpoint}” is not an address. It should look like http://localhost:11434/v1.`;
  const { protocol, hostname, username, password, search } = new URL(endpoint);
  if (!/^https?:$/.test(protocol)) return `The address must begin with http:// or https://. Did you mean http://${endpoint}?`;
  if (username || password) return "The address must not hold a name or a password. Enter the key in its own field.";
  if (search) return "The address must not hold a “?” and what stands behind it: that would not be sent. Enter a key in its own field.";
  if (location.protocol === "https:" && protocol === "http:" && !isThisDevice(hostname)) {
    return `This page came by https, and browsers let such a page use http on this device only. Give one of ${hostname} that begins with https.`;
  }
  return null;
}

const isThisDevice = (hostname) => /^(localhost|127(\.\d+){3}|\[::1\]|.*\.localhost)$/.test(hostname);

/** The address without what belongs to one of its functions: people paste it with or without. */
export const baseOf = (endpoint) => endpoint.replace(/[?#].*$/, "").replace(/\/+$/, "").replace(/\/(chat\/completions|models)$/, "");

export const headersOf = (key) => ({ ...(key && { authorization: `Bearer ${key}` }) });

/** @returns what the page uses as its model: see `app.model` in main.js */
export function endpointModel({ endpoint, model, key }) {
  const base = baseOf(endpoint);
  return {
    kind: "endpoint",
    name: model || new URL(base).host,
    model: model || undefined,
    host: new URL(base).host,
    where: `${base}/chat/completions`,
    isKeyed: key !== "",
    isElsewhere: true, // another programme, be it on this device
    llm: async (request, { signal }) => {
      const headers = { "content-type": "application/json", ...headersOf(key) };
      try {
        return await fetchThroughDoor(base, `${base}/chat/completions`, { method: "POST", headers, body: JSON.stringify(request), signal });
      } catch (error) {
        if (signal.aborted) throw error;
        throw new Error(`${base} could not be reached. Is it running, and does it allow requests from ${location.origin} (CORS)? It must answer at this address, and not redirect requests to another.`, { cause: error });
      }
    },
  };
}
