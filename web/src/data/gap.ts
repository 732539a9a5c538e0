// What is left open of a joint that cannot be closed, in words.
import type { OpenJoint } from "./format";
import { formatNumber } from "./units";

const DEGREES = 180 / Math.PI;
const NEGLIGIBLE = 1e-9;

export function gapText(o: OpenJoint): string {
  const parts: string[] = [], length = o.length ?? 0, angle = o.angle ?? 0;
  if (length > NEGLIGIBLE) parts.push(`open by ${length < 1 ? `${formatNumber(1000 * length, 3)} mm` : `${formatNumber(length, 3)} m`}`);
  if (angle > NEGLIGIBLE) parts.push(`turned by ${formatNumber(DEGREES * angle, 3)}°`);
  return parts.length > 0 ? parts.join(" and ") : "open";
}
