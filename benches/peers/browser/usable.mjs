// When a page can be used, as Lighthouse tells it: when something is drawn, when the main thread is free, how long it was not, and
// how long a first key press waited. And when its model was there, which all of that must not wait for.

/** Runs on the page before anything else of it. */
function watch() {
  const seen = (globalThis.seen = { tasks: [], drawn: null, inputDelay: null });
  const observe = (type, each) => new PerformanceObserver((list) => list.getEntries().forEach(each)).observe({ type, buffered: true });
  observe("longtask", ({ startTime, duration }) => seen.tasks.push({ start: startTime, end: startTime + duration }));
  observe("paint", ({ name, startTime }) => name === "first-contentful-paint" && (seen.drawn = startTime));
  observe("first-input", ({ startTime, processingStart }) => (seen.inputDelay = processingStart - startTime));
}

/** A main thread that is free for so long is free. */
const QUIET = 5000;
/** What a task takes beyond this blocks. */
const TASK = 50;

export async function usable(browser, address) {
  const tab = await browser.open(address, { before: watch });
  await tab.page.waitForSelector("#question");
  await tab.page.focus("#question");
  await tab.page.keyboard.press("h");
  await tab.page.waitForFunction(() => globalThis.vademecum !== undefined);
  const model = await tab.ask(() => vademecum.loadEmbedder().then(() => performance.now()));
  await tab.page.waitForFunction((quiet) => performance.now() > seen.drawn + quiet, QUIET);
  const { tasks, drawn, inputDelay } = await tab.page.evaluate(() => seen);
  await tab.close();
  const long = tasks.filter(({ start, end }) => end - start > TASK && end > drawn);
  let interactive = drawn;
  for (const { start, end } of long) {
    if (start < interactive + QUIET) interactive = end;
  }
  const before = long.filter(({ start }) => start < interactive);
  const blocked = before.reduce((sum, { start, end }) => sum + Math.max(0, end - Math.max(start, drawn) - TASK), 0);
  return { drawn, interactive, blocked, inputDelay, model };
}
