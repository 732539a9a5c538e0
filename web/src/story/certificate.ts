// The certificate in plain words, with redundancy, warnings and what the run cost.
import type { GlobalError, RunRecord } from "../data/format";
import type { Result } from "../data/result";
import { formatCount, formatNumber, formatWith, wordsOf } from "../data/units";
import { h, icon, ICONS } from "../ui/dom";
import { faultNote, guarded } from "../ui/fault";
import { verdictOf } from "./verdict";

export interface NoteActions {
  select(element: string): void;
  seek(t: number): void;
  goToLine(line: number, result: number, file: string | null): void;
}

export function certificatePage(results: Result[], actions: NoteActions): HTMLElement {
  return h("div", { class: "certificates" }, ...results.map((r) => certificate(r, results.length > 1, actions)));
}

function certificate(result: Result, named: boolean, actions: NoteActions): HTMLElement {
  const r = result.record, v = verdictOf(r, result.modes?.modes.length);
  const badge = v.tone === "good" ? ICONS.check : v.tone === "plain" ? ICONS.eye : v.tone === "bad" ? ICONS.cross : ICONS.warning;
  const article = h(
    "article",
    { class: "certificate" },
    named && h("p", { class: "dim result-name" }, result.name),
    h("div", { class: `verdict ${v.tone}` }, icon(badge), h("div", {}, h("h2", {}, v.title), ...v.reasons.map((x) => h("p", {}, x)))),
    faultNote([result], ["record", "errors"]),
  );
  guarded(article, () => article.append(...sections(result, actions)));
  return article;
}

function sections(result: Result, actions: NoteActions): Node[] {
  const r = result.record, out: Node[] = [];
  const section = (title: string, ...content: (Node | null)[]): void => {
    const real = content.filter((c): c is Node => c !== null);
    if (real.length > 0) out.push(h("section", {}, h("h3", {}, title), ...real));
  };
  section("What was asked", asked(r));
  if (r.status !== "none") {
    section("How accurate it is", ...accuracy(r));
    section("Energy", ...energy(r));
    section("Hottest contacts", hottest(result, actions));
    section("What it took", stats(r));
  }
  section("The model", modelWords(r));
  section("Redundant constraints", notes(r.redundancy, result, actions), r.redundancy.length > 0 ? h("p", { class: "dim" }, "These rows were taken out; the motion is not affected. How the joints share the load, a rigid model cannot tell: their reactions are not unique.") : null);
  section("Warnings", notes(r.warnings, result, actions));
  section("About this page", notes(result.notes, result, actions));
  section("Provenance", provenance(r));
  return out;
}

const p = (text: string): HTMLElement => h("p", {}, text);

function table(rows: [string, string, string?][]): HTMLElement {
  return h("table", { class: "facts" }, h("tbody", {}, ...rows.map(([a, b, c]) => h("tr", {}, h("th", { scope: "row" }, a), h("td", { class: "number" }, b), h("td", { class: "dim" }, c ?? "")))));
}

const chips = (facts: [string, unknown][]): HTMLElement | null =>
  facts.length === 0 ? null : h("p", { class: "options" }, ...facts.map(([k, value]) => h("span", { class: "chip plain" }, `${k.replaceAll("_", " ")}: ${typeof value === "number" ? formatNumber(value) : String(value)}`)));

// Analyses that do not integrate.
const ANALYSES = wordsOf({ kinematics: "Kinematics", inverse: "Inverse dynamics" });

function asked(r: RunRecord): HTMLElement | null {
  const words: string[] = [];
  if (r.end !== null && r.status !== "none") words.push(`${ANALYSES[String(r.options.analysis)] ?? "Simulate"} to ${formatNumber(r.end)} s`);
  if (r.error !== null) words.push(`with an error of ${r.errorPer === "step" ? "each step" : "the run"} of at most ${formatNumber(r.error)} (radians, sizes of the model)`);
  else if (r.step !== null) words.push(`in fixed steps of ${formatWith(r.step, "s")}, without control of the error`);
  const set = r.set.length > 0 ? p(`With ${r.set.join(", ")}.`) : null;
  const options = chips(Object.entries(r.options));
  if (words.length === 0 && !options) return null;
  return h("div", {}, words.length > 0 ? p(`${words.join(" ")}.`) : "", set, options);
}

function accuracy(r: RunRecord): HTMLElement[] {
  const c = r.certificate;
  if (!c) return [p("No certificate was written with this result.")];
  const out: HTMLElement[] = [];
  if (ANALYSES[String(r.options.analysis)]) out.push(p("Every point was solved for, to rounding. Nothing was integrated, so there is no error of steps to estimate."));
  else if (r.globalError && r.globalError.error !== null) out.push(...globalError(r.globalError));
  else if (r.error !== null && c.estimate !== null && r.errorPer === "step") out.push(p(`Each step was to err by at most ${formatNumber(r.error)}. The estimates of all steps add up to ${formatNumber(c.estimate)}.`));
  else if (r.error !== null && c.estimate !== null) {
    const part = c.estimate / r.error;
    out.push(p(`The error estimates of all steps add up to ${formatNumber(c.estimate)}; ${formatNumber(r.error)} was allowed. ${part <= 1 ? "The tolerance was kept." : "The tolerance was not kept."} It is an estimate, not a bound.`), meter(part));
  } else out.push(p("The step was fixed: nothing estimated or controlled the error."));
  const rows: [string, string, string?][] = [];
  const row = (name: string, x: number | null, unit: string, text: string): void => {
    if (x !== null) rows.push([name, `${formatNumber(x, 3)} ${unit}`, text]);
  };
  row("Positions", c.position, "m, rad", "largest gap in a joint");
  row("Velocities", c.velocity, "m/s, rad/s", "largest speed at which a joint comes apart");
  row("Accelerations", c.acceleration, "m/s², rad/s²", "not asked for: shows how good accelerations and reactions are");
  if (rows.length > 0) out.push(p("The constraints, over all accepted steps, are violated by at most:"), table(rows));
  const moved = [c.startPosition ?? 0, c.startVelocity ?? 0];
  out.push(p(moved.every((x) => x < 1e-12) ? "The start fitted the joints as it was given." : `To fit the joints, the start was moved by ${formatNumber(moved[0], 2)} in positions and ${formatNumber(moved[1], 2)} in velocities.`));
  return out;
}

const MOST = 12; // channels in the table of errors

function globalError(g: GlobalError): HTMLElement[] {
  const error = g.error ?? 0;
  const words = [`Compared with runs at looser tolerances, the error of the whole run is about ${formatNumber(error, 2)}${g.asked === null ? "" : `; ${formatNumber(g.asked)} was asked for`}. It is an estimate, not a bound.`];
  if (g.setting !== null && g.asked !== null && g.setting !== g.asked) words.push(`For that, steps were held to ${formatNumber(g.setting, 2)}.`);
  if (g.growth !== null && g.growth > 1.5) words.push(`Errors grow ${formatNumber(g.growth, 2)}-fold over the run.`);
  if (g.doubling !== null) words.push(`They double every ${formatNumber(g.doubling, 2)} s.`);
  if (g.believable !== null) words.push(`The motion can be believed until ${formatNumber(g.believable, 4)} s.`);
  if (g.note !== null) words.push(g.note);
  const shown = worstErrors(g).map((c): [string, string, string?] => [c.name, `± ${formatWith(c.largest, c.unit, 2)}`, c.end === null ? "" : `± ${formatWith(c.end, c.unit, 2)} at the end`]);
  const rest = g.channels.filter((c) => (c.largest ?? 0) > 0).length - shown.length;
  return [
    p(words.join(" ")),
    ...(g.asked !== null ? [meter(error / g.asked)] : []),
    ...(shown.length > 0 ? [table(shown)] : []),
    ...(rest > 0 ? [h("p", { class: "dim" }, `And ${rest} more channels: plots show the band about each.`)] : []),
  ];
}

// Outputs of the model, then the worst two of each unit.
function worstErrors(g: GlobalError): GlobalError["channels"] {
  const known = g.channels.filter((c) => (c.largest ?? 0) > 0).sort((a, b) => (b.largest ?? 0) - (a.largest ?? 0));
  const outputs = known.filter((c) => !c.name.includes(".")), count = new Map<string, number>();
  const worst = known.filter((c) => {
    if (!c.name.includes(".") || c.unit === "") return false;
    count.set(c.unit, (count.get(c.unit) ?? 0) + 1);
    return (count.get(c.unit) ?? 0) <= 2;
  });
  return [...outputs, ...worst].slice(0, MOST);
}

function meter(part: number): HTMLElement {
  const bar = h("div", { class: part <= 1 ? "meter" : "meter over", role: "img", "aria-label": `${formatNumber(100 * part, 3)} % of the tolerance used` }, h("span", {}));
  (bar.firstElementChild as HTMLElement).style.width = `${Math.min(100, 100 * part)}%`;
  return h("div", { class: "meter-row" }, bar, h("span", { class: "dim" }, `${formatNumber(100 * part, 3)} % of the tolerance used`));
}

const WORK = wordsOf({ forces: "Work of applied forces", motions: "Work of motions", damping: "Work of dampers" });

function energy(r: RunRecord): HTMLElement[] {
  const e = r.certificate?.energy;
  if (!e) return [];
  const rows: [string, string, string?][] = [];
  if (e.start !== null) rows.push(["At the start", formatWith(e.start, "J", 6), "moving and in springs; gravity counts from here"]);
  for (const { name, value } of e.work) if (value !== null && value !== 0) rows.push([WORK[name] ?? capital(name), formatWith(value, "J", 6), value < 0 ? "taken out" : "put in"]);
  if (e.end !== null) rows.push(["At the end", formatWith(e.end, "J", 6)]);
  if (e.worst !== null) rows.push(["Not accounted for", formatWith(e.worst, "J", 2), "at most, at any time"]);
  const out = rows.length > 0 ? [table(rows)] : [];
  if (e.worst !== null && e.moved !== null && e.moved > 0) out.push(p(`What the energy gained or lost and the work that was done agree to ${formatNumber(e.worst / e.moved, 2)} of the energy that changed hands (${formatWith(e.moved, "J", 3)}): a check that the integrator does not enforce.`));
  return out;
}

const STATS = wordsOf({
  steps: "accepted steps", rejected_error: "attempts rejected by the error test", rejected_newton: "attempts in which the corrector failed", rejected_callback: "… of these, a state was refused",
  rejected_singular: "… of these, a singular matrix", newton_iterations: "Newton iterations", residuals: "evaluations of the equations", jacobians: "evaluations of the derivatives", factorizations: "factorizations with new pivots",
  refactorizations: "factorizations with kept pivots", solves: "linear solves", h_min: "smallest step [s]", h_max: "largest step [s]", wall_s: "seconds in the solver",
});
const ALWAYS = new Set(["steps", "rejected_error", "rejected_newton", "newton_iterations"]);

function stats(r: RunRecord): HTMLElement | null {
  const rows = Object.entries(r.stats).filter(([k, x]) => x !== null && (x !== 0 || ALWAYS.has(k))).map(([k, x]): [string, string] => [capital(STATS[k] ?? k.replaceAll("_", " ")), Number.isInteger(x) ? formatCount(x) : formatNumber(x)]);
  return rows.length > 0 ? table(rows) : null;
}

// Contacts that lost most: how much, the largest force and when, and how deep.
function hottest(result: Result, actions: NoteActions): HTMLElement | null {
  const { hottest: list } = result.record;
  if (list.length === 0) return null;
  const lines = new Map((result.scene?.contacts ?? []).map((c) => [c.name, c]));
  const when = (t: number | null): Node | string => (t === null ? "" : h("button", { type: "button", class: "link", title: "Go to this time", click: () => actions.seek(t) }, formatWith(t, "s")));
  const called = (contact: string): Node[] => {
    const { line, file } = lines.get(contact) ?? {};
    return [document.createTextNode(contact), ...(line ? [document.createTextNode(" "), h("button", { type: "button", class: "link", "aria-label": `Line ${line} of the model`, click: () => actions.goToLine(line, result.index, file ?? null) }, `(line ${line})`)] : [])];
  };
  return h(
    "table",
    { class: "facts hottest" },
    h("thead", {}, h("tr", {}, ...["contact", "heat", "largest force", "at", "deepest"].map((x) => h("th", { scope: "col" }, x)))),
    h("tbody", {}, ...list.map((c) => h("tr", {}, h("th", { scope: "row" }, ...called(c.contact)), ...[formatWith(c.heat, "J"), formatWith(c.largest, "N")].map((x) => h("td", { class: "number" }, x)), h("td", { class: "number" }, when(c.when)), h("td", { class: "number" }, formatWith(c.deepest, "m"))))),
  );
}

function modelWords(r: RunRecord): HTMLElement | null {
  const { bodies, coordinates, rows, rank } = r.system;
  if (bodies == null || coordinates == null || rows == null || rank == null) return null;
  const count = coordinates - rows, dof = coordinates - rank;
  const text = `${bodies} ${bodies === 1 ? "body" : "bodies"} with ${coordinates} coordinates and ${rows} constraint rows, of which ${rank} are independent: ${dof} ${dof === 1 ? "degree" : "degrees"} of freedom${dof !== count ? ` (${count} by count)` : ""}.`;
  return h("div", {}, r.about ? p(r.about) : null, p(text), chips(Object.entries(r.parameters)));
}

// Names in `backticks` that are elements become links to them, with the line of the file.
function notes(list: string[], result: Result, actions: NoteActions): HTMLElement | null {
  if (list.length === 0) return null;
  const lines = new Map<string, { line: number | null; file: string | null }>();
  for (const e of [...(result.scene?.bodies ?? []), ...(result.scene?.joints ?? []), ...(result.scene?.forces ?? []), ...(result.scene?.motions ?? [])]) lines.set(e.name, { line: e.line ?? null, file: e.file ?? null });
  const item = (text: string): HTMLElement => {
    const out = h("li", {}), told = new Set<string>();
    text.split(/`([^`]+)`/).forEach((part, k) => {
      const element = part.split(",")[0].trim();
      if (k % 2 === 0 || !lines.has(element)) return out.append(k % 2 === 1 ? `“${part}”` : part);
      out.append(h("button", { type: "button", class: "link", click: () => actions.select(element) }, part));
      const { line, file } = lines.get(element) ?? { line: null, file: null };
      if (line && !told.has(element)) out.append(" ", h("button", { type: "button", class: "link", "aria-label": `Line ${line} of the model`, click: () => actions.goToLine(line, result.index, file) }, `(line ${line})`));
      told.add(element);
    });
    return out;
  };
  return h("ul", { class: "notes" }, ...list.map(item));
}

function provenance(r: RunRecord): HTMLElement | null {
  const rows: [string, string][] = [];
  if (r.files.length > 0) rows.push([r.files.length > 1 ? "Model files" : "Model file", r.files.map((f) => f.name).join(", ")]);
  if (r.program) rows.push(["Program", r.program]);
  if (r.hash) rows.push(["Hash of the result", r.hash]);
  return rows.length > 0 ? table(rows) : null;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
