// Finds where words of a document are on a page of its PDF. The text of a page and the pieces that pdf.js gives differ in space and hyphens,
// since words that are parted at a line's end were joined: both are compared without these.

const LEFT_OUT = /[\s\0-\x1f\u00ad\u200b\u2010-\u2012-]/;
/** Letters of a quote's ends by which it is looked for, where the page's text is another one. */
const END = 24;

/** @typedef {{ str: string, transform: number[], width: number, height: number, fontName: string, dir: string }} Piece */
/** @typedef {{ left: number, top: number, right: number, bottom: number }} Place shares of the page's width and height */

/** Returns the letters of a text, and the position of each. */
function lettersOf(text) {
  let letters = "";
  const at = [];
  for (let position = 0; position < text.length; position++) {
    if (LEFT_OUT.test(text[position])) continue;
    letters += text[position];
    at.push(position);
  }
  return { letters, at };
}

/** Returns the letters of all pieces, with the piece and the position in it of each. @param {Piece[]} pieces */
function lettersOfPieces(pieces) {
  let letters = "";
  const from = [];
  for (const [piece, { str }] of pieces.entries()) {
    const own = lettersOf(str);
    letters += own.letters;
    for (const at of own.at) from.push({ piece, at });
  }
  return { letters, from };
}

/**
 * Returns whether a page is the one that a text was read of: most of its words are there.
 *
 * @param {string} text
 * @param {Piece[]} pieces
 */
export function isPageOf(text, pieces) {
  const words = new Set(text.match(/[\p{L}\p{N}]{3,}/gu));
  if (words.size === 0) return true;
  const { letters } = lettersOfPieces(pieces);
  const found = [...words].filter((word) => letters.includes(word)).length;
  return 2 * found >= words.size;
}

/**
 * Returns the pieces that contain a part of the page's text: each with the range of its letters.
 *
 * @param {string} text the text of the page
 * @param {{ start: number, end: number }} span a part of it
 * @param {Piece[]} pieces
 * @returns {{ piece: number, from: number, to: number }[]}
 */
export function piecesOf(text, { start, end }, pieces) {
  const own = lettersOf(text);
  const page = lettersOfPieces(pieces);
  const before = own.at.filter((at) => at < start).length;
  const after = own.at.filter((at) => at < end).length;
  const range = own.letters === page.letters ? { from: before, to: after } : nearest(page.letters, own.letters.slice(before, after), before);
  if (!range || range.from >= range.to) return [];
  const found = [];
  for (const { piece, at } of page.from.slice(range.from, range.to)) {
    const last = found.at(-1);
    if (last?.piece === piece) last.to = at + 1;
    else found.push({ piece, from: at, to: at + 1 });
  }
  return found;
}

/** Finds letters where they are nearest to a position; long ones by their beginning and end. */
function nearest(letters, wanted, position) {
  if (!wanted) return null;
  const from = occurrence(letters, wanted.slice(0, END), position);
  if (from === null) return null;
  const tail = wanted.slice(-END);
  const last = occurrence(letters, tail, from + wanted.length - tail.length);
  const isNear = last !== null && last + tail.length > from && last + tail.length - from < 2 * wanted.length;
  return { from, to: isNear ? last + tail.length : Math.min(letters.length, from + wanted.length) };
}

function occurrence(letters, wanted, position) {
  let best = null;
  for (let at = letters.indexOf(wanted); at >= 0; at = letters.indexOf(wanted, at + 1)) {
    if (best === null || Math.abs(at - position) < Math.abs(best - position)) best = at;
  }
  return best;
}

/**
 * Returns where ranges of pieces are on the page; those that follow each other in a line are one.
 *
 * @param {{ piece: number, from: number, to: number }[]} ranges
 * @param {{ items: Piece[], styles: Record<string, any> }} text
 * @param {{ width: number, height: number, convertToViewportPoint: (x: number, y: number) => number[] }} viewport
 * @param {(text: string, family: string) => number} widthOf measures a text, in any unit
 * @returns {Place[]}
 */
export function placesOf(ranges, { items, styles }, viewport, widthOf) {
  const places = [];
  for (const { piece, from, to } of ranges) {
    const place = placeOf(items[piece], from, to, styles[items[piece].fontName] ?? {}, viewport, widthOf);
    const last = places.at(-1);
    if (last && isNext(last, place)) join(last, place);
    else places.push(place);
  }
  return places;
}

function placeOf({ str, transform, width, height, dir }, from, to, style, viewport, widthOf) {
  const [a, b, c, d, x, y] = transform;
  const size = Math.hypot(c, d) || height || 1;
  const along = style.vertical ? [0, -1] : unit(a, b, [1, 0]);
  const up = style.vertical ? [1, 0] : unit(c, d, [0, 1]);
  const length = style.vertical ? height : width;
  const share = (text) => (text ? widthOf(text, style.fontFamily ?? "sans-serif") : 0);
  const whole = share(str) || 1;
  let [start, end] = [share(str.slice(0, from)) / whole, share(str.slice(0, to)) / whole];
  if (dir === "rtl") [start, end] = [1 - end, 1 - start];
  const [low, high] = style.vertical ? [-size / 2, size / 2] : [(style.descent || -0.2) * size, (style.ascent || 0.8) * size];
  const corners = [start, end].flatMap((share) => [low, high].map((rise) => viewport.convertToViewportPoint(x + along[0] * share * length + up[0] * rise, y + along[1] * share * length + up[1] * rise)));
  const [xs, ys] = [corners.map(([left]) => left / viewport.width), corners.map(([, top]) => top / viewport.height)];
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
}

const unit = (x, y, otherwise) => {
  const length = Math.hypot(x, y);
  return length > 0 ? [x / length, y / length] : otherwise;
};

/** Whether a place follows another one in its line. */
function isNext(last, { left, top, right, bottom }) {
  const shared = Math.min(last.bottom, bottom) - Math.max(last.top, top);
  const gap = Math.max(left - last.right, last.left - right);
  return shared > 0.6 * Math.min(last.bottom - last.top, bottom - top) && gap < 0.03;
}

function join(last, { left, top, right, bottom }) {
  Object.assign(last, { left: Math.min(last.left, left), top: Math.min(last.top, top), right: Math.max(last.right, right), bottom: Math.max(last.bottom, bottom) });
}
