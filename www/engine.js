// Crashes of the engine: the package restarts it and reopens the library; the page explains the effect.

/** @param app what the parts of the page share: see main.js */
export function startEngine({ kb, complain, complainOfCrash, changed }, understanding) {
  kb.on("restarted", ({ reason }) => {
    complainOfCrash({ message: `The page’s search engine crashed and was restarted with your saved library. Unfinished work was lost: ask your question, or add your files, again. (${reason}.)` });
    changed.value = {};
    understanding.understand(understanding.embedPending()).catch(complain);
  });
  kb.on("failed", ({ error }) => {
    complainOfCrash(error);
    understanding.halted();
  });
}
