// A request as people read it: its messages, and the very JSON below.

import { h } from "../dom.js";

export function messagesOf(request) {
  const { messages, ...rest } = request;
  return [
    ...messages.map(({ role, content, tool_calls: calls }) =>
      h("div.message", {}, h("span.role", {}, role), verbatim(textOf(content)), ...(calls ?? []).map((call) => callOf(call.function ?? call))),
    ),
    h("details.raw", {}, h("summary", {}, `All of it as JSON${Object.keys(rest).length > 0 ? `, with ${Object.keys(rest).join(", ")}` : ""}`), verbatim(JSON.stringify(request, null, 2))),
  ];
}

/** A call of a tool that a model made. */
export const callOf = ({ name, arguments: given }) => verbatim(`${name}(${typeof given === "string" ? given : JSON.stringify(given)})`);

const textOf = (content) => (typeof content === "string" ? content : content === null || content === undefined ? "" : JSON.stringify(content, null, 2));

/** A text as it was: a long one scrolls within its frame, by keyboard, too. */
export const verbatim = (text) => h("pre", { tabIndex: 0 }, text);
