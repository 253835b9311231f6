// Queues a question that is asked before the page has started. It runs before the field exists: some browsers show the page, and take in what is
// typed, while boot.js is still on its way. Until then Enter would begin a new line, and a press of Ask would do nothing.
{
  const byId = (id) => document.getElementById(id);
  const isStarted = () => byId("ask-form")?.dataset.state === "started"; // see ask/field.js

  document.addEventListener("keydown", (event) => {
    if (isStarted() || event.target !== byId("question") || event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    if (!event.repeat) byId("ask-form").requestSubmit();
  });

  document.addEventListener("click", ({ target }) => {
    if (isStarted() || !(target instanceof HTMLButtonElement) || target.parentElement !== byId("examples")) return;
    byId("question").value = target.textContent;
    byId("ask-form").requestSubmit();
  });

  // In the capturing phase: boot.js, which listens on the form, then says that the question is queued.
  document.addEventListener("submit", (event) => {
    const form = byId("ask-form");
    if (isStarted() || event.target !== form) return;
    event.preventDefault();
    if (byId("question").value.trim() !== "") form.dataset.state = "asked";
  }, { capture: true });
}
