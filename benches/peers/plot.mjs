// Plots as SVG, drawn by hand: a white ground and mid tones, so that they read on a dark page as on a light one.

const WIDTH = 760;
const HEIGHT = 440;
const AREA = { left: 74, right: 580, top: 44, bottom: 384 };
const COLOURS = ["#0b6e4f", "#c2410c", "#1d4ed8", "#7e22ce", "#a16207", "#475569", "#be123c"];

const place = (scale, from, to) => {
  const of = scale.log ? Math.log10 : (value) => value;
  const [low, high] = scale.range.map(of);
  return (value) => from + ((of(value) - low) / (high - low)) * (to - from);
};

const text = (x, y, words, more = "") => `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${escape(words)}</text>`;

const escape = (words) => String(words).replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign]);

/**
 * Lines over two scales, each named at its end.
 * @param x,y `{ label, log, range: [low, high], ticks: [[value, words], …] }`
 * @param lines `[{ name, points: [[x, y], …], dashed }]`
 */
export function plot({ title, x, y, lines }) {
  const across = place(x, AREA.left, AREA.right);
  const up = place(y, AREA.bottom, AREA.top);
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" ` +
      `font-family="system-ui, sans-serif" font-size="13" fill="#333">`,
    `<title>${escape(title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" rx="6" fill="#fff"/>`,
    text(AREA.left, 24, title, 'font-size="15" font-weight="600"'),
  ];
  for (const [value, words] of x.ticks) {
    const at = across(value);
    parts.push(`<path d="M${at.toFixed(1)} ${AREA.top}V${AREA.bottom}" stroke="#ddd"/>`);
    parts.push(text(at, AREA.bottom + 18, words, 'text-anchor="middle" fill="#555"'));
  }
  for (const [value, words] of y.ticks) {
    const at = up(value);
    parts.push(`<path d="M${AREA.left} ${at.toFixed(1)}H${AREA.right}" stroke="#ddd"/>`);
    parts.push(text(AREA.left - 8, at + 4, words, 'text-anchor="end" fill="#555"'));
  }
  parts.push(`<path d="M${AREA.left} ${AREA.top}V${AREA.bottom}H${AREA.right}" fill="none" stroke="#888"/>`);
  parts.push(text((AREA.left + AREA.right) / 2, HEIGHT - 14, x.label, 'text-anchor="middle"'));
  const middle = (AREA.top + AREA.bottom) / 2;
  parts.push(text(18, middle, y.label, `text-anchor="middle" transform="rotate(-90 18 ${middle})"`));

  const names = [];
  lines.forEach(({ name, points, dashed }, at) => {
    const colour = COLOURS[at % COLOURS.length];
    const inside = points.filter(([, value]) => value >= y.range[0]);
    if (inside.length === 0) return;
    const spots = inside.map(([first, second]) => [across(first), up(second)]);
    const line = spots.map(([px, py], index) => `${index ? "L" : "M"}${px.toFixed(1)} ${py.toFixed(1)}`).join("");
    parts.push(`<path d="${line}" fill="none" stroke="${colour}" stroke-width="2"${dashed ? ' stroke-dasharray="5 4"' : ""}/>`);
    for (const [px, py] of spots) parts.push(`<circle cx="${px.toFixed(1)}" cy="${py.toFixed(1)}" r="3.5" fill="${colour}"/>`);
    names.push({ name, colour, end: spots.at(-1), at: spots.at(-1)[1] });
  });
  spread(names);
  for (const { name, colour, end, at } of names) {
    const [px, py] = end;
    parts.push(`<path d="M${(px + 6).toFixed(1)} ${py.toFixed(1)}L${AREA.right + 10} ${at.toFixed(1)}" stroke="${colour}" stroke-width="1" opacity="0.45" fill="none"/>`);
    parts.push(text(AREA.right + 14, at + 4, name, `fill="${colour}" font-weight="600"`));
  }
  return `${parts.join("\n")}\n</svg>\n`;
}

/** Moves names apart, from the top down, and back up from the bottom where they ran out of room. */
function spread(names) {
  const gap = 18;
  names.sort((a, b) => a.at - b.at);
  names.forEach((one, index) => {
    if (index > 0) one.at = Math.max(one.at, names[index - 1].at + gap);
  });
  for (let index = names.length - 1; index >= 0; index--) {
    const limit = index === names.length - 1 ? AREA.bottom : names[index + 1].at - gap;
    names[index].at = Math.min(names[index].at, limit);
  }
}

/** The powers of ten and their halves and fifths that lie within a range. */
export function logTicks([low, high], words) {
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    for (const step of [1, 2, 5]) {
      const value = step * 10 ** power;
      if (value >= low * 0.999 && value <= high * 1.001) ticks.push([value, words(value)]);
    }
  }
  return ticks;
}
