// Poses of bodies over time. Rows may be further apart than frames: positions go straight between them, orientations
// along the great circle.
import type { BodyData, Quaternion, Vector } from "./format";
import { rowBefore, valueOf, type Column, type Result, type Series } from "./result";

// out (4 numbers from `at`, real part first) = q slerp p; takes the short way round. Not normalized input is.
export function slerp(out: Float64Array, at: number, a: Quaternion, b: Quaternion, u: number): void {
  let dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const sign = dot < 0 ? -1 : 1;
  dot = Math.abs(dot);
  let wa = 1 - u, wb = u * sign;
  if (dot < 0.9995) {
    const angle = Math.acos(dot), sine = Math.sin(angle);
    wa = Math.sin((1 - u) * angle) / sine;
    wb = (sign * Math.sin(u * angle)) / sine;
  }
  let length = 0;
  for (let k = 0; k < 4; k++) {
    const x = wa * a[k] + wb * b[k];
    out[at + k] = x;
    length += x * x;
  }
  length = Math.sqrt(length);
  for (let k = 0; k < 4; k++) out[at + k] = length > 0 ? out[at + k] / length : k === 0 ? 1 : 0;
}

interface Track {
  time: Float64Array;
  position: (Column | null)[]; // x, y, z
  angle: Column | null; // planar
  quaternion: Column[] | null; // rigid
}

export const STRIDE = 7; // numbers of a pose: x, y, z of the mass centre, then the quaternion

export class Poses {
  readonly count: number;
  readonly now: Float64Array; // poses at the time last asked for
  private readonly tracks: (Track | null)[];
  private readonly start: Float64Array;
  moved: ((t: number, now: Float64Array) => void) | null = null; // on top of the rows: modes
  private hint = 0;

  constructor(result: Result, bodies: BodyData[]) {
    this.count = bodies.length;
    this.tracks = bodies.map((b) => trackOf(result, b));
    this.start = new Float64Array(STRIDE * bodies.length);
    bodies.forEach((b, k) => {
      const r: Vector = b.position ?? [0, 0, 0], q: Quaternion = b.quaternion ?? [1, 0, 0, 0];
      this.start.set([...r, ...q], STRIDE * k);
    });
    this.now = this.start.slice();
  }

  get moves(): boolean {
    return this.tracks.some((t) => t !== null);
  }

  at(t: number): Float64Array {
    for (let k = 0; k < this.count; k++) this.evaluate(k, t, this.now, STRIDE * k);
    this.moved?.(t, this.now);
    return this.now;
  }

  // One body, into any array.
  evaluate(body: number, t: number, out: Float64Array, at: number): void {
    const track = this.tracks[body];
    if (!track) {
      for (let k = 0; k < STRIDE; k++) out[at + k] = this.start[STRIDE * body + k];
      return;
    }
    const time = track.time, n = time.length;
    const row = rowBefore(time, t, this.hint);
    this.hint = row;
    const next = Math.min(row + 1, n - 1), span = time[next] - time[row];
    const u = span > 0 ? Math.min(1, Math.max(0, (t - time[row]) / span)) : 0;
    for (let k = 0; k < 3; k++) {
      const c = track.position[k];
      out[at + k] = c ? mix(c, row, next, u) : this.start[STRIDE * body + k];
    }
    if (track.quaternion) {
      const c = track.quaternion;
      for (let k = 0; k < 4; k++) {
        A[k] = valueOf(c[k], row);
        B[k] = valueOf(c[k], next);
      }
      slerp(out, at + 3, A, B, u);
    } else if (track.angle) {
      const half = mix(track.angle, row, next, u) / 2;
      out[at + 3] = Math.cos(half);
      out[at + 4] = out[at + 5] = 0;
      out[at + 6] = Math.sin(half);
    } else for (let k = 3; k < STRIDE; k++) out[at + k] = this.start[STRIDE * body + k];
  }
}

const A: Quaternion = [1, 0, 0, 0], B: Quaternion = [1, 0, 0, 0];

function mix(c: Column, row: number, next: number, u: number): number {
  const a = valueOf(c, row);
  return u === 0 ? a : a + (valueOf(c, next) - a) * u;
}

function trackOf(result: Result, body: BodyData): Track | null {
  if (body.kind === "ground") return null;
  const find = (what: string): Series | undefined => result.byName.get(`${body.name}.${what}`)?.samples;
  const x = find("x"), y = find("y"), z = find("z"), angle = find("angle");
  const e = ["e0", "e1", "e2", "e3"].map(find);
  const any = x ?? y ?? z ?? angle ?? e[0];
  if (!any || any.time.length === 0) return null;
  return {
    time: any.time,
    position: [x?.values ?? null, y?.values ?? null, z?.values ?? null],
    angle: angle?.values ?? null,
    quaternion: e.every((s) => s !== undefined) ? e.map((s) => (s as Series).values) : null,
  };
}

// ------------------------------------------------------------------------------------------ small algebra

// A v, with the rotation of a unit quaternion, real part first.
export function rotate(q: ArrayLike<number>, v: ArrayLike<number>, at = 0): Vector {
  const w = q[at], x = q[at + 1], y = q[at + 2], z = q[at + 3];
  const tx = 2 * (y * v[2] - z * v[1]), ty = 2 * (z * v[0] - x * v[2]), tz = 2 * (x * v[1] - y * v[0]);
  return [
    v[0] + w * tx + y * tz - z * ty,
    v[1] + w * ty + z * tx - x * tz,
    v[2] + w * tz + x * ty - y * tx,
  ];
}

// A point of a body's frame in space: r + A (p - center).
export function pointOf(pose: Float64Array, body: number, center: Vector, p: Vector): Vector {
  const at = STRIDE * body;
  const d = rotate(pose, [p[0] - center[0], p[1] - center[1], p[2] - center[2]], at + 3);
  return [pose[at] + d[0], pose[at + 1] + d[1], pose[at + 2] + d[2]];
}
