// What is to be said about a run at first glance.
import type { RunRecord } from "../data/format";
import { formatNumber } from "../data/units";

export type Tone = "good" | "warn" | "bad" | "plain";

export interface Verdict {
  tone: Tone;
  short: string; // for the badge
  title: string;
  reasons: string[];
}

export function verdictOf(r: RunRecord): Verdict {
  const reached = r.time?.reached, end = r.time?.end;
  const where = typeof reached === "number" && typeof end === "number" ? ` It reached ${formatNumber(reached, 6)} s of ${formatNumber(end, 6)} s.` : "";
  const why = r.message ? [r.message] : [];
  switch (r.status) {
    case "none":
      return { tone: "plain", short: "Model, not run", title: "The assembled model at its start: nothing has been simulated.", reasons: [] };
    case "failed":
      return { tone: "bad", short: "Failed", title: `This run failed.${where} What is shown ends there.`, reasons: why };
    case "interrupted":
      return { tone: "bad", short: "Interrupted", title: `This run was interrupted.${where}`, reasons: why };
    case "running":
      return { tone: "warn", short: "Unfinished", title: `This run was not finished when its result was read.${where}`, reasons: why };
    case "ok": {
      const c = r.certificate;
      const reasons = uncertified(r);
      if (!c) return { tone: "warn", short: "No certificate", title: "This result has no certificate: how good it is, is not known.", reasons };
      if (c.certified === false || reasons.length > 0) return { tone: "warn", short: "Not certified", title: "This run came to its end, but is not certified.", reasons };
      return { tone: "good", short: "Certified", title: "This run did what was asked.", reasons: [] };
    }
    default:
      return { tone: "warn", short: "Unknown", title: `How this run ended is not known (status "${String(r.status)}").`, reasons: why };
  }
}

// Reasons given by the program, and those that the numbers give whatever the program says.
function uncertified(r: RunRecord): string[] {
  const c = r.certificate, reasons = [...(c?.reasons ?? [])];
  if (!c) return reasons;
  const { estimate, allowed } = c.error ?? {};
  if (typeof estimate === "number" && typeof allowed === "number" && estimate > allowed && !reasons.some((x) => /error|estimate/i.test(x)))
    reasons.push(`The estimates of the steps add up to ${formatNumber(estimate)}; ${formatNumber(allowed)} was allowed.`);
  if (c.certified === undefined && c.error === null) reasons.push("The step was fixed: its error was not controlled.");
  const { reached, end } = r.time ?? {};
  if (typeof reached === "number" && typeof end === "number" && end - reached > 1e-9 * Math.abs(end))
    reasons.push(`It ended at ${formatNumber(reached, 6)} s, before ${formatNumber(end, 6)} s.`);
  return reasons;
}
