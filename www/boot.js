// The first script, which needs no other: where one of the many that follow does not come, it says so. Until the library is open,
// it also keeps the browser from leaving the page for a file that is dropped on it, and a question that is asked already waits.

const byId = (id) => document.getElementById(id);

function tell(text) {
  byId("notice").textContent = text;
  byId("notice").hidden = false;
}

const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
// On the window: the library listens on the document, and what it takes does not concern this.
window.addEventListener("dragover", (event) => hasFiles(event) && event.preventDefault());
window.addEventListener("drop", (event) => {
  if (event.defaultPrevented || !hasFiles(event)) return;
  event.preventDefault();
  tell("Nothing was added: your library was not open yet. Drop the files again in a moment.");
});

const form = byId("ask-form");
form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (form.dataset.state === "started" || byId("question").value.trim() === "") return;
  form.dataset.state = "asked";
  byId("ask-said").textContent = "Your question is asked as soon as the page has started.";
});
byId("question").addEventListener("keydown", (event) => {
  if (form.dataset.state === "started" || event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  form.requestSubmit();
});

/** Another site that shows the page in a frame could lay its own over it, and lead a person's clicks. */
function isFramed() {
  try {
    return top !== self && top.location.origin !== location.origin;
  } catch {
    return true; // another origin's may not even be asked
  }
}

if (isFramed()) refuse();
else start();

function refuse() {
  document.querySelector("main").inert = document.querySelector(".tabs").inert = true;
  byId("status").dataset.state = "failed";
  byId("status-text").textContent = "The page was not started.";
  tell("Another site shows this page within its own. Open it by itself: nothing of your library is loaded here.");
}

function start() {
  import("./main.js").catch((error) => {
    byId("status").dataset.state = "failed";
    byId("status-text").textContent = "The page could not be started.";
    byId("retry").hidden = false;
    byId("retry").onclick = () => location.reload();
    tell(`A part of this page could not be loaded. Check your connection, then load the page again. Nothing in your library was changed. (${error.message})`);
  });
}
