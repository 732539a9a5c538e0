// What cannot be shown is told where it would be, and costs no more than its place.
import type { Result, Source } from "../data/result";
import { h, icon, ICONS } from "./dom";

const NAMES: Record<Source, string> = { record: "record.json", scene: "scene.json", story: "story.json", modes: "modes.json", errors: "errors.json", numbers: "the table of numbers" };
const MOST = 3;

const why = (e: unknown): string => (e instanceof Error ? e.message : String(e));

// A part of these results in which something is unfit; null: nothing is.
export function faultNote(results: Result[], sources: Source[]): HTMLElement | null {
  const lines = results.flatMap((r) => sources.flatMap((s) => (r.faults[s].length > 0 ? [sentence(r, s, results.length > 1)] : [])));
  return lines.length > 0 ? note(lines) : null;
}

function sentence(r: Result, s: Source, named: boolean): string {
  const all = r.faults[s], more = all.length - MOST;
  return `${named ? `${r.name}: ` : ""}${NAMES[s]} of this result is damaged: ${all.slice(0, MOST).join(" ")}${more > 0 ? ` And ${more} more.` : ""} What is unfit is left out.`;
}

const note = (lines: string[]): HTMLElement => h("div", { class: "fault", role: "alert" }, icon(ICONS.warning), h("div", {}, ...lines.map((x) => h("p", {}, x))));

// Fills a part of the page; if that fails, the part says so and the rest of the page stands.
export function guarded(host: HTMLElement, fill: () => void): void {
  try {
    fill();
  } catch (e) {
    host.append(note([`This part of the page cannot be shown: ${why(e)}`]));
  }
}
