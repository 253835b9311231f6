// Remote collections of a knowledge base: their code is fetched when the first one is attached. Not in the lite build.

/** @param {() => Promise<any>} load loads `remote.js` */
export const remotes = (load) => (call, runOf) => {
  const list = []; // their declarations, as the engine receives them
  let made;
  const all = async () => (made ??= new (await load()).Remotes(list));
  return {
    list,
    answer: async (asked, context) => (await all()).answer(asked, context, runOf((asked.request ?? asked.ids).run)),
    once: async (...given) => (await all()).once(call, ...given),
    attach: async (...given) => (await all()).attach(call, ...given),
    detach: async (name) => (await all()).detach(call, name),
    close: () => made?.close(),
  };
};
