// Paths of points: the whole run faint, the way gone so far clear.
import { Color, Group, type Vector2 } from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import type { TrailData } from "../data/format";
import { pointOf } from "../data/pose";
import { rowBefore } from "../data/result";
import type { Mechanism } from "./mechanism";

const MOST = 2000; // points of a path

interface Trail {
  key: string;
  whole: Line2;
  gone: Line2;
  time: Float64Array;
}

export class Trails {
  readonly group = new Group();
  private readonly trails = new Map<string, Trail>();
  private color = "#888888";
  private paper = "#ffffff";

  constructor(private readonly m: Mechanism) {}

  static key(t: TrailData): string {
    return `${t.body} ${t.at.join(" ")}`;
  }
  has(t: TrailData): boolean {
    return this.trails.has(Trails.key(t));
  }
  get count(): number {
    return this.trails.size;
  }

  add(data: TrailData): void {
    const body = this.m.find(data.body), key = Trails.key(data);
    if (body < 0 || this.trails.has(key)) return;
    const times = this.m.times(MOST);
    if (times.length < 2) return;
    const points: number[] = [];
    const one = new Float64Array(7);
    const c = this.m.centers[body];
    for (const t of times) {
      this.m.poses.evaluate(body, t, one, 0);
      points.push(...pointOf(one, 0, c, data.at));
    }
    // opaque: where the pieces of a transparent line overlap it looks like a string of beads
    const line = (width: number, nearer: boolean): Line2 => {
      const l = new Line2(new LineGeometry().setPositions(points), new LineMaterial({ linewidth: width, polygonOffset: nearer, polygonOffsetFactor: -2, polygonOffsetUnits: -2 }));
      l.frustumCulled = false;
      this.group.add(l);
      return l;
    };
    this.trails.set(key, { key, whole: line(1.5, false), gone: line(2.5, true), time: Float64Array.from(times) });
    this.paint(this.color);
  }

  remove(data: TrailData): void {
    const trail = this.trails.get(Trails.key(data));
    if (!trail) return;
    for (const l of [trail.whole, trail.gone]) {
      this.group.remove(l);
      l.geometry.dispose();
      l.material.dispose();
    }
    this.trails.delete(trail.key);
  }

  update(t: number): void {
    for (const { gone, time } of this.trails.values()) {
      gone.geometry.instanceCount = t <= time[0] ? 0 : rowBefore(time, t) + 1;
      gone.visible = gone.geometry.instanceCount > 0;
    }
  }

  paint(color: string, paper = this.paper): void {
    this.color = color;
    this.paper = paper;
    for (const { whole, gone } of this.trails.values()) {
      gone.material.color.set(color);
      whole.material.color.set(color).lerp(new Color(paper), 0.65);
    }
  }

  resize(size: Vector2): void {
    for (const { whole, gone } of this.trails.values()) for (const l of [whole, gone]) l.material.resolution.copy(size);
  }
}
