// The channels of all results under the elements they belong to.
import { type Result, valueOf } from "../data/result";

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

export const SECTIONS = ["Outputs", "States", "Bodies", "Joints", "Forces and motors", "Contacts", "Energy", "Other"] as const;

export function catalogue(results: Result[]): Section[] {
  const kinds = new Map<string, { section: (typeof SECTIONS)[number]; type: string }>();
  for (const { scene } of results) {
    for (const b of scene?.bodies ?? []) kinds.set(b.name, { section: "Bodies", type: b.kind === "ground" ? "ground" : `${b.kind} body` });
    for (const j of scene?.joints ?? []) kinds.set(j.name, { section: "Joints", type: j.type });
    for (const m of scene?.motions ?? []) kinds.set(m.name, { section: "Forces and motors", type: "motion" });
    for (const c of scene?.contacts ?? []) kinds.set(c.name, { section: "Contacts", type: c.bodies.join(", ") });
    for (const f of scene?.forces ?? []) kinds.set(f.name, { section: "Forces and motors", type: f.type });
  }
  const sections = new Map<string, Map<string, Group>>(SECTIONS.map((s) => [s, new Map()]));
  const seen = new Set<string>();
  const names = new Set(results.flatMap((r) => r.channels.map((c) => c.name)));
  const isState = (name: string): boolean => names.has(`${name}.rate`) && names.has(name) && !kinds.has(name);
  for (const { channels } of results)
    for (const c of channels) {
      if (seen.has(c.name)) continue;
      seen.add(c.name);
      const dot = c.name.lastIndexOf("."), element = dot > 0 ? c.name.slice(0, dot) : "";
      const kind = kinds.get(element);
      const state = isState(element === "" ? c.name : element);
      const section = state ? "States" : element === "" ? "Outputs" : (kind?.section ?? (element === "energy" || element === "work" ? "Energy" : "Other"));
      const groups = sections.get(section) as Map<string, Group>;
      const key = section === "Outputs" || section === "States" || section === "Energy" ? "" : element;
      let group = groups.get(key);
      if (!group) groups.set(key, (group = { name: key, type: kind?.type ?? "", entries: [] }));
      group.entries.push({ name: c.name, short: section === "Outputs" || section === "States" || element === "work" ? c.name : c.name.slice(dot + 1), unit: c.unit, description: c.description });
    }
  return SECTIONS.map((title) => ({ title, groups: [...(sections.get(title) as Map<string, Group>).values()], flat: title === "Outputs" || title === "States" || title === "Energy" })).filter(
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

// What to plot before anybody asked: the outputs of the model, what springs and motors do, the way of a body, reactions, energies;
// nothing that stands still, and nothing twice.
export function firstPlots(sections: Section[], results: Result[]): string[][] {
  const of = (title: string): Group[] => sections.find((s) => s.title === title)?.groups ?? [];
  const moving = (entries: Entry[], most: number): string[] => entries.map((e) => e.name).filter((n) => changes(results, n)).slice(0, most);
  const panels: string[][] = [];
  const outputs = of("Outputs").flatMap((g) => g.entries);
  for (const group of alike(outputs, results).slice(0, 2)) panels.push(moving(group, 4));
  const firstOf = (groups: Group[], pattern: RegExp): string[] => groups.map((g) => moving(g.entries.filter((e) => pattern.test(e.short)), 3)).find((p) => p.length > 0) ?? [];
  const forces = of("Forces and motors").flatMap((g) => g.entries.filter((e) => /^(force|torque|f[xyz])$/.test(e.short)));
  panels.push(moving(largest(forces.filter((e) => e.unit === forces.find((f) => changes(results, f.name))?.unit), results), 4));
  const shown = (): string[] => panels.flat();
  const ways = of("Bodies").map((g) => ({ ...g, entries: g.entries.filter((e) => !shown().some((n) => alwaysEqual(results, n, e.name))) }));
  const some = (): number => panels.filter((p) => p.length > 0).length;
  if (some() < 2) panels.push(firstOf(ways.reverse(), /^[xyz]$/));
  if (some() < 2) panels.push(firstOf(of("Joints"), /^f[xyz]$/));
  panels.push(moving(of("Energy").flatMap((g) => g.entries).filter((e) => /^energy\.(?!balance)/.test(e.name)), 4));
  return panels.filter((p) => p.length > 0).slice(0, 4);
}

// What can share a scale: channels of one unit; without a unit, those that are of one size.
function alike(entries: Entry[], results: Result[]): Entry[][] {
  const groups = new Map<string, Entry[]>();
  for (const e of entries) {
    const size = e.unit === "" ? Math.max(...results.map((r) => Math.max(...rangeOf(r, e.name).map(Math.abs)))) : 0;
    const key = `${e.unit} ${size > 0 && Number.isFinite(size) ? Math.floor(Math.log10(size)) : ""}`;
    groups.set(key, [...(groups.get(key) ?? []), e]);
  }
  return [...groups.values()];
}

// Without those that would be lines at zero beside the others.
function largest(entries: Entry[], results: Result[]): Entry[] {
  const size = (e: Entry): number => Math.max(...results.map((r) => Math.max(...rangeOf(r, e.name).map(Math.abs)))), most = Math.max(...entries.map(size));
  return entries.filter((e) => size(e) >= 0.1 * most);
}

function rangeOf(r: Result, name: string): [number, number] {
  const s = r.byName.get(name)?.plotted;
  let low = Infinity, high = -Infinity;
  for (let k = 0; s && k < s.time.length; k++) {
    const x = valueOf(s.values, k);
    low = Math.min(low, Number.isNaN(x) ? Infinity : x);
    high = Math.max(high, Number.isNaN(x) ? -Infinity : x);
  }
  return low <= high ? [low, high] : [0, 0];
}

function alwaysEqual(results: Result[], a: string, b: string): boolean {
  return results.every((r) => {
    const x = r.byName.get(a)?.plotted, y = r.byName.get(b)?.plotted;
    if (!x || !y || x.time !== y.time) return false;
    const [low, high] = rangeOf(r, a), off = 1e-6 * (high - low);
    return x.time.every((_, k) => Math.abs(valueOf(x.values, k) - valueOf(y.values, k)) <= off);
  });
}

// Beyond round-off.
function changes(results: Result[], name: string): boolean {
  return results.some((r) => {
    const [low, high] = rangeOf(r, name);
    return high - low > 1e-9 * Math.max(Math.abs(low), Math.abs(high), 0.01);
  });
}
