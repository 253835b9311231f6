// Builds sentence encoders of a few hundred bytes in ONNX format that look up each token's vector in a table. `last_hidden_state` contains
// the token vectors; the optional `sentence_embedding` is their maximum per dimension, which differs from mean and CLS pooling.

const WORDS = { "[UNK]": [0.1, 0.1, 0.1], alpha: [1, 0, 0], beta: [1, 1, 0], gamma: [0, 0, 2], delta: [0, 1, 1] };
const FLOAT = 1;
const INT64 = 7;
const [INTEGER, INTEGERS] = [2, 7];

const varint = (value) => {
  const bytes = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.from([...bytes, left]);
    bytes.push((left % 128) + 128);
  }
};
/** Encodes fields of a protobuf message: numbers as varints, other values with a length prefix. */
const message = (...fields) =>
  Buffer.concat(
    fields.map(([number, value]) => {
      if (typeof value === "number") return Buffer.concat([varint(number * 8), varint(value)]);
      const bytes = Buffer.from(value);
      return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
    }),
  );

const tensor = (name, type, dims, bytes) => message(...dims.map((dim) => [1, dim]), [2, type], [8, name], [9, bytes]);
const node = (type, inputs, output, ...attributes) => message(...inputs.map((name) => [1, name]), [2, output], [4, type], ...attributes.map((one) => [5, one]));
const integer = (name, value) => message([1, name], [3, value], [20, INTEGER]);
const integers = (name, values) => message([1, name], ...values.map((value) => [8, value]), [20, INTEGERS]);
const value = (name, type, dims) => {
  const shape = message(...dims.map((dim) => [1, typeof dim === "number" ? message([1, dim]) : message([2, dim])]));
  return message([1, name], [2, message([1, message([1, type], [2, shape])])]);
};

/** Returns a model with these outputs. */
export function tinyOnnx(outputs = ["last_hidden_state"]) {
  const rows = Object.values(WORDS);
  const width = rows[0].length;
  const table = Buffer.from(new Float32Array(rows.flat()).buffer);
  const shapes = { last_hidden_state: ["batch", "sequence", width], sentence_embedding: ["batch", width] };
  const graph = message(
    [1, node("Gather", ["table", "input_ids"], "last_hidden_state", integer("axis", 0))],
    ...(outputs.includes("sentence_embedding") ? [[1, node("ReduceMax", ["last_hidden_state"], "sentence_embedding", integers("axes", [1]), integer("keepdims", 0))]] : []),
    [2, "tiny"],
    [5, tensor("table", FLOAT, [rows.length, width], table)],
    ...["input_ids", "attention_mask"].map((name) => [11, value(name, INT64, ["batch", "sequence"])]),
    ...outputs.map((name) => [12, value(name, FLOAT, shapes[name])]),
  );
  return message([1, 8], [7, graph], [8, message([1, ""], [2, 13])]);
}

/** The model's `tokenizer.json`: one token per word. */
export const TINY_TOKENIZER = JSON.stringify({
  version: "1.0",
  truncation: null,
  padding: null,
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: { type: "WhitespaceSplit" },
  post_processor: null,
  decoder: null,
  model: { type: "WordLevel", vocab: Object.fromEntries(Object.keys(WORDS).map((word, id) => [word, id])), unk_token: "[UNK]" },
});
