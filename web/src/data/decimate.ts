// Fewer points for a plot without losing a peak: of each bucket of points its smallest and its largest, in order.
import { valueOf, type Series } from "./result";

export interface Points {
  x: number[];
  y: (number | null)[];
}

// The part of a series that lies in [from, to] and one point on either side, in at most about 2 * buckets + 4 points.
export function decimate(s: Series, from: number, to: number, buckets: number): Points {
  const [first, last] = rowsIn(s.time, from, to);
  const count = last - first + 1;
  const x: number[] = [], y: (number | null)[] = [];
  const put = (k: number): void => {
    const value = valueOf(s.values, k);
    x.push(s.time[k]);
    y.push(Number.isFinite(value) ? value : null);
  };
  if (count <= 0) return { x, y };
  if (count <= 2 * buckets + 2) {
    for (let k = first; k <= last; k++) put(k);
    return { x, y };
  }
  put(first);
  const inner = count - 2;
  for (let b = 0; b < buckets; b++) {
    const begin = first + 1 + Math.floor((inner * b) / buckets);
    const end = first + 1 + Math.floor((inner * (b + 1)) / buckets);
    let low = begin, high = begin, gap = -1;
    for (let k = begin; k < end; k++) {
      const value = valueOf(s.values, k);
      if (!Number.isFinite(value)) gap = k;
      if (value < valueOf(s.values, low) || !Number.isFinite(valueOf(s.values, low))) low = k;
      if (value > valueOf(s.values, high) || !Number.isFinite(valueOf(s.values, high))) high = k;
    }
    for (const k of [...new Set([low, high, gap])].filter((k) => k >= 0).sort((a, b) => a - b)) put(k);
  }
  put(last);
  return { x, y };
}

// First and last row of those in [from, to], widened by one.
export function rowsIn(time: ArrayLike<number>, from: number, to: number): [number, number] {
  const n = time.length;
  const first = lowerBound(time, from), beyond = lowerBound(time, to);
  return [Math.max(0, first - 1), Math.min(n - 1, beyond)];
}

function lowerBound(time: ArrayLike<number>, t: number): number {
  let low = 0, high = time.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (time[middle] < t) low = middle + 1;
    else high = middle;
  }
  return low;
}
