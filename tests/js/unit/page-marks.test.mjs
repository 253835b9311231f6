// Words of a document on the page of its PDF: found in the pieces of text, and placed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isPageOf, piecesOf, placesOf } from "../../../www/reader/page-marks.js";

/** A line of text, ten units high, of ten units per letter. */
const piece = (str, x, y) => ({ str, transform: [10, 0, 0, 10, x, y], width: 10 * str.length, height: 10, fontName: "f", dir: "ltr" });
const LINES = [piece("The valve opens at se-", 50, 900), piece("ven bar, and is men-", 50, 880), piece("tioned nowhere else.", 50, 860)];
const TEXT = "The valve opens at seven bar, and is mentioned\nnowhere else.";
const styles = { f: { ascent: 0.8, descent: -0.2, fontFamily: "serif" } };
const viewport = { width: 500, height: 1000, convertToViewportPoint: (x, y) => [x, 1000 - y] };
const widthOf = (text) => text.length;

const span = (text, words) => ({ start: text.indexOf(words), end: text.indexOf(words) + words.length });
const found = (text, words, pieces) => piecesOf(text, span(text, words), pieces).map(({ piece, from, to }) => pieces[piece].str.slice(from, to));

test("words that are parted at the ends of lines are found in both lines", () => {
  assert.deepEqual(found(TEXT, "at seven bar", LINES), ["at se", "ven bar"]);
  assert.deepEqual(found(TEXT, "is mentioned\nnowhere", LINES), ["is men", "tioned nowhere"]);
});

test("of words that occur twice, those at the same place are found, also where other text was read", () => {
  const text = "one red house, two red houses, three red houses";
  const second = { start: text.indexOf("red houses, three"), end: text.indexOf("red houses, three") + 10 };
  const pieces = [piece("one red house, two ", 0, 0), piece("red houses, three red houses", 0, 20)];
  assert.deepEqual(piecesOf(text, second, pieces), [{ piece: 1, from: 0, to: 10 }]);
  const longer = [piece("A head that was not read: one red house, two ", 0, 0), pieces[1]];
  assert.deepEqual(piecesOf(text, second, longer), [{ piece: 1, from: 0, to: 10 }]);
});

test("words that are not on the page are not found, and do not fail", () => {
  assert.deepEqual(piecesOf("Something else entirely", { start: 0, end: 9 }, LINES), []);
  assert.deepEqual(piecesOf(TEXT, { start: 0, end: 0 }, LINES), []);
  assert.deepEqual(piecesOf("", { start: 0, end: 10 }, []), []);
});

test("a page is told from one of another file", () => {
  assert.ok(isPageOf(TEXT, LINES));
  assert.ok(!isPageOf("Quite different words stand here instead", LINES));
  assert.ok(isPageOf("", LINES), "a page without text may be a picture");
});

test("a part of a line is placed by the widths of its letters, and parts that follow each other are one", () => {
  const near = (got, wanted) => Object.entries(wanted).forEach(([side, value]) => assert.ok(Math.abs(got[side] - value) < 1e-9, `${side}: ${got[side]}`));
  const places = placesOf(piecesOf(TEXT, span(TEXT, "at seven bar"), LINES), { items: LINES, styles }, viewport, widthOf);
  assert.equal(places.length, 2);
  near(places[0], { left: 210 / 500, right: 260 / 500, top: 92 / 1000, bottom: 102 / 1000 });
  near(places[1], { left: 50 / 500, right: 120 / 500, top: 112 / 1000, bottom: 122 / 1000 });
  const apart = [piece("one", 50, 900), piece(" ", 80, 900), piece("two", 90, 900)];
  const joined = placesOf(piecesOf("one two", { start: 0, end: 7 }, apart), { items: apart, styles }, viewport, widthOf);
  assert.equal(joined.length, 1);
  near(joined[0], { left: 0.1, right: 120 / 500 });
});

test("turned and right-to-left lines are placed where they are printed", () => {
  const turned = { ...piece("north", 100, 500), transform: [0, 10, -10, 0, 100, 500] };
  const [place] = placesOf([{ piece: 0, from: 0, to: 5 }], { items: [turned], styles }, viewport, widthOf);
  assert.ok(place.bottom - place.top > place.right - place.left, "it runs upwards");
  const rtl = { ...piece("שלום", 100, 500), dir: "rtl" };
  const [first] = placesOf([{ piece: 0, from: 0, to: 1 }], { items: [rtl], styles }, viewport, widthOf);
  assert.ok(Math.abs(first.right - 140 / 500) < 1e-9 && Math.abs(first.left - 130 / 500) < 1e-9, JSON.stringify(first));
});
