// The record of a run, as the program writes it (layout 1), in the terms of this page. Whatever is missing is left out: a damaged
// record must not cost the page.
import type { Certificate, Facts, GlobalError, Judgement, RunRecord, RunStatus } from "./format";

type Raw = Record<string, unknown>;

const object = (x: unknown): Raw => (typeof x === "object" && x !== null && !Array.isArray(x) ? (x as Raw) : {});
const number = (x: unknown): number | null => (typeof x === "number" && Number.isFinite(x) ? x : null);
const text = (x: unknown): string | null => (typeof x === "string" && x !== "" ? x : null);
const texts = (x: unknown): string[] => (Array.isArray(x) ? x.filter((s): s is string => typeof s === "string" && s !== "") : []);

const numbers = (x: unknown): Record<string, number | null> => Object.fromEntries(Object.entries(object(x)).map(([k, v]) => [k, number(v)]));

export function readRecord(raw: unknown): RunRecord {
  const r = object(raw), options = object(r.options), model = object(r.model), stats = numbers(r.stats);
  const files = Array.isArray(model.files) ? model.files.map(object) : [];
  return {
    program: text(r.program),
    status: statusOf(r.status),
    statusWord: text(r.status) ?? "unknown",
    message: text(r.message),
    reached: number(r.t),
    end: number(options.end),
    modelName: text(model.name),
    files: files.map((f) => ({ name: baseName(text(f.path) ?? "model"), text: text(f.text) })),
    about: text(model.text),
    set: texts(model.set),
    parameters: numbers(model.parameters),
    options: flatOptions(options),
    error: number(options.error),
    errorPer: text(options.error_per),
    step: number(options.step),
    poise: text(object(r.equilibrium).poise),
    system: numbers(r.system),
    certificate: r.certificate === undefined ? null : certificateOf(r),
    verdict: verdictIn(object(r.verdict)),
    globalError: r.error === undefined || r.error === null ? null : globalErrorOf(object(r.error)),
    stats,
    redundancy: texts(r.redundancy),
    warnings: texts(r.warnings),
    hash: text(object(r.results).hash),
  };
}

// The program has a name for every way to fail.
function statusOf(x: unknown): RunStatus {
  const word = text(x);
  if (word === "ok" || word === "running" || word === "none" || word === "stopped") return word;
  return word === null || word === "unknown" ? "unknown" : "failed";
}

const STATES = ["kept", "controlled", "uncontrolled", "wrong"] as const;

function verdictIn(v: Raw): Judgement | null {
  const state = STATES.find((x) => x === v.state);
  return state ? { state, sentence: text(v.sentence) ?? "" } : null;
}

function globalErrorOf(g: Raw): GlobalError {
  const channels = Array.isArray(g.channels) ? g.channels.map(object) : [];
  return {
    asked: number(g.asked),
    setting: number(g.setting),
    growth: number(g.growth),
    doubling: number(g.doubling),
    note: text(g.note),
    error: number(g.error),
    believable: number(g.believable_until),
    channels: channels.flatMap((c) => (text(c.name) === null ? [] : [{ name: String(c.name), unit: text(c.unit) ?? "", end: number(c.end), largest: number(c.largest) }])),
  };
}

export const baseName = (path: string): string => path.split(/[/\\]/).pop() ?? path;

function flatOptions(options: Raw): Facts {
  const out: Facts = {};
  for (const [k, v] of Object.entries(options)) {
    if (v === null || k === "error" || k === "step" || k === "end" || k === "error_per") continue;
    if (k === "method") {
      const { name, ...rest } = object(v);
      out.method = name;
      Object.assign(out, rest);
    } else out[k] = v;
  }
  return out;
}

function certificateOf(r: Raw): Certificate {
  const c = numbers(r.certificate), ledger = object(r.ledger), work = numbers(ledger.work);
  const out: Certificate = {
    estimate: c.estimate ?? null,
    position: c.position ?? null,
    velocity: c.velocity ?? null,
    acceleration: c.acceleration ?? null,
    startPosition: c.start_position ?? null,
    startVelocity: c.start_velocity ?? null,
    energy: null,
  };
  if (ledger.start !== undefined)
    out.energy = {
      start: numbers(ledger.start).total ?? null,
      end: numbers(ledger.end).total ?? null,
      work: Object.entries(work).map(([name, value]) => ({ name, value })),
      worst: number(ledger.worst),
      moved: number(ledger.moved),
    };
  return out;
}
