// The certificate in plain words, with redundancy, warnings and what the run cost.
import type { Note, RunRecord } from "../data/format";
import type { Result } from "../data/result";
import { formatCount, formatNumber, formatWith } from "../data/units";
import { h, icon, ICONS } from "../ui/dom";
import { verdictOf } from "./verdict";

export interface NoteActions {
  select(element: string): void;
  goToLine(line: number, result: number): void;
}

export function certificatePage(results: Result[], actions: NoteActions): HTMLElement {
  return h("div", { class: "certificates" }, ...results.map((r) => certificate(r, results.length > 1, actions)));
}

function certificate(result: Result, named: boolean, actions: NoteActions): HTMLElement {
  const r = result.record, v = verdictOf(r);
  const badge = v.tone === "good" ? ICONS.check : v.tone === "plain" ? ICONS.eye : v.tone === "bad" ? ICONS.cross : ICONS.warning;
  return h(
    "article",
    { class: "certificate" },
    named && h("p", { class: "dim result-name" }, result.name),
    h("div", { class: `verdict ${v.tone}` }, icon(badge), h("div", {}, h("h2", {}, v.title), ...v.reasons.map((x) => h("p", {}, x)))),
    ...sections(result, actions),
  );
}

function sections(result: Result, actions: NoteActions): Node[] {
  const r = result.record, out: Node[] = [];
  const section = (title: string, ...content: (Node | null)[]): void => {
    const real = content.filter((c): c is Node => c !== null);
    if (real.length > 0) out.push(h("section", {}, h("h3", {}, title), ...real));
  };
  section("What was asked", askedWords(r));
  if (r.status !== "none") {
    section("How accurate it is", ...accuracy(r));
    section("Energy", ...energy(r));
    section("What it took", stats(r));
  }
  section("The model", modelWords(r));
  section("Redundant constraints", ...notes(r.redundancy ?? [], result, actions, "The reactions of these joints are not unique: how they share the load, a rigid model cannot tell. The motion is not affected."));
  section("Warnings", ...notes(r.warnings ?? [], result, actions, null));
  section("Provenance", provenance(r));
  return out;
}

const p = (text: string): HTMLElement => h("p", {}, text);

function table(rows: [string, string, string?][]): HTMLElement {
  return h("table", { class: "facts" }, h("tbody", {}, ...rows.map(([a, b, c]) => h("tr", {}, h("th", { scope: "row" }, a), h("td", { class: "number" }, b), h("td", { class: "dim" }, c ?? "")))));
}

function askedWords(r: RunRecord): HTMLElement | null {
  const o = { ...(r.options ?? {}) };
  const end = r.time?.end, start = r.time?.start ?? 0;
  const words: string[] = [];
  if (typeof end === "number" && r.status !== "none") words.push(`Simulate from ${formatNumber(start)} s to ${formatNumber(end)} s`);
  if (typeof o.error === "number") words.push(`with an error of the run of at most ${formatNumber(o.error)} (radians, sizes of the model)`);
  else if (typeof o.step === "number") words.push(`in fixed steps of ${formatWith(o.step, "s")}, without control of the error`);
  const rest = Object.entries(o).filter(([k, value]) => value !== null && !["error", "step", "end"].includes(k));
  if (words.length === 0 && rest.length === 0) return null;
  return h("div", {}, words.length > 0 ? p(`${words.join(" ")}.`) : "", rest.length > 0 ? h("p", { class: "options" }, ...rest.map(([k, value]) => h("span", { class: "chip plain" }, `${k.replaceAll("_", " ")}: ${typeof value === "number" ? formatNumber(value) : String(value)}`))) : "");
}

function accuracy(r: RunRecord): HTMLElement[] {
  const c = r.certificate;
  if (!c) return [p("No certificate was written with this result.")];
  const out: HTMLElement[] = [];
  const e = c.error;
  if (e && typeof e.estimate === "number" && typeof e.allowed === "number") {
    const part = e.estimate / e.allowed;
    out.push(p(`The error estimates of all steps add up to ${formatNumber(e.estimate)}; ${formatNumber(e.allowed)} was allowed. ${part <= 1 ? "The tolerance was kept." : "The tolerance was not kept."} It is an estimate, not a bound.`), meter(part));
  } else out.push(p("The step was fixed: nothing estimated or controlled the error."));
  const rows: [string, string, string?][] = [];
  const row = (name: string, x: number | null | undefined, unit: string, text: string): void => {
    if (x !== undefined && x !== null) rows.push([name, `${formatNumber(x, 3)} ${unit}`, text]);
  };
  row("Positions", c.position, "m, rad", "largest gap in a joint");
  row("Velocities", c.velocity, "m/s, rad/s", "largest speed at which a joint comes apart");
  row("Accelerations", c.acceleration, "m/s², rad/s²", "not asked for: it shows how good accelerations and reactions are");
  if (rows.length > 0) out.push(p("The constraints, over all accepted steps, are violated by at most:"), table(rows));
  const moved = [c.start_position ?? 0, c.start_velocity ?? 0];
  out.push(p(moved.every((x) => x === 0) ? "The start fitted the joints as it was given." : `To fit the joints, the start was moved by ${formatNumber(moved[0])} in positions and ${formatNumber(moved[1])} in velocities.`));
  return out;
}

function meter(part: number): HTMLElement {
  const bar = h("div", { class: part <= 1 ? "meter" : "meter over", role: "img", "aria-label": `${formatNumber(100 * part, 3)} % of the tolerance used` }, h("span", {}));
  (bar.firstElementChild as HTMLElement).style.width = `${Math.min(100, 100 * part)}%`;
  return h("div", { class: "meter-row" }, bar, h("span", { class: "dim" }, `${formatNumber(100 * part, 3)} % of the tolerance used`));
}

function energy(r: RunRecord): HTMLElement[] {
  const e = r.certificate?.energy;
  if (!e) return [];
  const out: HTMLElement[] = [];
  const rows: [string, string, string?][] = [];
  if (typeof e.start === "number") rows.push(["At the start", formatWith(e.start, "J")]);
  for (const l of e.ledger ?? []) rows.push([capital(l.name.replaceAll("_", " ")), formatWith(l.value, "J"), typeof l.value === "number" ? (l.value < 0 ? "taken out" : l.value > 0 ? "put in" : "") : ""]);
  if (typeof e.end === "number") rows.push(["At the end", formatWith(e.end, "J")]);
  if (typeof e.residual === "number") rows.push(["Not accounted for", formatWith(e.residual, "J"), "at most, at any time"]);
  else if (typeof e.drift === "number") rows.push(["Largest change", formatWith(e.drift, "J"), "dampers, motions and applied forces change it by their work"]);
  if (rows.length > 0) out.push(table(rows));
  if (typeof e.residual === "number") {
    const scale = Math.max(...[e.start, e.end, ...(e.ledger ?? []).map((l) => l.value)].map((x) => Math.abs(x ?? 0)));
    if (scale > 0) out.push(p(`What the motion gained or lost and what did the work agree to ${formatNumber(e.residual / scale, 2)} of the largest amount: an independent check of the solution.`));
  }
  return out;
}

const STATS: Record<string, string> = {
  steps: "accepted steps", rejected_error: "attempts rejected by the error test", rejected_newton: "attempts in which the corrector failed", rejected_callback: "… of these, a state was refused",
  rejected_singular: "… of these, a singular matrix", newton_iterations: "Newton iterations", residuals: "evaluations of the equations", jacobians: "evaluations of the derivatives", factorizations: "factorizations with new pivots",
  refactorizations: "factorizations with kept pivots", h_min: "smallest step [s]", h_max: "largest step [s]", wall_s: "seconds in the solver", events: "events", cut_steps: "fixed steps that had to be divided",
};

function stats(r: RunRecord): HTMLElement | null {
  const rows = Object.entries(r.stats ?? {}).filter(([, x]) => x !== null).map(([k, x]): [string, string] => [capital(STATS[k] ?? k.replaceAll("_", " ")), Number.isInteger(x) ? formatCount(x) : formatNumber(x)]);
  return rows.length > 0 ? table(rows) : null;
}

function modelWords(r: RunRecord): HTMLElement | null {
  const m = r.model_info;
  if (!m) return null;
  const dofCount = (m.coordinates ?? NaN) - (m.rows ?? NaN), dof = (m.coordinates ?? NaN) - (m.rank ?? NaN);
  const text = `${m.bodies} ${m.bodies === 1 ? "body" : "bodies"} with ${m.coordinates} coordinates and ${m.rows} constraint rows, of which ${m.rank} are independent: ${dof} ${dof === 1 ? "degree" : "degrees"} of freedom${dof !== dofCount ? ` (${dofCount} by count)` : ""}.`;
  return p(text);
}

function notes(list: Note[], result: Result, actions: NoteActions, explain: string | null): (Node | null)[] {
  if (list.length === 0) return [];
  const items = list.map((n) => {
    const item = h("li", {}, n.text);
    if (n.element) item.append(" ", h("button", { type: "button", class: "link", click: () => actions.select(n.element as string) }, n.element));
    if (n.line) item.append(" ", h("button", { type: "button", class: "link", click: () => actions.goToLine(n.line as number, result.index) }, `line ${n.line}`));
    if (typeof n.time === "number") item.append(h("span", { class: "dim" }, ` at ${formatNumber(n.time)} s`));
    return item;
  });
  return [h("ul", { class: "notes" }, ...items), explain ? h("p", { class: "dim" }, explain) : null];
}

function provenance(r: RunRecord): HTMLElement | null {
  const rows: [string, string][] = [];
  if (r.model?.file) rows.push(["Model file", r.model.file]);
  if (r.version) rows.push(["Flyball", r.version]);
  if (r.hash) rows.push(["Hash of the result", r.hash]);
  return rows.length > 0 ? table(rows) : null;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
