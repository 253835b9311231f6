// The harmless part of Markdown, as plain data: paragraphs, headings, lists, tables, quotations, code and emphasis. Tags, links and
// pictures are no part of it: they stay the letters that they are. Everything is told by its place in the text, so that citations keep theirs.
//
// A model's answer may hold anything: nothing here takes longer than its length allows, or goes deeper than DEEPEST.

const DEEPEST = 8;
const FENCE = /^ {0,3}(`{3,}|~{3,})[^`]*$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]|$)/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const ITEM = /^( *)([-*+]|(\d{1,9})[.)])( +|$)/;
const QUOTE = /^ {0,3}> ?/;

/** Returns the match of an expression that is known to match. @returns {RegExpExecArray} */
const match = (expression, line) => /** @type {RegExpExecArray} */ (expression.exec(line));

/**
 * Blocks in their order, each `{ kind, from, to }`, and with it: `parts` of a `paragraph` or a `heading` (with `level`), which are
 * as `inlineOf` gives them; `items` of a `list` (with `start`, null for one without numbers) and `blocks` of a `quote`: blocks
 * again; of `code`, the place of what is in it, `lines`; of a `table`, its `rows`: the header, or null without one, then the others, each `{ from, to, cells }`
 * with the parts of each cell, and `align`, a column's `left`, `center`, `right` or null.
 *
 * @param {string} text
 * @param {{ start: number, end: number }[]} solid places in which no letter is a mark, in their order
 * @param {{ isOpen?: boolean, isPart?: boolean }} [more] `isOpen`: whether the text may go on: then emphasis and code that nothing closes yet reach to
 *   its end. `isPart`: whether it may begin within a table, whose rows it then has without the header
 * @returns {any[]}
 */
export function blocksOf(text, solid = [], { isOpen = false, isPart = false } = {}) {
  const lines = /** @type {any[]} */ ([]);
  for (let from = 0; from <= text.length; ) {
    const end = text.indexOf("\n", from);
    const to = end < 0 ? text.length : end;
    lines.push({ from, to: to > from && text[to - 1] === "\r" ? to - 1 : to });
    from = to + 1;
  }
  return blocksIn({ text, isOpen, isPart, ends: new Map(solid.map(({ start, end }) => [start, end])) }, lines, 0);
}

/** The places of all blocks of a kind, those within others included. @returns {any[]} */
export function placesOf(kind, blocks) {
  return blocks.flatMap((block) => (block.kind === kind ? [block] : placesOf(kind, [...(block.blocks ?? []), ...(block.items ?? []).flat()])));
}

/** @returns {any[]} */
function blocksIn(source, lines, depth) {
  const blocks = /** @type {any[]} */ ([]);
  const read = (line) => source.text.slice(line.from, line.to);
  for (let at = 0; at < lines.length; ) {
    const first = lines[at];
    const line = read(first);
    const begun = at;
    const add = (block) => blocks.push({ from: first.from, to: lines[at - 1].to, ...block });
    const mayNest = depth < DEEPEST;
    if (!line.trim()) at += 1;
    else if (FENCE.test(line)) {
      const fence = match(FENCE, line)[1];
      at += 1;
      while (at < lines.length && !closes(read(lines[at]), fence)) at += 1;
      const inside = lines.slice(begun + 1, at);
      at = Math.min(at + 1, lines.length);
      add({ kind: "code", lines: inside });
    } else if (HEADING.test(line)) {
      const [whole, marks] = match(HEADING, line);
      const { from, to } = wordsOf(line, whole.length, first.from);
      at += 1;
      add({ kind: "heading", level: marks.length, parts: inlineOf(source, from, to) });
    } else if (RULE.test(line)) {
      at += 1;
      add({ kind: "rule" });
    } else if (mayNest && QUOTE.test(line)) {
      while (at < lines.length && QUOTE.test(read(lines[at]))) at += 1;
      const inside = lines.slice(begun, at).map((one) => ({ from: one.from + match(QUOTE, read(one))[0].length, to: one.to }));
      add({ kind: "quote", blocks: blocksIn(source, inside, depth + 1) });
    } else if (mayNest && isItemLike(line, ITEM.exec(line)?.[2] ?? "")) {
      const [, , mark, number] = match(ITEM, line);
      const items = /** @type {any[]} */ ([]);
      while (at < lines.length && isItemLike(read(lines[at]), mark)) {
        const [whole] = match(ITEM, read(lines[at]));
        const inside = [{ from: lines[at].from + whole.length, to: lines[at].to }];
        at += 1;
        while (at < lines.length && goesOn(read, lines, at)) inside.push(dedented(read, lines[at++], whole.length));
        items.push(blocksIn(source, inside, depth + 1));
        if (at + 1 < lines.length && !read(lines[at]).trim() && isItemLike(read(lines[at + 1]), mark)) at += 1;
      }
      add({ kind: "list", start: number === undefined ? null : Number(number), items });
    } else if (isTable(read, lines, at)) {
      const align = cellsIn(read(lines[at + 1]), 0).map(({ from, to }) => alignOf(read(lines[at + 1]).slice(from, to)));
      at += 2;
      while (at < lines.length && !interrupts(read(lines[at]), mayNest)) at += 1;
      add({ kind: "table", align, rows: [first, ...lines.slice(begun + 2, at)].map((one) => rowOf(source, one)) });
    } else if (source.isPart && depth === 0 && blocks.length === 0 && isRow(line)) {
      while (at < lines.length && isRow(read(lines[at])) && cellsIn(read(lines[at]), 0).length === cellsIn(line, 0).length) at += 1;
      const isDelimiter = cellsIn(line, 0).every(({ from, to }) => /^:?-{2,}:?$/.test(line.slice(from, to))); // the header is in the passage before
      add({ kind: "table", align: [], rows: [null, ...lines.slice(isDelimiter ? begun + 1 : begun, at).map((one) => rowOf(source, one))] });
    } else {
      at += 1;
      while (at < lines.length && !interrupts(read(lines[at]), mayNest) && !isTable(read, lines, at)) at += 1;
      add({ kind: "paragraph", parts: paragraph(source, lines.slice(begun, at)) });
    }
  }
  return blocks;
}

/** Returns the place of a heading's words: what begins at `start`, without the space around it and without marks that close it. */
function wordsOf(line, start, offset) {
  const rest = line.slice(start).trimEnd();
  let end = rest.length;
  while (end > 0 && rest[end - 1] === "#") end -= 1;
  const isClosed = end === 0 || /\s/.test(rest[end - 1]);
  const words = isClosed ? rest.slice(0, end).trimEnd() : rest; // in “About C#” the mark is a part of a word
  const from = offset + start + words.length - words.trimStart().length;
  return { from, to: offset + start + words.length };
}

const closes = (line, fence) => line.trim().startsWith(fence) && new Set(line.trim()).size === 1;

/** Another item of the same list: of the same kind, and no deeper than a level can be. */
const isItemLike = (line, mark) => ITEM.test(line) && !RULE.test(line) && /\d/.test(match(ITEM, line)[2]) === /\d/.test(mark) && match(ITEM, line)[1].length < 4;

/** Whether a line belongs to the item above: it is indented, or is a blank line before one that is. */
function goesOn(read, lines, at) {
  const line = read(lines[at]);
  if (line.trim()) return /^ {2,}|^\t/.test(line) || !(ITEM.test(line) || interrupts(line, true));
  return at + 1 < lines.length && /^( {2,}|\t)\S/.test(read(lines[at + 1]));
}

function dedented(read, line, width) {
  const indent = match(/^[ \t]*/, read(line))[0].length;
  return { from: line.from + Math.min(indent, width), to: line.to };
}

/** What ends a paragraph. A number that is not 1 does not: a line may begin with a year. */
function interrupts(line, mayNest) {
  if (!line.trim() || FENCE.test(line) || HEADING.test(line) || RULE.test(line)) return true;
  const item = mayNest ? ITEM.exec(line) : null;
  return (mayNest && QUOTE.test(line)) || (item !== null && item[4] !== "" && (item[3] === undefined || item[3] === "1"));
}

/** Whether a table header is at this line, with a delimiter row of as many cells below it. */
function isTable(read, lines, at) {
  const line = read(lines[at]);
  if (!line.includes("|") || at + 1 >= lines.length) return false;
  const below = read(lines[at + 1]);
  if (!below.includes("|") || !/^[|:\- \t]+$/.test(below)) return false;
  const columns = cellsIn(below, 0);
  return columns.every(({ from, to }) => /^:?-+:?$/.test(below.slice(from, to))) && columns.length === cellsIn(line, 0).length;
}

/** Whether a line is a row of several cells, between marks. */
const isRow = (line) => /^\s*\|.*\|\s*$/.test(line) && cellsIn(line, 0).length > 1;

function alignOf(mark) {
  const [left, right] = [mark.startsWith(":"), mark.endsWith(":")];
  return left && right ? "center" : right ? "right" : left ? "left" : null;
}

const rowOf = (source, { from, to }) => ({ from, to, cells: cellsIn(source.text.slice(from, to), from).map((cell) => inlineOf(source, cell.from, cell.to)) });

/** The places of a row's cells, without the space around them. */
function cellsIn(line, offset) {
  const cells = /** @type {any[]} */ ([]);
  const end = line.trimEnd().length;
  let from = match(/^\s*\|?/, line)[0].length;
  const add = (to) => {
    const cell = line.slice(from, to);
    const start = from + cell.length - cell.trimStart().length;
    cells.push({ from: offset + start, to: offset + Math.max(start, from + cell.trimEnd().length) });
    from = to + 1;
  };
  for (let at = from; at < end; at++) {
    if (line[at] === "\\") at += 1;
    else if (line[at] === "|") add(at);
  }
  if (from < end) add(end);
  return cells;
}

/** Lines that follow each other in the text are read as one. @returns {any[]} */
function paragraph(source, lines) {
  const runs = /** @type {any[]} */ ([]);
  for (const { from, to } of lines) {
    const last = runs.at(-1);
    if (last && ["\n", "\r\n"].includes(source.text.slice(last.to, from))) last.to = to;
    else runs.push({ from, to });
  }
  return runs.flatMap(({ from, to }, at) => [...(at > 0 ? [{ kind: "break" }] : []), ...inlineOf(source, from, to)]);
}

/** `{ kind: "text" | "code", from, to }`, `{ kind: "strong" | "em", parts }` and `{ kind: "break" }`. @returns {any[]} */
function inlineOf(source, from, to, depth = 0) {
  const { text, ends } = source;
  const parts = /** @type {any[]} */ ([]);
  const missing = new Set(); // marks that nothing closes from here on
  let plain = from;
  const upTo = (end) => end > plain && parts.push({ kind: "text", from: plain, to: end });
  for (let at = from; at < to; ) {
    const letter = text[at];
    if (ends.get(at) > at) at = ends.get(at);
    else if (letter === "\\" && at + 1 < to && /[!-/:-@[-`{-~]/.test(text[at + 1])) {
      upTo(at);
      plain = at + 1;
      at += 2;
    } else if (letter === "`") {
      const size = runAt(text, at, to);
      const close = missing.has(`\`${size}`) ? -1 : closing(source, at + size, to, "`", size);
      if (close < 0 && isUnfinished(source, to)) {
        upTo(at);
        if (at + size < to) parts.push({ kind: "code", from: at + size, to });
        return parts;
      }
      if (close < 0) {
        missing.add(`\`${size}`);
        at += size;
        continue;
      }
      upTo(at);
      parts.push({ kind: "code", from: at + size, to: close });
      plain = at = close + size;
    } else if (letter === "*" || letter === "_") {
      const size = runAt(text, at, to);
      const key = letter + size;
      const opens = size <= 3 && depth < DEEPEST && at + size < to && !/\s/.test(text[at + size]) && !(letter === "_" && isWord(text[at - 1]));
      const close = opens && !missing.has(key) ? closing(source, at + size, to, letter, size) : -1;
      const isWithin = isWord(text[at - 1]) && isWord(text[at + size]);
      if (close < 0 && isUnfinished(source, to) && !isWithin && (opens || (size <= 3 && at + size === to))) {
        upTo(at);
        const inside = inlineOf(source, at + size, to - partOf(text, at + size, to, letter, size), depth + 1);
        if (inside.length > 0) parts.push(emphasis(size, inside));
        return parts;
      }
      if (close < 0) {
        if (opens) missing.add(key);
        at += size;
        continue;
      }
      upTo(at);
      parts.push(emphasis(size, inlineOf(source, at + size, close, depth + 1)));
      plain = at = close + size;
    } else at += 1;
  }
  upTo(to);
  return parts;
}

function emphasis(size, parts) {
  const em = { kind: "em", parts };
  return size === 1 ? em : { kind: "strong", parts: size === 2 ? parts : [em] };
}

/** Whether the text so far may continue. */
const isUnfinished = ({ text, isOpen }, to) => isOpen && to === text.length;

/** How many letters of a closing mark are there already, at the end. */
function partOf(text, from, to, letter, size) {
  let count = 0;
  while (count < size && to - count > from && text[to - count - 1] === letter) count += 1;
  return count;
}

const isWord = (letter) => letter !== undefined && /[\p{L}\p{N}_]/u.test(letter);

function runAt(text, at, to) {
  let end = at;
  while (end < to && text[end] === text[at]) end += 1;
  return end - at;
}

/** Where the next run of just so many of a mark is that can close one, or -1. */
function closing({ text, ends }, from, to, mark, size) {
  for (let at = from; at < to; ) {
    if (ends.get(at) > at) at = ends.get(at);
    else if (mark !== "`" && text[at] === "\\") at += 2;
    else if (text[at] === mark) {
      const run = runAt(text, at, to);
      const fits = run === size && at > from && (mark === "`" || (!/\s/.test(text[at - 1]) && !(mark === "_" && isWord(text[at + run]))));
      if (fits) return at;
      at += run;
    } else at += 1;
  }
  return -1;
}
