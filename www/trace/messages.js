// A request in readable form: its messages, and the exact JSON below.

import { h } from "../dom.js";
import { t } from "../words.js";

export function messagesOf(request) {
  const { messages, ...rest } = request;
  return [
    ...messages.map(({ role, content, tool_calls: calls }) =>
      h("div.message", {}, h("span.role", {}, role), verbatim(textOf(content)), ...(calls ?? []).map((call) => callOf(call.function ?? call))),
    ),
    h("details.raw", {}, h("summary", {}, t`Complete JSON${Object.keys(rest).length > 0 ? t`, with ${Object.keys(rest).join(", ")}` : ""}`), verbatim(JSON.stringify(request, null, 2))),
  ];
}

/** A tool call made by a model. */
export const callOf = ({ name, arguments: given }) => verbatim(`${name}(${typeof given === "string" ? given : JSON.stringify(given)})`);

const textOf = (content) => (typeof content === "string" ? content : content === null || content === undefined ? "" : JSON.stringify(content, null, 2));

/** Preformatted text: long texts scroll within their frame, also by keyboard. */
export const verbatim = (text) => h("pre", { tabIndex: 0 }, text);
