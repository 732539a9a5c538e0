// What is to be said about a run at first glance.
import type { Judgement, RunRecord } from "../data/format";
import { gapText } from "../data/gap";
import { formatNumber } from "../data/units";

export type Tone = "good" | "warn" | "bad" | "plain";

export interface Verdict {
  tone: Tone;
  short: string; // for the badge
  title: string;
  reasons: string[];
}

// modes: how many of them the result has.
export function verdictOf(r: RunRecord, modes = 0): Verdict {
  const where = r.reached !== null && r.end !== null ? ` It reached ${formatNumber(r.reached, 6)} s of ${formatNumber(r.end, 6)} s.` : "";
  const why = r.message ? [r.message] : [];
  switch (r.status) {
    case "none":
      if (modes > 0) return { tone: "plain", short: `${modes} ${modes === 1 ? "mode" : "modes"}`, title: "Small motions about this state, each at its own frequency.", reasons: [] };
      if (r.poise) return { tone: r.poise === "stable" ? "good" : "warn", short: r.poise === "unknown" ? "Equilibrium" : `Equilibrium, ${r.poise}`, title: "Where the model rests: forces and reactions balance.", reasons: [] };
      return { tone: "plain", short: "Model, not run", title: "The assembled model at its start: nothing has been simulated.", reasons: [] };
    case "failed":
      if (r.open.length > 0) return notAssembled(r);
      if (complete(r)) return { tone: "bad", short: "Something is wrong", title: `This run came to its end, but not as asked (${r.statusWord}).`, reasons: r.verdict?.sentence ? [r.verdict.sentence] : why };
      return { tone: "bad", short: "Failed", title: `This run failed (${r.statusWord}).${where} What is shown ends there.`, reasons: why };
    case "stopped":
      return { tone: "bad", short: "Interrupted", title: `This run was interrupted.${where}`, reasons: why };
    case "running":
      return { tone: "bad", short: "Unfinished", title: `This run was killed, or still running when its result was read.${where}`, reasons: why };
    case "unknown":
      return { tone: "warn", short: "Not certified", title: "How this run ended, and how good it is, is not known.", reasons: why };
    case "ok": {
      if (!r.certificate) return { tone: "warn", short: "Not certified", title: "This result has no certificate: how good it is, is not known.", reasons: [] };
      const v = r.verdict ?? ownVerdict(r), reasons = doubts(r), state = isReserved(r, v) ? "reserved" : v.state, [tone, short] = BADGES[state];
      return { tone: tone === "good" && reasons.length > 0 ? "warn" : tone, short, title: TITLES[state], reasons: [...(v.sentence ? [v.sentence] : []), ...reasons] };
    }
  }
}

function notAssembled(r: RunRecord): Verdict {
  const [worst] = r.open, picture = "The picture shows the model where everything fits as well as it can; joints that stay open are red, with what is left open.";
  return { tone: "bad", short: "Cannot be assembled", title: `This model cannot be put together: ${worst.joint} stays ${gapText(worst)}.`, reasons: [...(r.message ? [r.message] : []), picture] };
}

// The program estimated the error, and says in its sentence why it does not call it kept all the same.
const isReserved = (r: RunRecord, v: Judgement): boolean => v.state === "controlled" && (r.globalError?.error ?? null) !== null;

const BADGES: Record<Judgement["state"] | "reserved", [Tone, string]> = {
  kept: ["good", "Accurate as asked"],
  controlled: ["good", "Error controlled"],
  reserved: ["warn", "With reservations"],
  uncontrolled: ["warn", "Accuracy unknown"],
  wrong: ["bad", "Something is wrong"],
};

const TITLES: Record<Judgement["state"] | "reserved", string> = {
  kept: "Error controlled and kept: this run is as accurate as was asked.",
  controlled: "Error controlled, not estimated: the steps did what was asked; how far off the whole run is, was not looked at.",
  reserved: "Error controlled and estimated, with reservations: the estimate is below, and what it leaves open.",
  uncontrolled: "Error not controlled: this run came to its end, but nothing tells how accurate it is.",
  wrong: "This run came to its end, but not as asked.",
};

const complete = (r: RunRecord): boolean => r.reached !== null && r.end !== null && r.end - r.reached <= 1e-9 * Math.abs(r.end);

// Of a result whose program did not judge it.
function ownVerdict(r: RunRecord): Judgement {
  const estimate = r.certificate?.estimate ?? null;
  if (r.step !== null) return { state: "uncontrolled", sentence: "The step was fixed: nothing controlled the error." };
  if (r.errorPer === "step") return { state: "uncontrolled", sentence: "The error was controlled step by step: nothing is promised for the end." };
  if (r.error !== null && estimate !== null && estimate > r.error)
    return { state: "wrong", sentence: `The estimates of the steps add up to ${formatNumber(estimate)}; ${formatNumber(r.error)} was allowed.` };
  return { state: "controlled", sentence: "" };
}

// From the numbers, whatever the status says.
function doubts(r: RunRecord): string[] {
  const reasons: string[] = r.damaged ? ["Part of the record of this run cannot be read; the certificate says which."] : [], some = (key: string): number => r.stats[key] ?? 0;
  if (some("cut_steps") > 0) reasons.push(`${some("cut_steps")} fixed steps had to be divided.`);
  if (some("round_off_steps") > 0) reasons.push(`Round-off hides the error of ${some("round_off_steps")} steps.`);
  if (some("singular_steps") > 0) reasons.push(`Singular positions were passed: round-off hides the error of ${some("singular_steps")} steps.`);
  if (r.reached !== null && r.end !== null && !complete(r)) reasons.push(`It ended at ${formatNumber(r.reached, 6)} s, before ${formatNumber(r.end, 6)} s.`);
  return reasons;
}
