// Common servers: their usual addresses, and the setting by which each allows this page (CORS).

import { t } from "../words.js";

/** @type {{ name: string, address: string, hint: (origin: string) => string }[]} */
export const SERVERS = [
  { name: "Ollama", address: "http://localhost:11434/v1", hint: (origin) => t`Start it with OLLAMA_ORIGINS=${origin} ollama serve, so that it allows this page. The app for Windows and macOS reads the same name from the environment variables.` },
  { name: "LM Studio", address: "http://localhost:1234/v1", hint: () => t("Under Developer, start the server, and switch on “Enable CORS” in its settings.") },
  { name: "llama.cpp", address: "http://localhost:8080/v1", hint: () => t("Start it with llama-server -m model.gguf. It allows every page, and the model may stay empty.") },
  { name: t("Another server"), address: "", hint: (origin) => t`Enter the address of its OpenAI-compatible interface, which usually ends in /v1. It has to allow requests from ${origin} (CORS); the test says if it does not.` },
];

/** Returns the setting that allows this page for a server by its usual port, or an empty text. */
export function settingOf(base, origin) {
  const { port } = new URL(base);
  const server = SERVERS.find(({ address }) => address !== "" && new URL(address).port === port);
  return server ? `${server.name}: ${server.hint(origin)}` : "";
}
