// Where the time of a run went, by phases: of runs with --profile.
import type { RunRecord } from "../data/format";
import type { Result } from "../data/result";
import { formatCount, formatNumber, wordsOf } from "../data/units";
import { h } from "../ui/dom";
import { guarded } from "../ui/fault";

const PHASES = wordsOf({
  kinematics: "masses, constraints, their Jacobians and rates", residual: "forces, states, outputs", jacobian: "their derivatives", scatter: "the matrix of a step, filled",
  factor: "its factorization", solve: "solutions with it", control: "prediction, error tests, choice of steps, events, the ledger", output: "rows, written",
  files: "libraries loaded, files created, completed, packed",
});

// The largest first.
function phasesOf(r: RunRecord): [string, number][] {
  return Object.entries(r.profile).filter((e): e is [string, number] => e[1] !== null && e[1] >= 0).sort((a, b) => b[1] - a[1]);
}

export const hasProfile = (results: Result[]): boolean => results.some((r) => phasesOf(r.record).some(([, x]) => x > 0));

export function profilePage(results: Result[]): HTMLElement {
  const host = h("div", { class: "certificates" });
  for (const r of results) guarded(host, () => host.append(profile(r, results.length > 1)));
  return host;
}

function profile(result: Result, named: boolean): HTMLElement {
  const r = result.record, phases = phasesOf(r), all = phases.reduce((sum, [, x]) => sum + x, 0);
  return h(
    "article",
    { class: "certificate profile" },
    named && h("p", { class: "dim result-name" }, result.name),
    h("h2", {}, "Where the time went"),
    h("p", {}, all > 0 ? `${formatNumber(all, 3)} s of the clock in all, pilot runs included, without what looking at the clock took. On a machine that does other things too, read shares, not seconds.` : "This run was not asked for its profile."),
    h("table", { class: "facts" }, h("tbody", {}, ...phases.map(([name, x]) => row(name, x, all, r.entries[name] ?? null)))),
  );
}

function row(name: string, seconds: number, all: number, entries: number | null): HTMLElement {
  const share = all > 0 ? (100 * seconds) / all : 0, bar = h("span", { class: "share-bar" });
  bar.style.width = `${share.toFixed(1)}%`;
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, name.charAt(0).toUpperCase() + name.slice(1)),
    h("td", { class: "number" }, `${formatNumber(seconds, 3)} s`),
    h("td", { class: "number" }, `${share.toFixed(1)} %`),
    h("td", { class: "share" }, bar),
    h("td", { class: "number" }, entries === null ? "–" : `${formatCount(entries)} times`),
    h("td", { class: "dim" }, PHASES[name] ?? ""),
  );
}
