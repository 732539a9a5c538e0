// The scene with its names resolved: bodies by number, points of bodies measured from the mass centre, and where things
// are at a time. Knows nothing of three.js.
import type { BodyData, EndData, ForceData, JointData, OpenJoint, Quaternion, SceneData, Vector } from "../data/format";
import { Swing } from "../data/modes";
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
  open: OpenJoint | null; // it cannot be closed
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

export const LINKS = new Set(["distance", "revolute-spherical"]); // rods from end to end
const ON_RAIL = new Set(["translational", "cylindrical", "in-line"]);
const RAIL_ENDS = 3.2; // in sizes of symbols, beyond the travel

const IDENTITY: Quaternion = [1, 0, 0, 0];

export class Mechanism {
  readonly bodies: BodyData[];
  readonly centers: Vector[];
  readonly joints: Joint[];
  readonly forces: Force[];
  readonly poses: Poses;
  readonly swing: Swing | null; // modes, if the result has them: time then is the phase
  readonly up: Vector;
  readonly planar: boolean;
  readonly ground: number;
  readonly box: { low: Vector; high: Vector }; // of all points over the whole run
  readonly cloud: Vector[]; // points to be seen, over the whole run
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
    const swing = result.modes ? new Swing(result.modes, this.bodies) : null;
    this.swing = swing;
    if (swing) this.poses.moved = (phase, now) => swing.apply(phase, now);
    const driven = new Set((scene.motions ?? []).map((m) => m.joint));
    const open = new Map(result.record.open.map((o) => [(scene.motions ?? []).find((m) => m.name === o.joint)?.joint ?? o.joint, o]));
    this.joints = (scene.joints ?? []).map((j) => ({ ...j, ...this.ends(j.ends), driven: driven.has(j.name), open: open.get(j.name) ?? null }));
    this.forces = (scene.forces ?? []).map((f) => ({ ...f, ...this.ends(f.ends) }));
    this.planar = scene.planar ?? this.bodies.every((b) => b.kind !== "rigid" && b.kind !== "point");
    const start = this.extent([result.start]);
    this.size = Math.max(0.8 * distance(start.low, start.high), scene.size ?? 0, 1e-6);
    this.cloud = [];
    this.box = this.extent(this.times(this.bodies.length > 200 ? 12 : 60), this.cloud);
    this.up = upOf(scene.gravity ?? null, this.planar || this.plane === "xy");
    this.symbol = this.symbolSize();
    this.includeRails();
  }

  // How far a body reaches from its centre; 0: it has no extent, or is the ground.
  private reach(k: number): number {
    const b = this.bodies[k];
    if (b.kind === "ground") return 0;
    return Math.max(0, ...[...this.pointsOf(k), ...shapeCorners(b)].map((p) => distance(p, this.centers[k])));
  }

  // A fortieth of the model, but no more than a part of a body: in a chain of a hundred links each is small.
  private symbolSize(): number {
    const reaches = this.bodies.map((_, k) => this.reach(k)).filter((x) => x > 1e-3 * this.size).sort((a, b) => a - b);
    return this.symbolFor(reaches.length > 0 ? reaches[reaches.length >> 1] : Infinity);
  }

  private symbolFor(reach: number): number {
    return Math.max(Math.min(0.024 * this.size, 0.22 * reach), 0.0015 * this.size);
  }

  // Of a body, and of the larger body of a joint: those of small links are small, and never lost in a thick one.
  symbolOfBody(k: number): number {
    const reach = this.reach(k);
    return reach > 1e-3 * this.size ? Math.min(this.symbol, this.symbolFor(reach)) : this.symbol;
  }
  symbolOf(j: Joint): number {
    const ends = [j.a, j.b].flatMap((e) => (e && e.body !== this.ground ? [this.symbolOfBody(e.body)] : []));
    return ends.length > 0 ? Math.max(...ends) : this.symbol;
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
      for (const x of rail) {
        const end: Vector = [p[0] + x * z[0], p[1] + x * z[1], p[2] + x * z[2]];
        this.cloud.push(end);
        for (let k = 0; k < 3; k++) {
          this.box.low[k] = Math.min(this.box.low[k], end[k]);
          this.box.high[k] = Math.max(this.box.high[k], end[k]);
        }
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

  fileOf(e: Element): string | null {
    const of = { body: this.bodies, joint: this.joints, force: this.forces }[e.kind][e.index];
    return of?.file ?? null;
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

  // A node of a beam: the line through it is all there is to be seen.
  isNode(body: number): boolean {
    return this.forces.some((f) => f.look === "curve" && (f.a?.body === body || f.b?.body === body)) && this.pointsOf(body).every((p) => distance(p, this.centers[body]) < 1e-9);
  }

  // Where an element is: what the camera and labels go to.
  place(e: Element): Vector {
    if (e.kind === "body") {
      const at = STRIDE * e.index;
      return [this.poses.now[at], this.poses.now[at + 1], this.poses.now[at + 2]];
    }
    const x = e.kind === "joint" ? this.joints[e.index] : this.forces[e.index];
    const tied = this.tied(x);
    if (!x.a) return tied.length > 0 ? mean(tied.flatMap((j) => (j.a ? [this.pointOfEnd(j.a)] : []))) : [0, 0, 0];
    const p = this.pointOfEnd(x.a);
    return x.b && (e.kind === "force" || LINKS.has(x.type) || ("open" in x && x.open)) ? mean([p, this.pointOfEnd(x.b)]) : p;
  }

  // The joints that a coupler or a torsion spring refers to.
  tied(x: Joint | Force): Joint[] {
    const names = "joints" in x && x.joints ? x.joints : "joint" in x && x.joint ? [x.joint] : [];
    return names.flatMap((n) => this.joints.filter((j) => j.name === n));
  }

  // Wheels that a gear or a rack and pinion has: on which end they sit and how large they are.
  wheels(j: Joint): { end: End; radius: number; towards: End | null }[] {
    const tied = this.tied(j), radii = j.type === "gear" ? j.data?.radii : j.type === "rack-pinion" ? [j.data?.radius] : null;
    if (!Array.isArray(radii) || tied.length < radii.length) return [];
    const bodies = (x: Joint): number[] => [x.a?.body ?? -1, x.b?.body ?? -1];
    return radii.flatMap((r: unknown, k) => {
      const own = tied[k], other = tied[1 - k];
      if (typeof r !== "number" || !(Math.abs(r) > 0 && Math.abs(r) < 1e15) || !own.a || !own.b) return [];
      const carrier = other && bodies(other).includes(own.b.body) && own.b.body !== own.a.body ? own.b.body : own.a.body;
      return [{ end: own.a.body === carrier ? own.b : own.a, radius: Math.abs(r), towards: j.type === "gear" ? (other?.a ?? null) : null }];
    });
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

  // The plane in which everything stays, if it does.
  get plane(): "xy" | "xz" | "yz" | null {
    const d = [0, 1, 2].map((k) => this.box.high[k] - this.box.low[k]), most = Math.max(...d);
    const thin = d.findIndex((x) => x < 0.02 * most), others = d.filter((x) => x >= 0.02 * most);
    return thin >= 0 && others.length === 2 ? (["yz", "xz", "xy"] as const)[thin] : null;
  }

  // Points of what is drawn of a body beside its own shapes.
  private rims(body: number): Vector[] {
    const c = this.centers[body], out: Vector[] = [];
    const around = (at: Vector, q: Quaternion, r: Vector): void => {
      for (const x of [-1, 1]) for (const y of [-1, 1]) for (const z of [-1, 1]) {
        const d = rotate(q, [x * r[0], y * r[1], z * r[2]]);
        out.push([at[0] + d[0], at[1] + d[1], at[2] + d[2]]);
      }
    };
    for (const j of this.joints) for (const { end, radius } of this.wheels(j)) if (end.body === body) around(end.at, end.quaternion, [0.75 * radius, 0.75 * radius, 0.1 * radius]);
    const block = this.block(body);
    if (block) around(c, IDENTITY, [block[0] / 2, block[1] / 2, block[2] / 2]);
    return out;
  }

  hasWheel(body: number): boolean {
    return this.joints.some((j) => this.wheels(j).some((w) => w.end.body === body));
  }

  // The block that stands for a body: if it has no shapes and at most one place where something is attached, near its centre. Where
  // something is attached, it is no larger than that reaches, or than a part of the model: a large inertia must not hide the rest.
  block(body: number): Vector | null {
    const b = this.bodies[body];
    if (b.kind === "ground" || b.kind === "point" || (b.shapes?.length ?? 0) > 0 || this.hasWheel(body)) return null;
    const c = this.centers[body], far = this.pointsOf(body).map((p) => distance(p, c));
    const block = blockOf(b, this.size || Infinity);
    if (!block || far.length === 0) return block;
    const edge = Math.max(...block), reach = Math.max(...far), most = Math.max(2 * reach, 0.12 * (this.size || 0));
    if (reach >= 0.3 * edge || most === 0) return null;
    return block.map((e) => e * Math.min(1, most / edge)) as Vector;
  }

  // Towards the viewer of a mechanism that stays in an upright plane: the grid is behind it, not below.
  get front(): Vector | null {
    const plane = this.planar ? "xy" : this.plane;
    const normal: Vector | null = plane === "xy" ? [0, 0, 1] : plane === "xz" ? [0, -1, 0] : plane === "yz" ? [1, 0, 0] : null;
    return normal && Math.abs(normal[0] * this.up[0] + normal[1] * this.up[1] + normal[2] * this.up[2]) < 0.1 ? normal : null;
  }

  private extent(times: number[], cloud?: Vector[]): { low: Vector; high: Vector } {
    const low: Vector = [Infinity, Infinity, Infinity], high: Vector = [-Infinity, -Infinity, -Infinity];
    const include = (p: Vector): void => {
      if (!p.every(Number.isFinite)) return;
      cloud?.push(p);
      for (let k = 0; k < 3; k++) {
        low[k] = Math.min(low[k], p[k]);
        high[k] = Math.max(high[k], p[k]);
      }
    };
    const corners = this.bodies.map((b, k) => [...(b.kind === "ground" ? [] : [this.centers[k]]), ...this.pointsOf(k), ...shapeCorners(b), ...this.rims(k)]);
    for (const t of times) {
      this.poses.at(t);
      corners.forEach((points, body) => points.forEach((p) => include(this.point(body, p))));
    }
    if (!Number.isFinite(low[0])) return { low: [-1, -1, -1], high: [1, 1, 1] };
    return { low, high };
  }
}

// Edges of the block with the same mass and inertia, if it is of a sensible size: what a free body without shapes looks like.
export function blockOf(body: BodyData, size: number): Vector | null {
  const mass = body.mass ?? 0, I = body.inertia ?? [];
  if (!(mass > 0)) return null;
  const [a, b, c] = I.length >= 3 ? I : [NaN, NaN, NaN];
  const edge = (p: number, q: number, r: number): number => Math.sqrt(Math.max(0, (6 * (p + q - r)) / mass));
  const flat = Math.sqrt((6 * (I[0] ?? NaN)) / mass);
  const edges: Vector = body.kind === "planar" ? [flat, flat, 0.5 * flat] : [edge(b, c, a), edge(a, c, b), edge(a, b, c)];
  const most = Math.max(...edges);
  if (!Number.isFinite(most) || most > 3 * size || most < 0.02 * size) return null;
  return edges.map((e) => Math.max(e, 0.04 * most)) as Vector;
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

const mean = (points: Vector[]): Vector => points.reduce<Vector>((s, p) => [s[0] + p[0] / points.length, s[1] + p[1] / points.length, s[2] + p[2] / points.length], [0, 0, 0]);

export const distance = (a: Vector, b: Vector): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
