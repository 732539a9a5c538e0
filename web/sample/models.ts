// Results with a known motion: a slider crank, one of every joint, and a crowd.
import type { BodyData, ChannelHead, EndData, JointData, Quaternion, ResultHead, SceneData, StoryData, Vector } from "../src/data/format";
import { type Block, encodeTable, envelope } from "./encode";

export interface Sampled {
  channels: ChannelHead[];
  time: number[];
  values: number[][]; // of each channel
}

class Recorder {
  readonly channels: ChannelHead[] = [];
  readonly values: number[][] = [];
  constructor(readonly time: number[]) {}
  add(name: string, unit: string, f: (t: number) => number, description = ""): void {
    this.channels.push({ name, unit, description });
    this.values.push(this.time.map(f));
  }
}

const END = (body: string, at: Vector, quaternion: Quaternion = [1, 0, 0, 0], marker: string | null = null): EndData => ({ body, at, quaternion, marker });
const about = (axis: Vector, angle: number): Quaternion => {
  const l = Math.hypot(...axis), s = Math.sin(angle / 2) / l;
  return [Math.cos(angle / 2), axis[0] * s, axis[1] * s, axis[2] * s];
};

const CRANK_TEXT =
  "# Slider crank driven at constant speed\nflyball: 1\nname: slider crank\nparameters: {r: 150*mm, l: 300*mm, speed: 150}\nbodies:\n  crank: {type: planar, mass: 0.36, inertia: 0.002727}\n  rod: {type: planar, mass: 0.151104}\n  slider: {type: planar, mass: 0.075552, inertia: 1e-5}\njoints:\n  main: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n  crank_pin: {type: revolute, from: crank.pin, to: rod.crank}\n  slider_pin: {type: revolute, from: rod.slider, to: slider}\n  guide: {type: translational, bodies: [ground, slider], at: [r + l, 0, 0], axis: [1, 0, 0]}\nmotions:\n  drive: {joint: main, angle: speed*time}\n";

// As the program writes it, layout 1.
export const RECORD = {
  record: 1,
  program: "flyball 0.1.0",
  status: "ok",
  message: null as string | null,
  t: 0.1,
  wall_s: 2.2,
  model: { name: "slider crank", text: null as string | null, files: [{ path: "models/slider-crank.yaml", bytes: CRANK_TEXT.length, text: CRANK_TEXT }], set: [] as string[], parameters: { r: 0.15, l: 0.3, speed: 150 } },
  options: { method: { name: "ch", alpha_m: 0.125, alpha_f: 0.375, beta: 0.390625, gamma: 0.75 }, formulation: "ggl", step: null as number | null, error: 1e-7 as number | null, error_per: "run" as string | null, end: 0.1, output: 1e-4 },
  system: { bodies: 3, coordinates: 9, rows: 9, rank: 9, redundant: 0, degrees_of_freedom: 0 },
  redundancy: [] as string[],
  warnings: [] as string[],
  certificate: { estimate: 7.62e-8 as number | null, singular: 0, position: 1.1e-16, velocity: 8.9e-15, acceleration: 1.1e-4, start_position: 0, start_velocity: 0 },
  ledger: { start: { kinetic: 43.43, gravity: 0, springs: 0, total: 43.43 }, end: { kinetic: 48.2, gravity: 0, springs: 0, total: 48.2 }, work: { forces: 0, motions: 4.77, damping: 0 }, imbalance: 1e-8, worst: 2.1e-7, moved: 53.5, relative: 4e-9 },
  stats: { steps: 62384, rejected_error: 3, rejected_newton: 1, cut_steps: 0, newton_iterations: 185816, residuals: 185900, jacobians: 156, round_off_steps: 0, singular_steps: 0, events: 1, h_min: 8e-7, h_max: 2.1e-6, wall_s: 2.117 },
  hottest: [{ contact: "stop", heat: 0.2, largest: 410, when: 0.03, deepest: 2e-5 }],
  results: { rows: 1001, channels: 33, hash: "9f0c2a51d7e8b364" },
};

export function story(end: number, n = 600): StoryData {
  const t = Array.from({ length: n }, (_, k) => (end * (k + 1)) / n);
  const h = t.map((x) => (end / 50000) * (1.2 + Math.sin((40 * x) / end) * 0.6));
  const hit = (k: number): boolean => k === 60 || k === 61 || k === 300 || k === 450;
  return {
    t,
    steps: t.map((_, k) => 90 + (k % 7)),
    h_min: h.map((x) => 0.8 * x),
    h_max: h,
    newton: t.map((_, k) => 3 * (90 + (k % 7)) - (k % 5) * 20),
    rejected: { error: t.map((_, k) => (hit(k) && k !== 300 ? 1 : 0)), newton: t.map((_, k) => (k === 300 ? 1 : 0)) },
    ratio: t.map((x) => 0.35 + 0.3 * Math.abs(Math.sin((90 * x) / end))),
    position: t.map((x) => 1e-16 * (1 + Math.abs(Math.sin((33 * x) / end)))),
    velocity: t.map((x) => 4e-15 * (1.1 + Math.sin((21 * x) / end))),
    acceleration: t.map((x) => 5e-5 * (1.1 + Math.sin((42 * x) / end))),
    events: [{ t: 0.4 * end, name: "turn", text: "half a turn" }],
    rejections: [60, 61, 300, 450].map((k) => ({ t: t[k], h: 2 * h[k], reason: k === 300 ? "newton" : "error" })),
  };
}

// Crank r, rod l, angle w t; shift: makes a second result that differs.
export function sliderCrank(shift = 0, rows = 1001): { head: Omit<ResultHead, "tables">; data: Sampled } {
  const r = 0.15, l = 0.3, w = 150 * (1 + shift), end = 0.1;
  const time = Array.from({ length: rows }, (_, k) => (end * k) / (rows - 1));
  const phi = (t: number): number => w * t, psi = (t: number): number => -Math.asin((r / l) * Math.sin(phi(t)));
  const x = (t: number): number => r * Math.cos(phi(t)) + l * Math.cos(psi(t));
  const rec = new Recorder(time), e = 1e-6;
  const d = (f: (t: number) => number) => (t: number): number => (f(t + e) - f(t - e)) / (2 * e);
  const body = (name: string, fx: (t: number) => number, fy: (t: number) => number, angle: (t: number) => number): void => {
    rec.add(`${name}.x`, "m", fx, "mass centre in space");
    rec.add(`${name}.y`, "m", fy, "mass centre in space");
    rec.add(`${name}.angle`, "rad", angle, "orientation about z");
    rec.add(`${name}.vx`, "m/s", d(fx), "velocity of the mass centre");
    rec.add(`${name}.vy`, "m/s", d(fy), "velocity of the mass centre");
    rec.add(`${name}.w`, "rad/s", d(angle), "angular velocity");
  };
  const mid = (f: (t: number) => number) => f;
  body("crank", () => 0, () => 0, phi);
  body("rod", mid((t) => r * Math.cos(phi(t)) + 0.5 * l * Math.cos(psi(t))), (t) => r * Math.sin(phi(t)) + 0.5 * l * Math.sin(psi(t)), psi);
  body("slider", x, () => 0, () => 0);
  const a = (t: number): number => (x(t + 1e-5) - 2 * x(t) + x(t - 1e-5)) / 1e-10;
  const force = (t: number): number => 0.0756 * a(t);
  for (const [j, f] of [["main", 1], ["crank_pin", 0.9], ["slider_pin", 1]] as const) {
    rec.add(`${j}.fx`, "N", (t) => f * force(t), "force on the second body");
    rec.add(`${j}.fy`, "N", (t) => f * force(t) * Math.tan(psi(t)), "force on the second body");
    rec.add(`${j}.fz`, "N", () => 0, "force on the second body");
  }
  rec.add("guide.fx", "N", (t) => -force(t) * Math.tan(psi(t)));
  rec.add("guide.fy", "N", () => 0);
  rec.add("guide.fz", "N", () => 0);
  rec.add("energy.kinetic", "J", (t) => 0.5 * 0.002727 * w * w + 0.5 * 0.0756 * d(x)(t) ** 2, "of the whole model");
  rec.add("energy.gravity", "J", () => 0);
  rec.add("energy.balance", "J", (t) => 2e-7 * t * Math.sin(900 * t));
  rec.add("stroke", "m", x, "way of the slider");
  const upright = about([0, 1, 0], Math.PI / 2);
  const scene: SceneData = {
    planar: true,
    gravity: null,
    size: null,
    bodies: [
      { name: "ground", kind: "ground" },
      { name: "crank", kind: "planar", line: 6, mass: 0.36, inertia: [0.002727], center: [0, 0, 0], position: [0, 0, 0], quaternion: [1, 0, 0, 0], markers: [{ name: "pin", at: [r, 0, 0] }] },
      { name: "rod", kind: "planar", line: 7, mass: 0.151, inertia: [0.00113], center: [l / 2, 0, 0], position: [r + l / 2, 0, 0], quaternion: [1, 0, 0, 0], markers: [{ name: "crank", at: [0, 0, 0] }, { name: "slider", at: [l, 0, 0] }] },
      { name: "slider", kind: "planar", line: 8, mass: 0.0756, inertia: [1e-5], center: [0, 0, 0], position: [r + l, 0, 0], quaternion: [1, 0, 0, 0] },
    ],
    joints: [
      { name: "main", type: "revolute", line: 10, ends: [END("ground", [0, 0, 0]), END("crank", [0, 0, 0])] },
      { name: "crank_pin", type: "revolute", line: 11, ends: [END("crank", [r, 0, 0], [1, 0, 0, 0], "pin"), END("rod", [0, 0, 0], [1, 0, 0, 0], "crank")] },
      { name: "slider_pin", type: "revolute", line: 12, ends: [END("rod", [l, 0, 0], [1, 0, 0, 0], "slider"), END("slider", [0, 0, 0])] },
      { name: "guide", type: "translational", line: 13, ends: [END("ground", [r + l, 0, 0], upright), END("slider", [0, 0, 0], upright)] },
    ],
    motions: [{ name: "drive", joint: "main", line: 15, data: { angle: "speed*time" } }],
    forces: [],
    contacts: [{ name: "stop", line: 16, bodies: ["ground", "slider"] }],
    trails: [{ name: "middle of the rod", body: "rod", at: [l / 2, 0, 0] }],
  };
  return { head: { name: shift === 0 ? "slider-crank" : "slider-crank-slow", record: RECORD, scene, channels: rec.channels, story: story(end) }, data: { channels: rec.channels, time, values: rec.values } };
}

// A mesh: stands in block 0.
export const WEDGE = { vertices: [0, 0, 0, 0.2, 0, 0, 0.2, 0.1, 0, 0, 0.1, 0, 0, 0, 0.15, 0, 0.1, 0.15], triangles: [0, 2, 1, 0, 3, 2, 0, 1, 4, 3, 5, 2, 0, 4, 5, 0, 5, 3, 1, 2, 5, 1, 5, 4] };

export function meshBlock(): Block {
  const bytes = new Uint8Array(4 * (WEDGE.vertices.length + WEDGE.triangles.length));
  new Float32Array(bytes.buffer, 0, WEDGE.vertices.length).set(WEDGE.vertices);
  new Uint32Array(bytes.buffer, 4 * WEDGE.vertices.length).set(WEDGE.triangles);
  return { bytes, codec: "raw", filter: "" };
}

// One of every joint and force, in a row, each with a body that moves as the joint lets it.
export function zoo(): { head: Omit<ResultHead, "tables">; data: Sampled } {
  const time = Array.from({ length: 401 }, (_, k) => k * 0.01), rec = new Recorder(time);
  const bodies: BodyData[] = [{ name: "ground", kind: "ground" }], joints: JointData[] = [];
  const TYPES = ["revolute", "translational", "cylindrical", "spherical", "universal", "fixed", "planar", "screw", "in-line", "in-plane", "orientation", "parallel", "perpendicular"];
  const shapes: NonNullable<BodyData["shapes"]>[] = [[{ type: "box", size: [0.16, 0.1, 0.08], at: [0.13, 0, 0] }], [{ type: "sphere", radius: 0.07, at: [0.12, 0, 0] }], [{ type: "cylinder", radius: 0.05, length: 0.16, at: [0.12, 0, 0] }], [{ type: "capsule", radius: 0.04, length: 0.12, at: [0.12, 0, 0] }], [{ type: "cone", radius: 0.06, height: 0.15, at: [0.12, 0, 0] }], [{ type: "tube", radius: 0.07, inner: 0.045, length: 0.12, at: [0.13, 0, 0] }], []];
  TYPES.forEach((type, k) => {
    const name = `b_${type.replaceAll("-", "_")}`, at: Vector = [0.5 * (k % 5), 0.5 * Math.floor(k / 5), 0];
    const turn = type === "fixed" || type === "translational" || type === "orientation" ? 0 : 0.7, slide = /translational|cylindrical|screw|in-line/.test(type) ? 0.08 : 0;
    const angle = (t: number): number => turn * Math.sin(2 * t), z = (t: number): number => slide * Math.sin(2 * t);
    bodies.push({ name, kind: "rigid", mass: 1, inertia: [0.01, 0.01, 0.02], center: [0, 0, 0], position: at, quaternion: [1, 0, 0, 0], line: 10 + k, shapes: shapes[k % shapes.length], markers: [{ name: "tip", at: [0.2, 0, 0] }] });
    joints.push({ name: type.replaceAll("-", "_"), type, line: 40 + k, ends: [END("ground", at), END(name, [0, 0, 0], type === "universal" || type === "perpendicular" ? about([1, 0, 0], Math.PI / 2) : [1, 0, 0, 0])], data: type === "screw" ? { pitch: 0.01 } : {} });
    const q = (t: number): Quaternion => (type === "spherical" || type === "universal" ? about([0.4, 0.3, 1], angle(t)) : about([0, 0, 1], angle(t)));
    at.forEach((x, i) => rec.add(`${name}.${"xyz"[i]}`, "m", (t) => x + (i === 2 ? z(t) : 0)));
    [0, 1, 2, 3].forEach((i) => rec.add(`${name}.e${i}`, "", (t) => q(t)[i]));
    ["fx", "fy", "fz"].forEach((c, i) => rec.add(`${type.replaceAll("-", "_")}.${c}`, "N", (t) => 10 * Math.cos(t + i)));
  });
  const bob = (t: number): number => -0.45 + 0.12 * Math.sin(5 * t);
  bodies.push({ name: "bob", kind: "rigid", mass: 2, inertia: [0.004, 0.004, 0.004], center: [0, 0, 0], position: [2.6, 0, -0.45], quaternion: [1, 0, 0, 0], shapes: [{ type: "sphere", radius: 0.07 }] });
  bodies.push({ name: "point", kind: "point", mass: 1, position: [2.6, 0.5, -0.3], quaternion: [1, 0, 0, 0] });
  rec.add("bob.x", "m", () => 2.6); rec.add("bob.y", "m", () => 0); rec.add("bob.z", "m", bob);
  rec.add("point.x", "m", () => 2.6); rec.add("point.y", "m", (t) => 0.5 + 0.2 * Math.sin(3 * t)); rec.add("point.z", "m", (t) => 0.2 - Math.sqrt(0.25 - (0.2 * Math.sin(3 * t)) ** 2));
  rec.add("wind.fx", "N", (t) => 5 * Math.sin(t)); rec.add("wind.fy", "N", () => 3); rec.add("wind.fz", "N", () => 2);
  bodies.push({ name: "wedge", kind: "rigid", mass: 1, position: [2.9, 1, 0], quaternion: [1, 0, 0, 0], shapes: [{ type: "mesh", vertices: { block: 0, offset: 0, count: WEDGE.vertices.length }, triangles: { block: 0, offset: 4 * WEDGE.vertices.length, count: WEDGE.triangles.length } }] });
  joints.push({ name: "string", type: "distance", line: 60, ends: [END("ground", [2.6, 0.5, 0.2]), END("point", [0, 0, 0])], data: { length: 0.5 } });
  const scene: SceneData = {
    planar: false, gravity: [0, 0, -9.81], size: null, bodies, joints, motions: [{ name: "drive", joint: "revolute", line: 70, data: { angle: "0.7*sin(2*time)" } }, { name: "push", joint: "translational", line: 71, data: { displacement: "0.08*sin(2*time)" } }],
    forces: [
      { name: "spring", type: "spring", line: 80, ends: [END("ground", [2.6, 0, 0.2]), END("bob", [0, 0, 0.07])], data: { stiffness: 200, damping: 0, free_length: 0.4 } },
      { name: "shock", type: "spring", line: 81, ends: [END("ground", [2.9, 0, 0.2]), END("bob", [0.07, 0, 0])], data: { stiffness: 200, damping: 20, free_length: 0.4 } },
      { name: "dashpot", type: "spring", line: 82, ends: [END("ground", [2.3, 0, 0.2]), END("bob", [-0.07, 0, 0])], data: { stiffness: 0, damping: 20 } },
      { name: "mount", type: "bushing", line: 83, ends: [END("ground", [2.6, 1, 0]), END("point", [0, 0, 0])], data: { stiffness: [1, 1, 1, 1, 1, 1] } },
      { name: "coil", type: "torsion-spring", line: 84, joint: "revolute", data: { stiffness: 3 } },
      { name: "wind", type: "force", line: 85, ends: [END("bob", [0, 0, 0])], data: { force: "wind" } },
    ],
    trails: [{ name: "b_spherical.tip", body: "b_spherical", at: [0.2, 0, 0] }],
  };
  return { head: { name: "zoo", record: { ...RECORD, t: 4, model: { ...RECORD.model, name: "one of every joint", files: [] }, options: { ...RECORD.options, step: 0.001, error: null, error_per: null, end: 4 } }, scene, channels: rec.channels, story: story(4) }, data: { channels: rec.channels, time, values: rec.values } };
}

// Bodies on a wave, for measuring.
export function crowd(count: number, rows: number): { head: Omit<ResultHead, "tables">; data: Sampled } {
  const end = 10, time = Array.from({ length: rows }, (_, k) => (end * k) / (rows - 1)), rec = new Recorder(time);
  const side = Math.ceil(Math.sqrt(count)), bodies: BodyData[] = [{ name: "ground", kind: "ground" }], joints: JointData[] = [];
  for (let k = 0; k < count; k++) {
    const at: Vector = [(k % side) * 0.3, Math.floor(k / side) * 0.3, 0], name = `b${k}`;
    bodies.push({ name, kind: "rigid", mass: 1, inertia: [1, 1, 1], center: [0, 0, 0], position: at, quaternion: [1, 0, 0, 0], shapes: [k % 3 === 0 ? { type: "sphere", radius: 0.09 } : k % 3 === 1 ? { type: "box", size: [0.16, 0.16, 0.16] } : { type: "cylinder", radius: 0.07, length: 0.18 }] });
    if (k > 0) joints.push({ name: `j${k}`, type: k % 2 ? "revolute" : "spherical", ends: [END("ground", [at[0], at[1], -0.2]), END(name, [0, 0, 0])] });
    const phase = 0.5 * at[0] + 0.7 * at[1];
    at.forEach((x, i) => rec.add(`${name}.${"xyz"[i]}`, "m", (t) => x + (i === 2 ? 0.2 * Math.sin(3 * t - phase) : 0)));
    const q = (t: number): Quaternion => about([0, 1, 0.2], 0.8 * Math.sin(2 * t - phase));
    [0, 1, 2, 3].forEach((i) => rec.add(`${name}.e${i}`, "", (t) => q(t)[i]));
  }
  const scene: SceneData = { planar: false, gravity: [0, 0, -9.81], size: null, bodies, joints, motions: [], forces: [], trails: [] };
  return { head: { name: "crowd", record: { ...RECORD, t: end, model: { ...RECORD.model, name: `${count} bodies`, files: [] }, options: { ...RECORD.options, end } }, scene, channels: rec.channels, story: story(end) }, data: { channels: rec.channels, time, values: rec.values } };
}

export type Encoding = "exact" | "f32" | "q16";

export function withTables(blocks: Block[], x: { head: Omit<ResultHead, "tables">; data: Sampled }, encoding: Encoding): ResultHead {
  const { time, values } = x.data;
  const columns = [{ channel: -1, values: time }, ...values.map((v, channel) => ({ channel, values: v }))];
  const type = encoding === "exact" ? "f64" : encoding;
  const tables = [encodeTable(blocks, "samples", columns, type, encoding === "exact" ? "raw" : "deflate", time.length)];
  return { ...x.head, tables };
}

// Every tenth row, and envelopes of all.
export function thinned(blocks: Block[], x: { head: Omit<ResultHead, "tables">; data: Sampled }): ResultHead {
  const { time, values } = x.data, pick = (v: number[]): number[] => v.filter((_, k) => k % 10 === 0 || k === v.length - 1);
  const samples = encodeTable(blocks, "samples", [{ channel: -1, values: pick(time) }, ...values.map((v, channel) => ({ channel, values: pick(v) }))], "f32", "deflate", time.length);
  const buckets = Math.floor(time.length / 25);
  const env = values.map((v) => envelope(time, v, buckets));
  const plots = encodeTable(blocks, "envelope", [{ channel: -1, values: env[0].time }, ...env.map((v, channel) => ({ channel, values: v.values }))], "f32", "deflate", time.length);
  return { ...x.head, notes: [`The file has ${time.length} rows, of which ${samples.rows} are here.`, "Plots show the smallest and the largest value of each part: no peak is lost."], tables: [samples, plots] };
}
