// Gravity's energy has no zero of its own: the file counts it from the origin, and a model that stands high hides all else by it.
// Plots count it from the start of the run, alone and in the total.
import { type Result, type Series, toDoubles } from "./result";

const GRAVITY = "energy.gravity";
const SHIFTED: Record<string, string> = { [GRAVITY]: "0 at start", "energy.total": "same zero" };

export interface Datum {
  shift: number; // taken off [J]
  text: string; // what the zero is
}

// Of one channel in all results, so that they can be compared; null: as it is.
export function datumOf(results: Result[], channel: string): Datum | null {
  if (!Object.hasOwn(SHIFTED, channel)) return null;
  for (const r of results) {
    const shift = r.byName.get(GRAVITY)?.at(r.start) ?? NaN;
    if (Number.isFinite(shift)) return shift === 0 ? null : { shift, text: SHIFTED[channel] };
  }
  return null;
}

export function shifted(s: Series, datum: Datum | null): Series {
  return datum ? { ...s, values: toDoubles(s.values, s.time.length).map((x) => x - datum.shift) } : s;
}
