import type { SceneData } from "../src/data/format";
import { readRecord } from "../src/data/record";
import { Result } from "../src/data/result";
import { RECORD } from "../sample/models";

// A result of these channels, all sampled at the same times.
export function resultOf(channels: Record<string, number[]>, time: number[], scene: SceneData | null = null): Result {
  const names = Object.keys(channels);
  const r = new Result(0, "r", readRecord(RECORD), scene, null, [], names.map((name) => ({ name, unit: "" })), () => new Uint8Array());
  r.setTime(Float64Array.from(time));
  names.forEach((n, k) => (r.channels[k].samples = { time: r.time, values: Float64Array.from(channels[n]), kind: "samples", sourceRows: time.length }));
  return r;
}
