// Plots as SVG, drawn by hand: a white ground and mid tones, so that they read on a dark page as on a light one.

const WIDTH = 760;
const HEIGHT = 440;
const ENDS = { left: 74, right: 580, top: 44, bottom: 384 };
const LETTER = 8.8;
const COLOURS = ["#0b6e4f", "#c2410c", "#1d4ed8", "#7e22ce", "#a16207", "#475569", "#be123c"];

const place = (scale, from, to) => {
  const of = scale.log ? Math.log10 : (value) => value;
  const [low, high] = scale.range.map(of);
  return (value) => from + ((of(value) - low) / (high - low)) * (to - from);
};

const text = (x, y, words, more = "") => `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${escape(words)}</text>`;

const escape = (words) => String(words).replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign]);

/**
 * Lines over two scales, each named at its end, or under its start where all ends lie together.
 * @param x,y `{ label, log, range: [low, high], ticks: [[value, words], …] }`
 * @param lines `[{ name, points: [[x, y], …], dashed }]`
 */
export function plot({ title, x, y, lines, nameStarts = false }) {
  const area = { ...ENDS, right: nameStarts ? WIDTH - 24 : ENDS.right };
  const across = place(x, area.left, area.right);
  const up = place(y, area.bottom, area.top);
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" ` +
      `font-family="system-ui, sans-serif" font-size="13" fill="#333">`,
    `<title>${escape(title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" rx="6" fill="#fff"/>`,
    text(area.left, 24, title, 'font-size="15" font-weight="600"'),
  ];
  for (const [value, words] of x.ticks) {
    const at = across(value);
    parts.push(`<path d="M${at.toFixed(1)} ${area.top}V${area.bottom}" stroke="#ddd"/>`);
    parts.push(text(at, area.bottom + 18, words, 'text-anchor="middle" fill="#555"'));
  }
  for (const [value, words] of y.ticks) {
    const at = up(value);
    parts.push(`<path d="M${area.left} ${at.toFixed(1)}H${area.right}" stroke="#ddd"/>`);
    parts.push(text(area.left - 8, at + 4, words, 'text-anchor="end" fill="#555"'));
  }
  parts.push(`<path d="M${area.left} ${area.top}V${area.bottom}H${area.right}" fill="none" stroke="#888"/>`);
  parts.push(text((area.left + area.right) / 2, HEIGHT - 14, x.label, 'text-anchor="middle"'));
  const middle = (area.top + area.bottom) / 2;
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
    names.push({ name, colour, start: spots[0], end: spots.at(-1), at: spots.at(-1)[1] });
  });
  if (nameStarts) {
    for (const { name, colour, x, y } of underStarts(names, area)) {
      parts.push(text(x, y, name, `text-anchor="middle" fill="${colour}" font-weight="600" stroke="#fff" stroke-width="3" paint-order="stroke"`));
    }
    return `${parts.join("\n")}\n</svg>\n`;
  }
  spread(names, area);
  for (const { name, colour, end, at } of names) {
    const [px, py] = end;
    const leader = `M${(px + 6).toFixed(1)} ${py.toFixed(1)}L${area.right + 10} ${at.toFixed(1)}`;
    parts.push(`<path d="${leader}" stroke="${colour}" stroke-width="1" opacity="0.45" fill="none"/>`);
    parts.push(text(area.right + 14, at + 4, name, `fill="${colour}" font-weight="600"`));
  }
  return `${parts.join("\n")}\n</svg>\n`;
}

/** Places names under the starts of their lines, each lower until it covers no other. */
function underStarts(names, area) {
  const placed = [];
  for (const { name, colour, start } of [...names].sort((a, b) => a.start[0] - b.start[0])) {
    const half = (name.length * LETTER) / 2;
    const one = { name, colour, half, x: Math.min(area.right - half, Math.max(area.left + half + 4, start[0])), y: start[1] + 20 };
    const covers = (other) => Math.abs(other.x - one.x) < other.half + half && Math.abs(other.y - one.y) < 17;
    while (placed.some(covers)) one.y += 17;
    placed.push(one);
  }
  return placed;
}

/** Moves names apart, from the top down, and back up from the bottom where they ran out of room. */
function spread(names, area) {
  const gap = 18;
  names.sort((a, b) => a.at - b.at);
  names.forEach((one, index) => {
    if (index > 0) one.at = Math.max(one.at, names[index - 1].at + gap);
  });
  for (let index = names.length - 1; index >= 0; index--) {
    const limit = index === names.length - 1 ? area.bottom : names[index + 1].at - gap;
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
