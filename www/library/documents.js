// The list of files, in pages: search by title, sort, open, ask, remove. Tables unfold to their rows.

import { byId } from "../dom.js";
import { number } from "../format.js";
import { remember, remembered } from "../remember.js";
import { Catalogue, fileOf, matching, SORTS } from "./catalogue.js";
import { coalesce } from "./coalesce.js";
import { countsOf, filesIn, shortCountsOf } from "./counts.js";
import { lineOf } from "./document-line.js";
import { PATH } from "./filter-words.js";
import { t } from "../words.js";

const PAGE = 20;
const PAUSE = 150;
const SORTED = "library-sort";

/** @param app what the parts of the page share: see main.js */
export function startDocuments({ kb, open, complain, changed, filters, removals, goTo, countFiles, leaveQuestion }) {
  const panel = byId("library");
  const list = byId("documents");
  const field = byId("document-search");
  const sort = byId("document-sort");
  const all = new Catalogue(kb);
  let found = all; // the documents that the filter matches
  let page = 0;
  let isOld = true;
  let wanted = null; // where the focus belongs after the next drawing, as `placeOf` gives it
  const unfolded = new Map(); // by entry, the number of rows that are shown

  sort.value = Object.hasOwn(SORTS, remembered(SORTED, "newest")) ? remembered(SORTED, "newest") : "newest";

  const show = coalesce(async () => {
    isOld = false;
    try {
      await all.load();
      if (found !== all) await found.load();
      draw();
    } catch (error) {
      // The filter's field disappeared with its last document.
      if (error.code === "unknown_field" && filters.value) filters.value = null;
      else complain(error);
    }
  });

  // Listing takes its time, and documents are added in many batches: only while the list is visible.
  function refresh() {
    if (panel.hidden) isOld = true;
    else void show();
  }
  panel.addEventListener("shown", () => isOld && void show());
  changed.on(({ added = [], removed = [] }) => {
    for (const one of new Set([all, found])) if (removed.length > 0 || one.knowsAny(added)) one.forget();
    refresh();
  });
  filters.on((filter) => {
    found = filter ? new Catalogue(kb, { filters: filter }) : all;
    page = 0;
    refresh();
  });

  function draw() {
    const whole = all.entries(removals);
    const entries = matching(found === all ? whole : found.entries(removals), field.value).toSorted(SORTS[sort.value]);
    byId("library-size").textContent = whole.length === 0 ? t("empty") : countsOf(whole);
    countFiles(filesIn(whole));
    page = Math.min(page, Math.max(0, Math.ceil(entries.length / PAGE) - 1)); // the last page may have gone with its documents
    const shown = entries.slice(page * PAGE, (page + 1) * PAGE);
    const rowsOf = new Map(whole.map((entry) => [keyOf(entry), entry.rows?.length ?? 0]));
    const focused = list.contains(document.activeElement) ? document.activeElement : null;
    const place = focused && placeOf(focused);
    list.replaceChildren(...shown.map((entry) => lineOf(entry, { unfolded: rowsShown(entry), isPart: entry.rows !== null && entry.rows.length < rowsOf.get(keyOf(entry)), ...actions })));
    if (wanted ?? place) focusAgain(wanted ?? place);
    wanted = null;
    const isNarrowed = field.value.trim() !== "" || filters.value !== null;
    byId("documents-empty").hidden = entries.length > 0;
    byId("documents-empty").textContent = isNarrowed
      ? t("No document matches. Remove a filter, or search for other words.")
      : t("The library is empty. Drop files anywhere on this page, or add the sample again below.");
    const [first, last] = [page * PAGE + 1, page * PAGE + shown.length];
    const counts = entries.length > 0 ? shortCountsOf(entries) : "";
    byId("documents-range").textContent = entries.length > PAGE ? t`${number(first)}–${number(last)} of ${counts}` : counts;
    byId("documents-back").hidden = byId("documents-on").hidden = entries.length <= PAGE;
    byId("documents-back").disabled = page === 0;
    byId("documents-on").disabled = last >= entries.length;
  }

  const keyOf = ({ collection, id }) => JSON.stringify([collection, id]);
  /** Rows that a search by title found are shown at once. */
  const rowsShown = (entry) => unfolded.get(keyOf(entry)) ?? (entry.isNarrowed ? PAGE : 0);

  const actions = {
    open: ({ collection, id }) => open({ collection, docId: id }),
    /** Shows more rows of a table, or none. */
    unfold(entry, count) {
      unfolded.set(keyOf(entry), count);
      draw();
    },
    ask({ path }) {
      leaveQuestion(); // it was asked of other documents
      filters.value = [{ field: PATH, operator: "in", value: [path] }];
      goTo("ask");
      byId("question").focus();
    },
    remove(documents, name, event) {
      const isByKey = event.detail === 0; // a click of the pointer counts its presses
      const onUndo = () => (wanted = { key: keyOf(documents.length === 1 ? documents[0] : { collection: documents[0].collection, id: fileOf(documents[0]) }), part: "remove", at: 0 });
      removals.remove(documents, name, { focus: isByKey, onUndo }).catch(complain);
    },
  };

  /** Where the focus is: the key of its row, and which of its buttons has it. */
  const placeOf = (button) => ({ key: button.closest("li").dataset.key, part: button.dataset.part, at: [...list.querySelectorAll("li")].indexOf(button.closest("li")) });

  /** Restores the focus after a button was replaced or removed. */
  function focusAgain({ key, part, at }) {
    if (document.activeElement !== document.body && document.activeElement !== null) return; // it was moved on purpose
    const rows = [...list.querySelectorAll("li")];
    const own = rows.find((one) => one.dataset.key === key) ?? rows[Math.min(at, rows.length - 1)];
    const next = own?.querySelector(`[data-part="${part}"]`) ?? own?.querySelector("button") ?? field;
    next.focus({ preventScroll: true });
  }

  /** @type {ReturnType<typeof setTimeout>} */
  let pause;
  field.addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(() => {
      page = 0;
      draw();
    }, PAUSE);
  });
  sort.addEventListener("change", () => {
    remember(SORTED, sort.value);
    page = 0;
    draw();
  });
  const turn = (by) => () => {
    page += by;
    draw();
  };
  byId("documents-back").addEventListener("click", turn(-1));
  byId("documents-on").addEventListener("click", turn(1));
}
