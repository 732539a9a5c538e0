// The record of a run, as the program writes it (layout 1), in the terms of this page. Whatever is missing is left out, whatever is
// unfit too, with a sentence: a damaged record must not cost the page.
import { anything, attempt, gap, isObject, list, maybe, name, number, object, table, text, word } from "./fit";
import type { Certificate, Facts, GlobalError, RunRecord, RunStatus } from "./format";

const numbers = table(gap);
const ENERGIES = object({ gravity: maybe(number), total: maybe(number) });

const RECORD = object({
  program: maybe(text),
  status: maybe(text),
  message: maybe(text),
  t: maybe(number),
  model: maybe(object({
    name: maybe(text), text: maybe(text), files: maybe(list(object({ path: maybe(text), text: maybe(text) }))), set: maybe(list(text)), parameters: maybe(numbers),
  })),
  options: maybe(object({ end: maybe(number), error: maybe(number), error_per: maybe(text), step: maybe(number) })),
  equilibrium: maybe(object({ poise: maybe(word("stable", "unstable", "neutral", "unknown")) })),
  open: maybe(list(object({ joint: name, length: maybe(number), angle: maybe(number) }))),
  system: maybe(numbers),
  certificate: maybe(object({
    estimate: maybe(number), position: maybe(number), velocity: maybe(number), acceleration: maybe(number), start_position: maybe(number), start_velocity: maybe(number),
  })),
  ledger: maybe(object({ start: maybe(ENERGIES), end: maybe(ENERGIES), work: maybe(numbers), worst: maybe(number), moved: maybe(number) })),
  verdict: maybe(object({ state: word("none", "kept", "controlled", "uncontrolled", "wrong"), sentence: maybe(text) })),
  error: maybe(object({
    asked: maybe(number), setting: maybe(number), growth: maybe(number), doubling: maybe(number), error: maybe(number), believable_until: maybe(number), note: maybe(text),
    channels: maybe(list(object({ name, unit: maybe(text), end: maybe(number), largest: maybe(number) }))),
  })),
  stats: maybe(numbers),
  hottest: maybe(list(object({ contact: name, heat: maybe(number), largest: maybe(number), when: maybe(number), deepest: maybe(number) }))),
  profile: maybe(object({ seconds: maybe(numbers), entries: maybe(numbers) })),
  methods: maybe(list(object({ method: name, from: number, to: number, steps: maybe(number), why: maybe(text) }))),
  redundancy: maybe(list(text)),
  warnings: maybe(list(text)),
  results: maybe(object({ hash: maybe(text) })),
});

type Raw = Partial<ReturnType<typeof RECORD>>;

export function readRecord(raw: unknown, faults: string[] = []): RunRecord {
  const r: Raw = attempt(RECORD, raw, "", faults) ?? {}, { model = {}, options = {} } = r;
  return {
    program: filled(r.program),
    status: statusOf(r.status),
    statusWord: filled(r.status) ?? "unknown",
    message: filled(r.message),
    reached: r.t ?? null,
    end: options.end ?? null,
    modelName: filled(model.name),
    files: (model.files ?? []).map((f) => ({ name: baseName(filled(f.path) ?? "model"), text: filled(f.text) })),
    about: filled(model.text),
    set: (model.set ?? []).filter((s) => s !== ""),
    parameters: model.parameters ?? {},
    options: flatOptions(isObject(raw) ? raw.options : null, faults),
    error: options.error ?? null,
    errorPer: filled(options.error_per),
    step: options.step ?? null,
    poise: r.equilibrium?.poise ?? null,
    open: (r.open ?? []).map((o) => ({ joint: o.joint, length: o.length ?? null, angle: o.angle ?? null })),
    system: r.system ?? {},
    certificate: r.certificate ? certificateOf(r.certificate, r.ledger) : null,
    verdict: r.verdict && r.verdict.state !== "none" ? { state: r.verdict.state, sentence: r.verdict.sentence ?? "" } : null,
    globalError: r.error ? globalErrorOf(r.error) : null,
    stats: r.stats ?? {},
    profile: r.profile?.seconds ?? {},
    entries: r.profile?.entries ?? {},
    hottest: (r.hottest ?? []).map((c) => ({ contact: c.contact, heat: c.heat ?? null, largest: c.largest ?? null, when: c.when ?? null, deepest: c.deepest ?? null })),
    methods: (r.methods ?? []).map((m) => ({ method: m.method, from: m.from, to: m.to, steps: m.steps ?? null, why: m.why ?? "" })),
    redundancy: (r.redundancy ?? []).filter((s) => s !== ""),
    warnings: (r.warnings ?? []).filter((s) => s !== ""),
    hash: filled(r.results?.hash),
    damaged: faults.length > 0,
  };
}

const filled = (x: string | undefined): string | null => (x === undefined || x === "" ? null : x);

// The program has a name for every way to fail.
function statusOf(x: string | undefined): RunStatus {
  const word = filled(x);
  if (word === "ok" || word === "running" || word === "none" || word === "stopped") return word;
  return word === null || word === "unknown" ? "unknown" : "failed";
}

function globalErrorOf(g: NonNullable<Raw["error"]>): GlobalError {
  return {
    asked: g.asked ?? null,
    setting: g.setting ?? null,
    growth: g.growth ?? null,
    doubling: g.doubling ?? null,
    note: filled(g.note),
    error: g.error ?? null,
    believable: g.believable_until ?? null,
    channels: (g.channels ?? []).map((c) => ({ name: c.name, unit: c.unit ?? "", end: c.end ?? null, largest: c.largest ?? null })),
  };
}

export const baseName = (path: string): string => path.split(/[/\\]/).pop() ?? path;

const SHOWN_ELSEWHERE = new Set(["error", "step", "end", "error_per"]);

// Options may be called anything: those with a plain value are shown, and those of the method as if they were its neighbours.
function flatOptions(options: unknown, faults: string[]): Facts {
  const out: Facts = {};
  if (!isObject(options)) return out;
  for (const [k, v] of Object.entries(options)) {
    if (v === null || SHOWN_ELSEWHERE.has(k)) continue;
    if (k !== "method") out[k] = v;
    else {
      const { name: method, ...rest } = attempt(table(anything), v, "options.method", faults) ?? {};
      Object.assign(out, { method }, rest);
    }
  }
  return Object.fromEntries(Object.entries(out).filter(([k, v]) => attempt(plain, v, `options.${k}`, faults) !== undefined));
}

const plain = (x: unknown, at: string, faults: string[]): unknown => (typeof x === "boolean" || typeof x === "number" ? x : text(x, at, faults));

type Shape<K extends keyof Raw> = NonNullable<Raw[K]>;

function certificateOf(c: Shape<"certificate">, ledger: Raw["ledger"]): Certificate {
  return {
    estimate: c.estimate ?? null,
    position: c.position ?? null,
    velocity: c.velocity ?? null,
    acceleration: c.acceleration ?? null,
    startPosition: c.start_position ?? null,
    startVelocity: c.start_velocity ?? null,
    energy: ledger?.start ? energyOf(ledger) : null,
  };
}

// Gravity's energy counts from the start, as in plots (datum.ts).
function energyOf(l: Shape<"ledger">): Certificate["energy"] {
  const shown = (total: number | undefined): number | null => (total === undefined ? null : total - (l.start?.gravity ?? 0));
  return {
    start: shown(l.start?.total),
    end: shown(l.end?.total),
    work: Object.entries(l.work ?? {}).map(([name, value]) => ({ name, value })),
    worst: l.worst ?? null,
    moved: l.moved ?? null,
  };
}

