// The diary of the solver, the estimated errors over time, and modes: lists whose lengths must agree.
import { attempt, gap, list, maybe, name, number, object, type Reader, row, table, text, unfit } from "./fit";
import type { ErrorsData, ModesData, StoryData, StressData } from "./format";

const times: Reader<number[]> = (x, at, faults) => {
  const t = row(number)(x, at, faults);
  return t.every((y, k) => k === 0 || y >= t[k - 1]) ? t : unfit(x, at, "times in their order");
};

// As many as there are times.
const column = (length: number): Reader<(number | null)[]> => (x, at, faults) => {
  const values = row(gap)(x, at, faults);
  return values.length === length ? values : unfit(x, at, `a list of ${length}, as there are times`);
};

const story: Reader<StoryData> = (x, at, faults) => {
  const { t } = object({ t: times })(x, at, faults), each = maybe(column(t.length));
  return {
    t,
    ...object({
      steps: each, h_min: each, h_max: each, newton: each, newton_max: each, estimate: each, ratio: each, position: each, velocity: each, acceleration: each,
      rejected: maybe(table(column(t.length))),
      events: maybe(list(object({ t: number, name: maybe(text), text: maybe(text) }))),
      rejections: maybe(list(object({ t: number, h: gap, reason: text, text: maybe(text) }))),
    })(x, at, faults),
  };
};

const errors: Reader<ErrorsData> = (x, at, faults) => {
  const { time } = object({ time: times })(x, at, faults);
  return { time, ...object({ channels: list(object({ name, largest: column(time.length) })) })(x, at, faults) };
};

const NUMBERS = 12; // of a body in a mode

const modes: Reader<ModesData> = (x, at, faults) => {
  const { bodies } = object({ bodies: row(name) })(x, at, faults);
  const so = (n: number): Reader<number[]> => (y, where, f) => {
    const values = row(number)(y, where, f);
    return values.length === n ? values : unfit(y, where, `a list of ${n}, for ${bodies.length} bodies`);
  };
  const mode = object({ number, kind: text, real: number, imag: number, frequency: number, damping: gap, share: so(bodies.length), shape: so(NUMBERS * bodies.length) });
  return { bodies, ...object({ modes: list(mode) })(x, at, faults) };
};

const stress: Reader<StressData> = (x, at, faults) => {
  const d = object({ body: name, nodes: list(row(number)), lines: row(number), times, mises: row(number), moves: row(number), spots: list(object({ node: number, von_mises: number, time: number })) })(x, at, faults);
  const n = d.nodes.length * d.times.length, whole = d.mises.length === n && d.moves.length === 3 * n && n > 0;
  if (!whole || d.nodes.some((p) => p.length !== 4) || d.lines.some((k) => !(k in d.nodes))) return unfit(x, at, "stresses of all nodes at all times");
  return d;
};

const unless = <T>(read: Reader<T>) => (raw: unknown, faults: string[]): T | null => (raw === null || raw === undefined ? null : (attempt(read, raw, "", faults) ?? null));

export const readStory = unless(story);
export const readErrors = unless(errors);
export const readModes = unless(modes);
export const readStress = unless(stress);
