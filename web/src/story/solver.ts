// What the solver did, over time: steps, rejections and why, iterations, residuals, energy.
import type { StoryData } from "../data/format";
import { datumOf, shifted } from "../data/datum";
import { decimate, type Points } from "../data/decimate";
import { type Channel, interpolate, type Result, type Series, toDoubles, valueOf } from "../data/result";
import { formatCount, formatNumber, formatWith, wordsOf } from "../data/units";
import { type Curve, type PlotOptions, TimePlot } from "../plots/timeplot";
import type { Player } from "../player";
import { h } from "../ui/dom";
import { faultNote, guarded } from "../ui/fault";
import type { Themes } from "../ui/theme";
import { stretchText } from "./stretch";

const REASONS = wordsOf({ error: "error test", newton: "corrector did not converge", callback: "state refused", singular: "singular matrix" });

type Numbers = (number | null)[] | undefined;

const BALANCE = "energy.balance";

// Accounts in which nothing ever happens are not shown.
function changes(c: Channel): boolean {
  const s = c.plotted;
  if (!s) return false;
  for (let k = 0; k < s.time.length; k++) if (valueOf(s.values, k) !== 0) return true;
  return false;
}

export class SolverPage {
  readonly host = h("div", { class: "solver" });
  private readonly plots: TimePlot[] = [];

  constructor(
    results: Result[],
    private readonly player: Player,
    private readonly themes: Themes,
  ) {
    const told = results.filter((r) => r.story && r.story.t.length > 0), damage = faultNote(results, ["story"]);
    if (damage) this.host.append(damage);
    if (told.length === 0 && !damage) this.host.append(h("p", { class: "nothing" }, results.every((r) => r.record.status === "none") ? "Nothing was simulated, so there is nothing to tell." : "This result holds no diary of its steps."));
    guarded(this.host, () => told.length > 0 && this.fill(told));
    guarded(this.host, () => this.energy(results));
    guarded(this.host, () => this.lists(told));
    themes.onChange((t) => this.plots.forEach((p) => p.setTheme(t)));
    player.onTime((t) => this.plots.forEach((p) => p.showTime(t)));
  }

  private fill(told: Result[]): void {
    for (const r of told) this.host.append(h("p", { class: "summary" }, told.length > 1 ? h("b", {}, `${r.name}: `) : "", summary(r)));
    const many = told.length > 1;
    const each = (make: (s: StoryData, k: number, name: string) => (Curve | null)[]): Curve[] =>
      told.flatMap((r, k) => make(r.story as StoryData, k, many ? ` (${r.name})` : "").filter((c): c is Curve => c !== null));
    this.add("Step size", "Small where the motion is hard to follow; each mark is a rejected attempt.", { log: true }, each((s, k, name) => {
      const perStep = (s.steps ?? []).every((n) => n === 1);
      const h1 = curve(s, s.h_max, `${perStep ? "step" : "largest step"}${name}`, "s", 2 * k, k), byMethod = methodCurves(told[k], name, k);
      if (byMethod.length > 0) return [...byMethod, ...rejectionMarks(s, name)];
      const h0 = perStep ? null : curve(s, s.h_min, `smallest step${name}`, "s", 2 * k + 1, k);
      return [h1, h0, ...rejectionMarks(s, name)];
    }));
    this.add("Rejected attempts", "By reason. More than one in ten is worth a look.", { floor: 0 }, each((s, k, name) =>
      Object.entries(s.rejected ?? {}).map(([reason, n], i) => (n.some((x) => (x ?? 0) > 0) ? { ...(curve(s, n, `${REASONS[reason] ?? reason}${name}`, "", i, k) as Curve), kind: "steps" as const } : null))));
    this.add("Error estimate over what is allowed", "The step control aims below 1; a step above is rejected.", { log: true, level: { value: 1, label: "allowed" } }, each((s, k, name) => [curve(s, s.ratio, `ratio${name}`, "", k, k)]));
    this.add("Newton iterations per step", "Two or three are usual.", { floor: 0 }, each((s, k, name) => [curve(s, s.newton?.map((n, i) => (n === null ? null : n / Math.max(1, s.steps?.[i] ?? 1))), `iterations${name}`, "", k, k)]));
    this.add("Constraint residuals", "Positions and velocities are asked for; accelerations show how good the reactions are.", { log: true }, each((s, k, name) => [
      curve(s, s.position, `positions [m, rad]${name}`, "", 0, k), curve(s, s.velocity, `velocities [m/s, rad/s]${name}`, "", 1, k), curve(s, s.acceleration, `accelerations [m/s², rad/s²]${name}`, "", 2, k),
    ]));
  }

  private energy(results: Result[]): void {
    const curves = results.flatMap((r, k) =>
      r.channels.filter((c) => /^(energy|work)\./.test(c.name) && c.name !== BALANCE && c.unit === "J" && changes(c)).map((c, i): Curve => {
        const datum = datumOf(results, c.name), series = shifted(c.plotted as Series, datum);
        const x: Curve = { label: `${c.name.replace(".", ": ").replaceAll("_", " ")}${datum ? `, ${datum.text}` : ""}${results.length > 1 ? ` (${r.name})` : ""}`, unit: "J", color: i, points: (f, t, n) => decimate(series, f, t, n), at: (t) => interpolate(series, t) };
        if (k > 0) x.dash = [6, 4];
        return x;
      }),
    );
    this.add("Energy ledger", "Energy of the model, and the work done on it by what is outside.", {}, curves);
    const balance = results.flatMap((r, k) => {
      const c = r.byName.get(BALANCE), series = c?.plotted;
      if (!c || !series) return [];
      const size: Series = { ...series, values: toDoubles(series.values, series.time.length).map(Math.abs) };
      const x: Curve = { label: `|not accounted for|${results.length > 1 ? ` (${r.name})` : ""}`, unit: "J", color: 0, points: (f, t, n) => decimate(size, f, t, n), at: (t) => interpolate(size, t) };
      if (k > 0) x.dash = [6, 4];
      return [x];
    });
    this.add("What the ledger does not explain", "An independent check: nothing in the method makes it small.", { log: true }, balance);
  }

  private add(title: string, text: string, options: PlotOptions, curves: Curve[]): void {
    if (curves.length === 0) return;
    const plot = new TimePlot(this.player, this.themes.current, options, "story");
    plot.onRange = (from, to) => this.plots.forEach((p) => p.setRange(from, to));
    this.plots.push(plot);
    const legend = h("div", { class: "legend" });
    const paint = (): void => {
      legend.replaceChildren(...curves.map((c) => {
        const key = h("span", { class: c.kind === "points" ? "key dot" : c.dash ? "key dashed" : "key" });
        key.style.setProperty("--color", plot.color(c));
        return h("span", { class: "legend-item" }, key, c.label);
      }));
    };
    paint();
    this.themes.onChange(() => queueMicrotask(paint));
    this.host.append(h("section", { class: "panel story", "aria-label": `${title}: ${curves.map((c) => c.label).join(", ")}, over time` }, h("h3", {}, title), h("p", { class: "dim" }, text), legend, plot.host));
    plot.setCurves(curves);
  }

  private lists(told: Result[]): void {
    const go = (t: number): HTMLElement => h("button", { type: "button", class: "link", title: "Go to this time", click: () => this.player.seek(t) }, `${formatNumber(t, 6)} s`);
    for (const r of told) {
      const s = r.story as StoryData, name = told.length > 1 ? ` of ${r.name}` : "";
      if (r.record.methods.length > 0)
        this.host.append(h("section", { class: "panel list" }, h("h3", {}, `Methods${name}`), h("ol", {}, ...r.record.methods.map((m) => h("li", {}, go(m.from), stretchText(m))))));
      const events = s.events ?? [], rejections = s.rejections ?? [];
      if (events.length > 0)
        this.host.append(h("section", { class: "panel list" }, h("h3", {}, `Events${name}`), h("ol", {}, ...events.slice(0, 200).map((e) => h("li", {}, go(e.t), " ", e.name ?? "", e.text ? `: ${e.text}` : "")))));
      if (rejections.length > 0)
        this.host.append(
          h("section", { class: "panel list" }, h("h3", {}, `Rejected attempts${name}`), h("table", { class: "facts" }, h("thead", {}, h("tr", {}, ...["time", "step", "reason"].map((x) => h("th", { scope: "col" }, x)))), h("tbody", {}, ...rejections.slice(0, 200).map((x) => h("tr", {}, h("td", {}, go(x.t)), h("td", {}, formatWith(x.h, "s")), h("td", {}, x.text ?? REASONS[x.reason] ?? x.reason))))), rejections.length > 200 ? h("p", { class: "dim" }, `and ${rejections.length - 200} more`) : ""),
        );
    }
  }

  get count(): number {
    return this.plots.length;
  }
}

function summary(r: Result): string {
  const s = r.story as StoryData, total = (n: Numbers): number => (n ?? []).reduce<number>((a, b) => a + (b ?? 0), 0);
  const steps = r.record.stats.steps ?? total(s.steps ?? s.t.map(() => 1));
  const rejected = Object.entries(s.rejected ?? {}).map(([k, n]) => [k, total(n)] as const).filter(([, n]) => n > 0);
  const all = rejected.reduce((a, [, n]) => a + n, 0);
  const h0 = r.record.stats.h_min, h1 = r.record.stats.h_max;
  const bucket = s.steps && steps > s.t.length ? ` Each point below stands for ${formatNumber(steps / s.t.length, 2)} steps on average; extremes are kept.` : "";
  return `${formatCount(steps)} steps${h0 && h1 ? ` between ${formatWith(h0, "s", 2)} and ${formatWith(h1, "s", 2)}` : ""}, ${all === 0 ? "none rejected" : `${formatCount(all)} attempts rejected (${rejected.map(([k, n]) => `${formatCount(n)} ${REASONS[k] ?? k}`).join(", ")})`}.${bucket}`;
}

function curve(s: StoryData, values: Numbers, label: string, unit: string, color: number, result: number): Curve | null {
  if (!values || !values.some((x) => x !== null && x !== 0)) return null;
  const series: Series = { time: Float64Array.from(s.t), values: Float64Array.from(values, (x) => x ?? NaN), kind: "samples", sourceRows: s.t.length };
  const c: Curve = { label, unit, color, points: (f, t, n) => decimate(series, f, t, n), at: (t) => interpolate(series, t) };
  if (result > 0) c.dash = [6, 4];
  return c;
}

// Method auto: the steps of each method in a colour of its own.
function methodCurves(r: Result, name: string, result: number): Curve[] {
  const s = r.story as StoryData, parts = r.record.methods, h1 = s.h_max;
  if (parts.length === 0 || !h1) return [];
  const of = (method: string): Numbers => h1.map((x, i) => (parts.some((m) => m.method === method && s.t[i] > m.from && s.t[i] <= m.to) ? x : null));
  return [...new Set(parts.map((m) => m.method))].flatMap((method, i) => curve(s, of(method), `step of ${method}${name}`, "s", i, result) ?? []);
}

function rejectionMarks(s: StoryData, name: string): Curve[] {
  const tones = wordsOf<"bad" | "warn">({ error: "warn" });
  const list = s.rejections ?? Object.entries(s.rejected ?? {}).flatMap(([reason, n]) => n.flatMap((x, k) => ((x ?? 0) > 0 ? [{ t: s.t[k], h: s.h_min?.[k] ?? null, reason }] : [])));
  return [...new Set(list.map((x) => x.reason))].map((reason): Curve => {
    const at = list.filter((x) => x.reason === reason && x.h !== null).sort((a, b) => a.t - b.t);
    const points = (from: number, to: number): Points => {
      const seen = at.filter((x) => x.t >= from && x.t <= to);
      return { x: seen.map((x) => x.t), y: seen.map((x) => x.h) };
    };
    return { label: `rejected: ${REASONS[reason] ?? reason}${name}`, unit: "s", color: 4, tone: tones[reason] ?? "bad", kind: "points", points, at: () => NaN };
  });
}
