// A stretch of a run that one method integrated, in words behind its start.
import type { MethodStretch } from "../data/format";
import { formatCount, formatNumber } from "../data/units";

export function stretchText(m: MethodStretch): string {
  return ` to ${formatNumber(m.to, 6)} s, ${m.method}${m.steps === null ? "" : `, ${formatCount(m.steps)} steps`}${m.why ? `: ${m.why}` : ""}`;
}
