// The first script of all, before anything is painted: decides the language of the page, by the address (`?lang=de`), by the choice of an earlier
// visit, or by the browser. A page in another language than English is hidden until boot.js has put in its texts; see words.js.
{
  const stored = () => {
    try {
      return JSON.parse(localStorage.getItem("vademecum.language") ?? "null");
    } catch {
      return null; // the browser stores nothing for this page
    }
  };
  const wanted = [new URLSearchParams(location.search).get("lang"), stored(), ...navigator.languages].map((one) => String(one).toLowerCase().split("-")[0]);
  const { documentElement, head } = document;
  documentElement.lang = wanted.find((one) => ["en", "de"].includes(one)) ?? "en";
  if (documentElement.lang !== "en") {
    documentElement.dataset.waits = "";
    setTimeout(() => delete documentElement.dataset.waits, 3000); // if the texts do not come
    for (const name of ["", "/translate", "/de/page", "/de/shell", "/de/ask", "/de/library", "/de/tabs", "/de/engine"]) {
      head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", href: `words${name}.js` }));
    }
  }
}
