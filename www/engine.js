// The engine may crash. The package starts it again and opens the library; what that means for whoever uses the page is told here.

/** @param app what the parts of the page share: see main.js */
export function startEngine({ kb, complain, changed }, understanding) {
  kb.on("restarted", ({ reason }) => {
    complain({ message: `The search engine of this page crashed and was started again, with all of your library that was saved. What it was at work on is lost: ask, or add the files, again. (${reason}.)` });
    changed.value = {};
    understanding.understand(understanding.embedPending()).catch(complain);
  });
  kb.on("failed", ({ error }) => {
    complain(error);
    understanding.halted();
  });
}
