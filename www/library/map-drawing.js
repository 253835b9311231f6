// Draws points on one canvas and what is marked of them on another above it, so that looking around draws nothing again.

const MARGIN = 22;
const REACH = 16;
const CELL = 24;

export class Drawing {
  #points = [];
  #base;
  #above;
  #cells = new Map(); // points by the square they are in: the nearest is found without looking at all
  #size = { width: 0, height: 0 };

  constructor(base, above) {
    this.#base = base.getContext("2d");
    this.#above = above.getContext("2d");
  }

  /** @param points with `x`, `y` from -1 to 1, `kind` and `rank`; @param colours by kind */
  draw(points, colours) {
    this.#points = points;
    const canvas = this.#base.canvas;
    const { width, height } = canvas.getBoundingClientRect();
    if (width === 0) return;
    this.#size = { width, height };
    for (const { canvas } of [this.#base, this.#above]) {
      canvas.width = Math.round(width * devicePixelRatio);
      canvas.height = Math.round(height * devicePixelRatio);
    }
    this.#cells.clear();
    points.forEach((point, at) => {
      const { x, y } = this.place(point);
      const key = cellOf(x, y);
      if (!this.#cells.has(key)) this.#cells.set(key, []);
      this.#cells.get(key).push(at);
    });
    const pen = this.#base;
    pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    const radius = points.length > 2000 ? 2 : points.length > 500 ? 2.8 : 4;
    const isMarked = points.some(({ rank }) => rank);
    for (const [kind, colour] of colours.entries()) {
      pen.fillStyle = colour;
      pen.globalAlpha = isMarked ? 0.55 : 0.8;
      pen.beginPath();
      for (const point of points) if (point.kind === kind && !point.rank) this.#dot(pen, point, radius);
      pen.fill();
    }
    pen.globalAlpha = 1;
    this.#ranked(pen);
  }

  /** The passages found last, with their ranks; the best is drawn last, above the others. */
  #ranked(pen) {
    const style = getComputedStyle(pen.canvas);
    const ranked = this.#points.filter(({ rank }) => rank).sort((a, b) => b.rank - a.rank);
    pen.font = `600 11px ${style.fontFamily}`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    for (const point of ranked) {
      const { x, y } = this.place(point);
      pen.fillStyle = style.color;
      pen.strokeStyle = style.backgroundColor;
      pen.lineWidth = 2;
      pen.beginPath();
      this.#dot(pen, point, 10);
      pen.fill();
      pen.stroke();
      pen.fillStyle = style.backgroundColor;
      pen.fillText(String(point.rank), x, y + 0.5);
    }
  }

  /** Marks the point that is looked at. */
  mark(point) {
    const pen = this.#above;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, pen.canvas.width, pen.canvas.height);
    if (!point) return;
    pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    pen.strokeStyle = getComputedStyle(pen.canvas).color;
    pen.lineWidth = 2.5;
    pen.beginPath();
    this.#dot(pen, point, point.rank ? 13 : 7);
    pen.stroke();
  }

  #dot(pen, point, radius) {
    const { x, y } = this.place(point);
    pen.moveTo(x + radius, y);
    pen.arc(x, y, radius, 0, 2 * Math.PI);
  }

  /** Where a point is drawn. */
  place({ x, y }) {
    const { width, height } = this.#size;
    return { x: width / 2 + x * (width / 2 - MARGIN), y: height / 2 - y * (height / 2 - MARGIN) };
  }

  /** The point nearest to the pointer, or -1 where none is near. */
  nearest({ clientX, clientY }) {
    const box = this.#base.canvas.getBoundingClientRect();
    const [x, y] = [clientX - box.left, clientY - box.top];
    let [best, nearest] = [-1, REACH];
    for (const dx of [-CELL, 0, CELL]) {
      for (const dy of [-CELL, 0, CELL]) {
        for (const at of this.#cells.get(cellOf(x + dx, y + dy)) ?? []) {
          const place = this.place(this.#points[at]);
          const far = Math.hypot(place.x - x, place.y - y) - (this.#points[at].rank ? 6 : 0);
          if (far < nearest) [best, nearest] = [at, far];
        }
      }
    }
    return best;
  }

  /** Where to begin: at the best hit, or the middle. */
  first() {
    const far = ({ x, y, rank }) => (rank ? rank - 100 : Math.hypot(x, y));
    return this.#points.reduce((best, point, at) => (best < 0 || far(point) < far(this.#points[best]) ? at : best), -1);
  }

  /** The next point from one in a direction, of those within 45 degrees of it; the same where there is none. */
  beside(from, [right, up]) {
    const here = this.#points[from];
    let [best, nearest] = [from, Infinity];
    this.#points.forEach((point, at) => {
      const [x, y] = [point.x - here.x, point.y - here.y];
      const along = x * right + y * up;
      const aside = Math.abs(x * up) + Math.abs(y * right);
      if (at === from || along <= 0 || aside > along || along + aside >= nearest) return;
      [best, nearest] = [at, along + aside];
    });
    return best;
  }
}

const cellOf = (x, y) => Math.floor(x / CELL) * 100_000 + Math.floor(y / CELL);
