// The map of the passages: where each lies, what is near it, and where the passages found last are.

import { byId, h } from "../dom.js";
import { number, plural } from "../format.js";
import { coalesce } from "./coalesce.js";
import { nameOf } from "./names.js";
import { Drawing } from "./map-drawing.js";
import { told } from "./map-words.js";
import { printable } from "../vademecum/elements/nodes.js";
import { t } from "../words.js";

const MOST = 5000;
/** Kinds that have a colour of their own; the others share one. */
const COLOURS = 8;
const EXCERPT = 220;

/** @param app what the parts of the page share: see main.js */
export function startMap({ kb, open, complain, changed, hits }) {
  const panel = byId("library");
  const figure = byId("map");
  const tip = byId("map-tip");
  const by = byId("map-by");
  const texts = new Map(); // documents that were looked at: promises of them by collection and id
  let map = null;
  let isOld = true;
  let latest = 0;
  let at = -1; // the point that is looked at

  const drawing = new Drawing(byId("map-points"), byId("map-marks"));

  /** One at a time: files come in many batches. */
  const refresh = coalesce(redraw);

  changed.on(() => {
    isOld = true;
    texts.clear();
    refresh();
  });
  panel.addEventListener("shown", refresh);
  by.addEventListener("change", colour);
  hits.on(mark);
  new ResizeObserver(() => draw()).observe(figure);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => requestAnimationFrame(draw));

  /** A map takes a while for thousands: only where it is seen, and when something changed. */
  async function redraw() {
    if (panel.hidden || !isOld) return;
    isOld = false;
    const turn = ++latest;
    try {
      const [{ total, dimensions, chunks, values }, { project }] = await Promise.all([kb.vectors({ limit: MOST }), import("./projection.js")]);
      const { explained, points } = await project(values, dimensions);
      if (turn !== latest) return;
      const chosen = map?.points[at];
      map = { total, explained, points: chunks.map((chunk, place) => ({ ...chunk, ...points[place] })) };
      // The passage that is looked at stays chosen while it exists.
      at = map.points.findIndex(({ collection, chunkId }) => collection === chosen?.collection && chunkId === chosen.chunkId);
      tip.hidden ||= at < 0;
      byId("map-empty").hidden = map.points.length > 0;
      figure.hidden = by.parentElement.hidden = byId("map-told").hidden = map.points.length === 0;
      const share = `${Math.round(100 * map.explained)} %`;
      const some = map.total > map.points.length ? t`${number(map.points.length)} of ${plural(map.total, "passage")}, evenly chosen` : plural(map.total, "passage");
      byId("map-about").textContent =
        map.points.length === 0 ? "" : t`${some}. What is alike in meaning lies close together; two directions show ${share} of how the passages differ, so some neighbours only look it.`;
      colour();
      mark(hits.value);
    } catch (error) {
      if (error.code !== "closed") complain(error);
    }
  }

  // What is drawn ------------------------------------------------------------------------------------------------

  function kindOf(point) {
    return by.value === "collection" ? nameOf(point.collection) : point.docId.replace(/#[^#]+$/, ""); // rows of one file are alike
  }

  function colour() {
    if (!map) return;
    const kinds = [...new Map(Object.entries(Object.groupBy(map.points, kindOf)))].sort((a, b) => b[1].length - a[1].length);
    const own = kinds.length <= COLOURS ? kinds : kinds.slice(0, COLOURS - 1);
    const numbers = new Map(own.map(([kind], place) => [kind, place + 1]));
    const legend = own.map(([kind, points], place) => entry(place + 1, kind, points.length));
    const rest = kinds.slice(own.length);
    if (rest.length > 0) legend.push(entry(0, t`${number(rest.length)} others`, rest.reduce((sum, [, points]) => sum + points.length, 0)));
    byId("map-legend").replaceChildren(...legend);
    for (const point of map.points) point.kind = numbers.get(kindOf(point)) ?? 0;
    draw();
  }

  const entry = (kind, name, count) => h("li", {}, h(`span.swatch.kind-${kind}`, {}), h("span.value", { title: name }, name), h("span.hint", {}, number(count)));

  function mark(found) {
    if (!map) return;
    const ranks = new Map(found.map(({ id }, place) => [id, place + 1]));
    for (const point of map.points) point.rank = ranks.get(point.chunkId) ?? null;
    byId("map-words").replaceChildren(...told(map.points, found, nameOf).map((text) => h("li", {}, text)));
    draw();
  }

  function draw() {
    if (!map || panel.hidden || map.points.length === 0) return;
    const colours = Array.from({ length: COLOURS + 1 }, (_, kind) => getComputedStyle(byId("map-colours").children[kind]).color);
    drawing.draw(map.points, colours);
    drawing.mark(map.points[at] ?? null);
  }

  // Looking at a point -------------------------------------------------------------------------------------------

  async function look(place) {
    if (place === at) return;
    at = place;
    const point = map?.points[place] ?? null;
    drawing.mark(point);
    figure.dataset.over = point ? "point" : "";
    if (!point) return void (tip.hidden = true);
    const passage = await passageOf(point).catch(() => null);
    if (at !== place || !passage) return;
    const { chunk, title } = passage;
    const where = chunk.page ? t`page ${chunk.page}` : chunk.headings.at(-1);
    const body = chunk.text.replace(/^(\s*#+ .*\n)+\s*/, ""); // its headings stand above
    const text = body.length > EXCERPT ? `${body.slice(0, EXCERPT)}…` : body;
    tip.replaceChildren(h("b", {}, point.rank ? `${point.rank}. ${title}` : title), where && where !== title ? h("span.hint", {}, where) : "", h("span.text", {}, printable(text)));
    tip.hidden = false;
    const { x, y } = drawing.place(point);
    const box = figure.getBoundingClientRect();
    tip.style.left = `${Math.max(0, Math.min(x - tip.offsetWidth / 2, box.width - tip.offsetWidth))}px`;
    tip.style.top = `${y > box.height / 2 ? y - tip.offsetHeight - 14 : y + 14}px`;
  }

  async function passageOf({ collection, docId, chunkId }) {
    const key = `${collection}\u0000${docId}`;
    if (!texts.has(key)) texts.set(key, kb.document(collection, docId));
    const document = await texts.get(key);
    return { chunk: document.chunks.find(({ id }) => id === chunkId), title: document.title ?? docId };
  }

  async function openPoint() {
    const point = map?.points[at];
    if (!point) return;
    const { chunk } = await passageOf(point);
    await open({ collection: point.collection, docId: point.docId, span: chunk.span, headings: chunk.headings });
  }

  // When the map scrolls under a resting pointer, browsers send a move without movement: it must not end what the keys have chosen.
  let isPointed = false;
  figure.addEventListener("pointermove", (event) => {
    if (event.pointerType === "touch" || (event.movementX === 0 && event.movementY === 0)) return;
    isPointed = true;
    void look(drawing.nearest(event));
  });
  figure.addEventListener("pointerleave", () => isPointed && void look(-1));
  figure.addEventListener("click", (event) => {
    void look(drawing.nearest(event));
    if (at >= 0) openPoint().catch((error) => complain(error));
  });
  // Arrow keys go to the nearest point on that side; at the first, to the best hit, or the middle.
  figure.addEventListener("keydown", (event) => {
    if (!map?.points.length) return;
    isPointed = false;
    const way = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (way) void look(at < 0 ? drawing.first() : drawing.beside(at, way));
    else if (event.key === "Enter" && at >= 0) openPoint().catch((error) => complain(error));
    else if (event.key === "Escape" && at >= 0) void look(-1);
    else return;
    event.preventDefault();
  });
  figure.addEventListener("blur", () => void look(-1));
}
