// The scene with its names resolved: bodies by number, points of bodies measured from the mass centre, and where things
// are at a time. Knows nothing of three.js.
import type { BodyData, EndData, ForceData, JointData, Quaternion, SceneData, Vector } from "../data/format";
import { pointOf, Poses, rotate, STRIDE } from "../data/pose";
import type { Channel, Result } from "../data/result";

export interface End {
  body: number;
  at: Vector; // in the body's frame
  quaternion: Quaternion;
}

export interface Joint extends JointData {
  a: End | null;
  b: End | null;
  driven: boolean;
}

export interface Force extends ForceData {
  a: End | null;
  b: End | null;
}

// What can be pointed at.
export type Element =
  | { kind: "body"; index: number; name: string }
  | { kind: "joint"; index: number; name: string }
  | { kind: "force"; index: number; name: string };

export const sameElement = (a: Element | null, b: Element | null): boolean =>
  a === b || (a !== null && b !== null && a.kind === b.kind && a.index === b.index);

const ON_RAIL = new Set(["translational", "cylindrical", "in-line"]);
const RAIL_ENDS = 3.2; // in sizes of symbols, beyond the travel

const IDENTITY: Quaternion = [1, 0, 0, 0];

export class Mechanism {
  readonly bodies: BodyData[];
  readonly centers: Vector[];
  readonly joints: Joint[];
  readonly forces: Force[];
  readonly poses: Poses;
  readonly up: Vector;
  readonly planar: boolean;
  readonly ground: number;
  readonly box: { low: Vector; high: Vector }; // of all points over the whole run
  readonly size: number;
  readonly symbol: number; // half the width of a bearing: what symbols are measured by [m]
  private readonly bodyIndex = new Map<string, number>();

  constructor(
    readonly result: Result,
    readonly scene: SceneData,
  ) {
    this.bodies = [...scene.bodies];
    if (!this.bodies.some((b) => b.kind === "ground")) this.bodies.unshift({ name: "ground", kind: "ground" });
    this.bodies.forEach((b, k) => this.bodyIndex.set(b.name, k));
    this.ground = this.bodies.findIndex((b) => b.kind === "ground");
    this.centers = this.bodies.map((b) => b.center ?? [0, 0, 0]);
    this.poses = new Poses(result, this.bodies);
    const driven = new Set((scene.motions ?? []).map((m) => m.joint));
    this.joints = (scene.joints ?? []).map((j) => ({ ...j, ...this.ends(j.ends), driven: driven.has(j.name) }));
    this.forces = (scene.forces ?? []).map((f) => ({ ...f, ...this.ends(f.ends) }));
    this.planar = scene.planar ?? this.bodies.every((b) => b.kind !== "rigid" && b.kind !== "point");
    this.up = upOf(scene.gravity ?? null, this.planar);
    this.box = this.extent();
    const given = scene.size ?? 0;
    this.size = given > 0 ? given : Math.max(distance(this.box.low, this.box.high), 1e-6);
    this.symbol = this.symbolSize();
    this.includeRails();
  }

  // A fortieth of the model, but no more than a part of a body: in a chain of a hundred links each is small.
  private symbolSize(): number {
    const extents = this.bodies
      .map((b, k) => (b.kind === "ground" ? [] : [this.centers[k], ...this.pointsOf(k), ...shapeCorners(b)]))
      .map((points) => Math.max(0, ...points.map((p) => distance(p, points[0]))))
      .filter((x) => x > 1e-3 * this.size)
      .sort((a, b) => a - b);
    const typical = extents.length > 0 ? extents[extents.length >> 1] : Infinity;
    return Math.max(Math.min(0.024 * this.size, 0.22 * typical), 0.0015 * this.size);
  }

  // How far a rail reaches along the axis of a joint's first end, or null if it has none.
  rail(j: Joint): [number, number] | null {
    if (!j.a || !j.b || !ON_RAIL.has(j.type)) return null;
    const [low, high] = this.travel(j), more = RAIL_ENDS * this.symbol;
    return [low - more, high + more];
  }

  private includeRails(): void {
    for (const j of this.joints) {
      const rail = this.rail(j);
      if (!rail || !j.a) continue;
      this.poses.at(this.result.start);
      const p = this.pointOfEnd(j.a), z = this.direction(j.a, [0, 0, 1]);
      for (const x of rail)
        for (let k = 0; k < 3; k++) {
          this.box.low[k] = Math.min(this.box.low[k], p[k] + x * z[k]);
          this.box.high[k] = Math.max(this.box.high[k], p[k] + x * z[k]);
        }
    }
  }

  private ends(ends: EndData[] | undefined): { a: End | null; b: End | null } {
    const end = (e: EndData | undefined): End | null => {
      const body = e === undefined ? undefined : this.bodyIndex.get(e.body);
      return e === undefined || body === undefined ? null : { body, at: e.at, quaternion: e.quaternion ?? IDENTITY };
    };
    return { a: end(ends?.[0]), b: end(ends?.[1]) };
  }

  find(name: string): number {
    return this.bodyIndex.get(name) ?? -1;
  }

  get elements(): Element[] {
    return [
      ...this.bodies.map((b, index): Element => ({ kind: "body", index, name: b.name })),
      ...this.joints.map((j, index): Element => ({ kind: "joint", index, name: j.name })),
      ...this.forces.map((f, index): Element => ({ kind: "force", index, name: f.name })),
    ];
  }

  lineOf(e: Element): number | null {
    const of = { body: this.bodies, joint: this.joints, force: this.forces }[e.kind][e.index];
    return of?.line ?? null;
  }

  // A point of a body in space, at the poses last evaluated.
  point(body: number, p: Vector): Vector {
    return pointOf(this.poses.now, body, this.centers[body], p);
  }
  pointOfEnd(e: End): Vector {
    return this.point(e.body, e.at);
  }
  direction(e: End, local: Vector): Vector {
    return rotate(this.poses.now, rotate(e.quaternion, local), STRIDE * e.body + 3);
  }

  // Where an element is: what the camera and labels go to.
  place(e: Element): Vector {
    if (e.kind === "body") {
      const at = STRIDE * e.index;
      return [this.poses.now[at], this.poses.now[at + 1], this.poses.now[at + 2]];
    }
    const { a, b } = e.kind === "joint" ? this.joints[e.index] : this.forces[e.index];
    if (!a) return [0, 0, 0];
    const p = this.pointOfEnd(a);
    if (!b || (e.kind === "joint" && this.joints[e.index].type !== "distance")) return p;
    const q = this.pointOfEnd(b);
    return [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2, (p[2] + q[2]) / 2];
  }

  // Three channels NAME.fx ... of a vector, if all are there.
  vector(name: string, letter: string): [Channel, Channel, Channel] | null {
    const c = ["x", "y", "z"].map((axis) => this.result.byName.get(`${name}.${letter}${axis}`));
    if (c.every((x) => x !== undefined)) return c as [Channel, Channel, Channel];
    return null;
  }

  // Times spread over the run, for what depends on all of it.
  times(most: number): number[] {
    const { start, end, time } = this.result;
    if (!this.poses.moves || time.length < 2) return [start];
    const n = Math.min(most, time.length);
    return Array.from({ length: n }, (_, k) => start + ((end - start) * k) / (n - 1));
  }

  // How far along the axis of its first end a joint's second end gets, over the whole run.
  travel(j: Joint, most = 120): [number, number] {
    if (!j.a || !j.b) return [0, 0];
    let low = Infinity, high = -Infinity;
    for (const t of this.times(most)) {
      this.poses.at(t);
      const p = this.pointOfEnd(j.a), q = this.pointOfEnd(j.b), z = this.direction(j.a, [0, 0, 1]);
      const along = (q[0] - p[0]) * z[0] + (q[1] - p[1]) * z[1] + (q[2] - p[2]) * z[2];
      low = Math.min(low, along);
      high = Math.max(high, along);
    }
    return [low, high];
  }

  // Points of a body that say where it is: of joints, forces, markers, corners of shapes.
  pointsOf(body: number): Vector[] {
    const points: Vector[] = [];
    for (const e of [...this.joints, ...this.forces].flatMap((x) => [x.a, x.b])) if (e?.body === body) points.push(e.at);
    for (const m of this.bodies[body].markers ?? []) points.push(m.at);
    return points;
  }

  private extent(): { low: Vector; high: Vector } {
    const low: Vector = [Infinity, Infinity, Infinity], high: Vector = [-Infinity, -Infinity, -Infinity];
    const include = (p: Vector): void => {
      if (!p.every(Number.isFinite)) return;
      for (let k = 0; k < 3; k++) {
        low[k] = Math.min(low[k], p[k]);
        high[k] = Math.max(high[k], p[k]);
      }
    };
    const corners = this.bodies.map((b, k) => [...(b.kind === "ground" ? [] : [this.centers[k]]), ...this.pointsOf(k), ...shapeCorners(b)]);
    for (const t of this.times(this.bodies.length > 200 ? 20 : 60)) {
      this.poses.at(t);
      corners.forEach((points, body) => points.forEach((p) => include(this.point(body, p))));
    }
    if (!Number.isFinite(low[0])) return { low: [-1, -1, -1], high: [1, 1, 1] };
    return { low, high };
  }
}

function shapeCorners(body: BodyData): Vector[] {
  const out: Vector[] = [];
  for (const s of body.shapes ?? []) {
    const half: Vector =
      s.type === "box"
        ? [s.size[0] / 2, s.size[1] / 2, s.size[2] / 2]
        : s.type === "sphere"
          ? [s.radius, s.radius, s.radius]
          : s.type === "cylinder" || s.type === "tube"
            ? [s.radius, s.radius, s.length / 2]
            : s.type === "capsule"
              ? [s.radius, s.radius, s.length / 2 + s.radius]
              : s.type === "cone"
                ? [s.radius, s.radius, s.height]
                : [0, 0, 0];
    if (s.type === "link") out.push(...s.points);
    for (const x of [-1, 1])
      for (const y of [-1, 1])
        for (const z of [-1, 1]) {
          const d = rotate(s.quaternion ?? IDENTITY, [x * half[0], y * half[1], z * half[2]]);
          const at = s.at ?? [0, 0, 0];
          out.push([at[0] + d[0], at[1] + d[1], at[2] + d[2]]);
        }
  }
  return out;
}

function upOf(gravity: Vector | null, planar: boolean): Vector {
  const g = gravity ?? [0, 0, 0];
  const size = Math.hypot(...g);
  if (size > 0) return [-g[0] / size, -g[1] / size, -g[2] / size];
  return planar ? [0, 1, 0] : [0, 0, 1];
}

export const distance = (a: Vector, b: Vector): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
