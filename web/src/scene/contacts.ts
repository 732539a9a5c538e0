// Where bodies touch: a dot at each spot, an arrow of what presses on the second body, and one of what rubs along it. A model
// may have hundreds of pairs of which few touch at a time: dots and arrows are lent to those that do.
import { type Channel, rowBefore, valueOf } from "../data/result";
import type { Vector } from "../data/format";
import { niceBelow } from "../data/units";
import { type Arrow, HIDDEN, hideArrow, largeOf, placeArrow } from "./arrow";
import { unitBall, unitCone, unitRod } from "./geometry";
import type { Mechanism } from "./mechanism";
import { type Look, type Part, type Parts, placed } from "./parts";

type Triple = [Channel, Channel, Channel];

interface Pair {
  normal: Channel;
  point: Triple;
  force: Triple; // on the second body
  press: Triple; // the part of it that presses
}

interface Sign {
  dot: Part;
  press: Arrow;
  rub: Arrow;
}

const LONGEST = 0.14; // of the model: arrows of contacts stand side by side

export class Contacts {
  private readonly pairs: Pair[] = [];
  private readonly signs: Sign[] = [];
  private scale = 0; // length of an arrow [m] by its force [N]
  largest = 0;
  factor = 1;

  constructor(
    private readonly parts: Parts,
    private readonly m: Mechanism,
  ) {
    for (const c of m.scene.contacts ?? []) {
      const normal = m.result.byName.get(`${c.name}.normal`), point = m.vector(c.name, "p"), force = m.vector(c.name, "f"), press = m.vector(c.name, "n");
      if (normal?.samples && point && force && press) this.pairs.push({ normal, point, force, press });
    }
    if (this.pairs.length === 0) return;
    const { most, sizes } = this.survey();
    for (let k = 0; k < most; k++) this.signs.push({ dot: this.part(unitBall(), "metal"), press: this.arrow("press"), rub: this.arrow("rub") });
    this.largest = largeOf(sizes);
    this.scale = this.largest > 0 ? (LONGEST * m.size) / this.largest : 0;
  }

  get any(): boolean {
    return this.signs.length > 0;
  }

  // How many touch at once at most, between any two rows that follow each other, and forces of the run.
  private survey(): { most: number; sizes: number[] } {
    const rows = Math.max(...this.pairs.map((p) => p.normal.samples?.time.length ?? 0));
    const touching = new Uint32Array(Math.max(1, rows)), sizes: number[] = [];
    const every = Math.max(1, Math.floor((this.pairs.length * rows) / 20000));
    let seen = 0;
    for (const { normal } of this.pairs) {
      const values = normal.samples?.values, n = normal.samples?.time.length ?? 0;
      for (let k = 0; values && k < n; k++) {
        const x = valueOf(values, k);
        if (x > 0 && seen++ % every === 0) sizes.push(x);
        if (x > 0 || (k + 1 < n && valueOf(values, k + 1) > 0)) touching[k]++;
      }
    }
    return { most: touching.reduce((a, b) => Math.max(a, b), 0), sizes };
  }

  private part(g: Parameters<Parts["add"]>[0], look: Look): Part {
    return this.parts.add(g, look, "contacts", { body: -1, local: HIDDEN.clone(), element: null, color: null });
  }

  private arrow(look: Look): Arrow {
    return { shaft: this.part(unitRod(), look), head: this.part(unitCone(), look), second: null };
  }

  // A round force and the length of its arrow [m]: the legend.
  legend(): { value: number; length: number } | null {
    if (!(this.scale > 0)) return null;
    const value = niceBelow(this.largest);
    return { value, length: value * this.scale * this.factor };
  }

  update(t: number): void {
    let used = 0;
    for (const p of this.pairs) if (used < this.signs.length && touches(p.normal, t)) this.show(this.signs[used++], p, t);
    for (; used < this.signs.length; used++) {
      const s = this.signs[used];
      s.dot.local.copy(HIDDEN);
      hideArrow(s.press);
      hideArrow(s.rub);
    }
  }

  // The point jumps where a contact begins: it is that of the row where they touch.
  private show(s: Sign, p: Pair, t: number): void {
    const at = touchingTime(p.normal, t), dot = 0.32 * this.m.symbol;
    const value = (x: Triple, when: number): Vector => [x[0].at(when), x[1].at(when), x[2].at(when)];
    const point = value(p.point, at), force = value(p.force, t), press = value(p.press, t);
    s.dot.local.copy(placed(point, [1, 0, 0, 0], [dot, dot, dot]));
    this.place(s.press, point, press);
    this.place(s.rub, point, [force[0] - press[0], force[1] - press[1], force[2] - press[2]]);
  }

  private place(a: Arrow, p: Vector, f: Vector): void {
    const length = Math.hypot(...f) * this.scale * this.factor;
    if (!(length > 1e-3 * this.m.size)) hideArrow(a);
    else placeArrow(a, p, f, length, 0.8 * this.m.symbol);
  }
}

const touches = (normal: Channel, t: number): boolean => normal.at(t) > 0;

// The time itself between two rows at which they touch; else that of the row at which they do.
export function touchingTime(normal: Channel, t: number): number {
  const s = normal.samples;
  if (!s || s.time.length < 2) return t;
  const k = Math.min(rowBefore(s.time, t, 0), s.time.length - 2), a = valueOf(s.values, k) > 0, b = valueOf(s.values, k + 1) > 0;
  return a === b ? t : a ? s.time[k] : s.time[k + 1];
}
