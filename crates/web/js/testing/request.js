// Parses a request: its question, its passages, and the form of its reply.

const said = (request) => request.messages.map(({ content }) => content).join("\n\n");

/** Returns the question: the text after the last heading of that name, else the last line. */
export function questionOf(request) {
  const content = request.messages.findLast(({ role }) => role === "user")?.content ?? "";
  const named = [...content.matchAll(/(?:^|\n)(?:Original )?Question:[ \n]*(.+)/gi)].at(-1)?.[1];
  return (named ?? content.trim().split("\n").at(-1) ?? "").trim();
}

/** Returns the passages with their citation marks: `[1] Title › Heading`, then the text. */
export function passagesOf(request) {
  const [, fenced] = said(request).match(/(?:^|\n)(=== .+ ===)\n([\s\S]*?)\n\1/)?.slice(1) ?? [];
  const blocks = (fenced ?? "").split(/(?:^|\n\n)(?=\[[^\]\n]+\] )/).filter(Boolean);
  return blocks.map((block) => {
    const [head, ...lines] = block.split("\n");
    return { mark: head.match(/^\[([^\]\n]+)\]/)?.[1] ?? "", text: lines.join("\n").trim() };
  }).filter(({ mark }) => mark);
}

/** Returns the collections to choose from: `- name: description`. */
export function collectionsOf(request) {
  const lines = said(request).split(/(?:^|\n)Collections[^\n]*:\n/)[1]?.split("\n\n")[0].split("\n") ?? [];
  return lines.flatMap((line) => {
    const [, name, description = ""] = line.match(/^- ([^:]+)(?:: (.*))?$/) ?? [];
    return name ? [{ name, description }] : [];
  });
}

/** Returns the answer that is to be corrected. */
export function answerOf(request) {
  const [, , quoted, bare] = said(request).match(/\n\nAnswer:\n(?:(=== .+ ===)\n([\s\S]*?)\n\1|([\s\S]+?)(?=\n\n|$))/) ?? [];
  return quoted ?? bare;
}

/** Returns the shape of the requested JSON: a JSON schema, an example from the prompt, or nothing for text. */
export function shapeOf(request) {
  const schema = request.response_format?.json_schema?.schema;
  const parameters = request.tools?.[0]?.function?.parameters;
  if (parameters) return needed(parameters);
  if (schema) return schema;
  // The example is in the instructions; other messages may contain document text.
  const instructions = request.messages.filter(({ role }) => role === "system");
  const examples = said(instructions.length > 0 ? { messages: instructions } : request).match(/\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/g) ?? [];
  for (const example of examples.reverse()) {
    try {
      return schemaOf(JSON.parse(example));
    } catch {
      // braces of something else
    }
  }
  return request.response_format ? { type: "object" } : null;
}

/** Required parameters of a call: a made-up collection or document would find nothing. */
function needed({ required, properties, ...rest }) {
  if (!required) return { properties, ...rest };
  return { ...rest, properties: Object.fromEntries(Object.entries(properties).filter(([name]) => required.includes(name))) };
}

function schemaOf(example) {
  if (Array.isArray(example)) return { type: "array", items: example.length > 0 ? schemaOf(example[0]) : {} };
  if (typeof example !== "object" || example === null) return { type: typeof example };
  const properties = Object.entries(example).map(([name, value]) => [name, schemaOf(value)]);
  return { type: "object", properties: Object.fromEntries(properties) };
}

/** Returns text or JSON as the request demands: a call of the requested function, or text. */
export function replyTo(request, answer) {
  const content = typeof answer === "string" ? answer : JSON.stringify(answer);
  const name = request.tools?.[0]?.function?.name;
  if (name === undefined || typeof answer === "string") return content;
  const call = { id: "call-1", type: "function", function: { name, arguments: content } };
  return { choices: [{ message: { role: "assistant", content: null, tool_calls: [call] } }] };
}
