// The ONNX runtime alone in a worker: no tokenizer, no pooling, batches that are made already. The very files that our package
// loads, with its settings: one thread, and the optimisation that is the runtime's default.

const ORT = "/site/vademecum/ort/";
let ort;
let session;

const work = {
  async load(model) {
    ort = await import(/* @vite-ignore */ `${ORT}ort.wasm.min.mjs`);
    ort.env.wasm.wasmPaths = ORT;
    ort.env.wasm.numThreads = 1;
    session = await ort.InferenceSession.create(model);
  },
  /** The token vectors of the last batch. */
  async run(batches) {
    let last;
    for (const { rows, columns, ids, mask } of batches) {
      const tensor = (values) => new ort.Tensor("int64", values, [rows, columns]);
      const types = new BigInt64Array(ids.length);
      const feeds = { input_ids: tensor(ids), attention_mask: tensor(mask), token_type_ids: tensor(types) };
      const wanted = Object.fromEntries(session.inputNames.map((name) => [name, feeds[name]]));
      last = await session.run(wanted);
    }
    return last.last_hidden_state.data;
  },
};

onmessage = async ({ data: { id, method, argument } }) => {
  try {
    postMessage({ id, value: await work[method](argument) });
  } catch (error) {
    postMessage({ id, error: String(error) });
  }
};
