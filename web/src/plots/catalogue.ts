// The channels of all results under the elements they belong to.
import type { Result } from "../data/result";

export interface Entry {
  name: string; // of the channel
  short: string; // without its element
  unit: string;
  description: string;
}

export interface Group {
  name: string; // element
  type: string; // "revolute joint"
  entries: Entry[];
}

export interface Section {
  title: string;
  groups: Group[];
  flat: boolean; // one group without a name of its own
}

export const SECTIONS = ["Outputs", "Bodies", "Joints", "Forces", "Energy", "Other"] as const;

export function catalogue(results: Result[]): Section[] {
  const kinds = new Map<string, { section: (typeof SECTIONS)[number]; type: string }>();
  for (const { scene } of results) {
    for (const b of scene?.bodies ?? []) kinds.set(b.name, { section: "Bodies", type: b.kind === "ground" ? "ground" : `${b.kind} body` });
    for (const j of scene?.joints ?? []) kinds.set(j.name, { section: "Joints", type: j.type });
    for (const m of scene?.motions ?? []) kinds.set(m.name, { section: "Joints", type: "motion" });
    for (const f of scene?.forces ?? []) kinds.set(f.name, { section: "Forces", type: f.type });
  }
  const sections = new Map<string, Map<string, Group>>(SECTIONS.map((s) => [s, new Map()]));
  const seen = new Set<string>();
  for (const { channels } of results)
    for (const c of channels) {
      if (seen.has(c.name)) continue;
      seen.add(c.name);
      const dot = c.name.lastIndexOf("."), element = dot > 0 ? c.name.slice(0, dot) : "";
      const kind = kinds.get(element);
      const section = element === "" ? "Outputs" : (kind?.section ?? (element === "energy" ? "Energy" : "Other"));
      const groups = sections.get(section) as Map<string, Group>;
      const key = section === "Outputs" || section === "Energy" ? "" : element;
      let group = groups.get(key);
      if (!group) groups.set(key, (group = { name: key, type: kind?.type ?? "", entries: [] }));
      group.entries.push({ name: c.name, short: section === "Outputs" ? c.name : c.name.slice(dot + 1), unit: c.unit, description: c.description });
    }
  return SECTIONS.map((title) => ({ title, groups: [...(sections.get(title) as Map<string, Group>).values()], flat: title === "Outputs" || title === "Energy" })).filter(
    (s) => s.groups.length > 0,
  );
}

// All words must be found, in any order, in the name, the unit, the type or the description.
export function matcher(query: string): (group: Group, entry: Entry) => boolean {
  const words = query.toLowerCase().split(/\s+/).filter((w) => w !== "");
  return (g, e) => {
    const text = `${e.name} ${e.unit} ${g.type} ${e.description}`.toLowerCase();
    return words.every((w) => text.includes(w));
  };
}

// What to plot before anybody asked: the outputs of the model; then the energies, or the first body's way.
export function firstPlots(sections: Section[]): string[][] {
  const of = (title: string): Entry[] => sections.find((s) => s.title === title)?.groups.flatMap((g) => g.entries) ?? [];
  const panels: string[][] = [];
  const outputs = of("Outputs");
  for (const unit of [...new Set(outputs.map((e) => e.unit))].slice(0, 2)) panels.push(outputs.filter((e) => e.unit === unit).slice(0, 4).map((e) => e.name));
  const bodies = sections.find((s) => s.title === "Bodies")?.groups ?? [];
  const last = bodies[bodies.length - 1];
  if (panels.length < 2 && last) panels.push(last.entries.filter((e) => /^[xyz]$/.test(e.short)).map((e) => e.name));
  const joints = sections.find((s) => s.title === "Joints")?.groups ?? [];
  const first = joints[0];
  if (panels.length < 2 && first) panels.push(first.entries.filter((e) => /^f[xyz]$/.test(e.short)).map((e) => e.name));
  const energy = of("Energy").filter((e) => e.unit === "J").slice(0, 5).map((e) => e.name);
  if (energy.length > 0) panels.push(energy);
  return panels.filter((p) => p.length > 0).slice(0, 3);
}
