// How bodies move in a mode: shape times exp(i phase), on top of where they stand.
import type { BodyData, ModeData, ModesData, Vector } from "./format";
import { STRIDE } from "./pose";

export const PLEASANT = 0.15; // of the size of the model, or radians: small, but seen
export const LARGEST = 0.6;

const NUMBERS = 12; // of a body: displacement x, y, z, turn x, y, z, each real and imaginary

export class Swing {
  mode = 0;
  amplitude = PLEASANT;
  private readonly place: number[]; // of each body of the scene among those of the modes; -1: it stands still

  constructor(
    readonly data: ModesData,
    bodies: BodyData[],
  ) {
    const index = new Map(data.bodies.map((name, k) => [name, k]));
    this.place = bodies.map((b) => (b.kind === "ground" ? -1 : (index.get(b.name) ?? -1)));
    const first = data.modes.findIndex((m) => m.kind !== "rigid-body");
    this.mode = Math.max(0, first);
  }

  get current(): ModeData {
    return this.data.modes[this.mode];
  }

  // Moves the poses (7 numbers a body) by the mode at a phase, in turns.
  apply(phase: number, poses: Float64Array): void {
    const c = Math.cos(2 * Math.PI * phase), s = Math.sin(2 * Math.PI * phase), shape = this.current.shape;
    this.place.forEach((from, body) => {
      if (from < 0) return;
      const part = (k: number): number => this.amplitude * (c * shape[NUMBERS * from + 2 * k] - s * shape[NUMBERS * from + 2 * k + 1]);
      const at = STRIDE * body;
      for (let k = 0; k < 3; k++) poses[at + k] += part(k);
      turnBy(poses, at + 3, [part(3), part(4), part(5)]);
    });
  }
}

// Turns an orientation (real part first) about axes of space.
export function turnBy(q: Float64Array, at: number, turn: Vector): void {
  const angle = Math.hypot(...turn);
  if (!(angle > 0)) return;
  const w = Math.cos(angle / 2), f = Math.sin(angle / 2) / angle;
  const [x, y, z] = [f * turn[0], f * turn[1], f * turn[2]];
  const [a, b, c, d] = [q[at], q[at + 1], q[at + 2], q[at + 3]];
  q[at] = w * a - x * b - y * c - z * d;
  q[at + 1] = w * b + x * a + y * d - z * c;
  q[at + 2] = w * c + y * a + z * b - x * d;
  q[at + 3] = w * d + z * a + x * c - y * b;
}

const digits = (x: number, n: number): string => String(Number(x.toPrecision(n)));

// "3 · 18.03 Hz · oscillating": one line in the chooser.
export function modeLine(m: ModeData): string {
  const rate = m.imag > 0 ? `${digits(m.frequency, 5)} Hz` : m.kind === "rigid-body" ? "0 Hz" : `${digits(m.real, 4)} 1/s`;
  return `${m.number} · ${rate} · ${m.kind}`;
}

// What there is to say about it: damping, growth, and which bodies move most.
export function modeText(m: ModeData, bodies: string[]): string {
  const parts: string[] = [];
  if (m.imag > 0) parts.push(`damping ratio ${digits(m.damping ?? 0, 4)}`);
  if (m.real > 0) parts.push(`grows by e in ${digits(1 / m.real, 3)} s`);
  if (m.real < 0) parts.push(`falls by e in ${digits(-1 / m.real, 3)} s`);
  if (m.kind === "rigid-body") parts.push("nothing holds it");
  const most = m.share.map((share, k) => ({ share, name: bodies[k] })).filter((b) => b.share >= 0.005).sort((a, b) => b.share - a.share).slice(0, 3);
  parts.push(most.map((b) => `${b.name} ${Math.round(100 * b.share)} %`).join(", "));
  return parts.join("; ");
}
