// An arrow made of a rod and a cone, and how long the arrows of a run are.
import { Matrix4 } from "three";
import type { Vector } from "../data/format";
import { across, between, type Part } from "./parts";

export const HIDDEN = new Matrix4().makeScale(0, 0, 0);

export interface Arrow {
  shaft: Part;
  head: Part;
  second: Part | null; // head of a torque
}

export function hideArrow(a: Arrow): void {
  for (const part of [a.shaft, a.head, a.second]) part?.local.copy(HIDDEN);
}

// From p along f, so long; f need not be a unit vector.
export function placeArrow(a: Arrow, p: Vector, f: Vector, length: number, symbol: number): void {
  const size = Math.hypot(...f), d: Vector = [f[0] / size, f[1] / size, f[2] / size];
  const head = Math.min(1.5 * symbol, 0.6 * length), thick = 0.27 * symbol;
  const along = (x: number): Vector => [p[0] + x * d[0], p[1] + x * d[1], p[2] + x * d[2]];
  across(a.shaft.local, p, along(length - 0.9 * head), Math.min(thick, 0.3 * head));
  between(a.head.local, along(length - head), along(length), 0.36 * head, head);
  if (a.second) between(a.second.local, along(length - 1.75 * head), along(length), 0.36 * head, head);
}

// What a long arrow stands for: single spikes (above the 98th percentile) do not count.
export function largeOf(sizes: number[]): number {
  const sorted = sizes.filter(Number.isFinite).sort((a, b) => a - b);
  return sorted.length > 0 ? sorted[Math.floor(0.98 * (sorted.length - 1))] : 0;
}
