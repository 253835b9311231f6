// What the package asks its encoder, so that others can be asked the very same.

/** For each call to the embedding worker its texts, their token ids, and the vectors that came back. */
export async function recorded(documents, embedder) {
  const calls = new Map();
  const Plain = globalThis.Worker;
  globalThis.Worker = class extends Plain {
    constructor(/** @type {[any, any?]} */ ...how) {
      super(...how);
      this.addEventListener("message", ({ data: { kind, id, value } }) => {
        if (kind === "result" && calls.has(id)) calls.get(id).values = value.values;
      });
    }
    postMessage(message) {
      // Measuring which cosines to expect embeds spans as questions, as time allows.
      if (message.method === "embed" && message.params.kind === "document") calls.set(message.id, { texts: message.params.texts });
      super.postMessage(message);
    }
  };
  try {
    // In place, so that its only workers are those that embed.
    const { KnowledgeBase } = await import("/site/vademecum/direct.js");
    const kb = await KnowledgeBase.memory({ embedder });
    await kb.add(documents);
    const all = [...calls.values()];
    const ids = [];
    for (const { texts } of all) ids.push(await Promise.all(texts.map((text) => kb.tokenIds(text))));
    await kb.close();
    return { calls: all.map(({ texts }) => texts), ids, vectors: all.map(({ values }) => values) };
  } finally {
    globalThis.Worker = Plain;
  }
}
