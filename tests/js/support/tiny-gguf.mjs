// Builds a valid GGUF language model of a few kilobytes that replies "ready" to every prompt. Its only layer adds nothing; the
// embedding of each letter selects the next letter in the output matrix.

const WIDTH = 32;
const SAYS = "ready";
const [UNKNOWN, BEGIN, END] = [0, 1, 2];
const FIRST_BYTE = 3;
const VOCABULARY = FIRST_BYTE + 256;
const KIND = { uint32: 4, int32: 5, float32: 6, string: 8, array: 9 };
const ALIGNED = 32;

/** Returns the bytes of the file. */
export function tinyGguf() {
  const head = [];
  const put = (...parts) => head.push(...parts);
  put(Buffer.from("GGUF"), u32(3), u64(tensors().length), u64(metadata().length));
  for (const [key, kind, value] of metadata()) put(text(key), u32(KIND[kind]), value);
  let at = 0;
  for (const { name, shape, values } of tensors()) {
    put(text(name), u32(shape.length), ...shape.map(u64), u32(0), u64(at));
    at += padded(values.byteLength);
  }
  const start = Buffer.concat(head);
  const data = tensors().map(({ values }) => Buffer.concat([Buffer.from(values.buffer), Buffer.alloc(padded(values.byteLength) - values.byteLength)]));
  return Buffer.concat([start, Buffer.alloc(padded(start.length) - start.length), ...data]);
}

function metadata() {
  const tokens = ["<unk>", "<s>", "</s>", ...Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`)];
  const kinds = tokens.map((_, id) => (id === UNKNOWN ? 2 : id < FIRST_BYTE ? 3 : 6)); // unknown, control, byte
  const list = (kind, items) => Buffer.concat([u32(KIND[kind]), u64(items.length), ...items]);
  return [
    ["general.architecture", "string", text("llama")],
    ["general.name", "string", text("tiny")],
    ["llama.context_length", "uint32", u32(4096)],
    ["llama.embedding_length", "uint32", u32(WIDTH)],
    ["llama.block_count", "uint32", u32(1)],
    ["llama.feed_forward_length", "uint32", u32(WIDTH)],
    ["llama.attention.head_count", "uint32", u32(2)],
    ["llama.attention.layer_norm_rms_epsilon", "float32", f32(1e-5)],
    ["llama.vocab_size", "uint32", u32(VOCABULARY)],
    ["tokenizer.ggml.model", "string", text("llama")],
    ["tokenizer.ggml.tokens", "array", list("string", tokens.map(text))],
    ["tokenizer.ggml.scores", "array", list("float32", tokens.map(() => f32(0)))],
    ["tokenizer.ggml.token_type", "array", list("int32", kinds.map(u32))],
    ["tokenizer.ggml.bos_token_id", "uint32", u32(BEGIN)],
    ["tokenizer.ggml.eos_token_id", "uint32", u32(END)],
    ["tokenizer.ggml.unknown_token_id", "uint32", u32(UNKNOWN)],
  ];
}

function tensors() {
  const zeros = (name, rows) => ({ name, shape: [WIDTH, rows], values: new Float32Array(WIDTH * rows) });
  const ones = (name) => ({ name, shape: [WIDTH], values: new Float32Array(WIDTH).fill(1) });
  const letters = [...SAYS].map((letter) => FIRST_BYTE + letter.charCodeAt(0));
  const embedding = zeros("token_embd.weight", VOCABULARY);
  const output = zeros("output.weight", VOCABULARY);
  // Dimension 0 selects the first letter; all other tokens are embedded there.
  for (let token = 0; token < VOCABULARY; token++) embedding.values[token * WIDTH + letters.indexOf(token) + 1] = 1;
  [...letters, END].forEach((token, direction) => (output.values[token * WIDTH + direction] = 10));
  const layer = (name, rows = WIDTH) => zeros(`blk.0.${name}.weight`, rows);
  return [
    embedding,
    ones("blk.0.attn_norm.weight"),
    ...["attn_q", "attn_k", "attn_v", "attn_output"].map((name) => layer(name)),
    ones("blk.0.ffn_norm.weight"),
    ...["ffn_gate", "ffn_up", "ffn_down"].map((name) => layer(name)),
    ones("output_norm.weight"),
    output,
  ];
}

const padded = (length) => Math.ceil(length / ALIGNED) * ALIGNED;
const bytes = (size, write) => {
  const buffer = Buffer.alloc(size);
  write(buffer);
  return buffer;
};
const u32 = (value) => bytes(4, (buffer) => buffer.writeUInt32LE(value));
const f32 = (value) => bytes(4, (buffer) => buffer.writeFloatLE(value));
const u64 = (value) => bytes(8, (buffer) => buffer.writeBigUInt64LE(BigInt(value)));
const text = (value) => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);
