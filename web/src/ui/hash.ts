// What stands behind # in the address: how a page is driven from the command line and by tests.

export interface Wishes {
  time: number | null;
  view: string | null;
  theme: string | null;
  tab: string | null;
  bare: boolean;
  still: boolean; // the page is looked at once: it is ready when all of it is drawn
  show: string[];
  plots: string[][];
  record: string | null;
  size: [number, number];
  fps: number;
  seconds: number | null;
  mode: number | null; // its number, from 1
  amplitude: number | null;
}

export function readWishes(hash: string): Wishes {
  const given = new Map<string, string>();
  for (const part of hash.replace(/^#/, "").split("&")) {
    const equals = part.indexOf("=");
    if (part !== "") given.set(equals < 0 ? part : part.slice(0, equals), equals < 0 ? "" : safely(part.slice(equals + 1)));
  }
  const number = (name: string): number | null => {
    const x = Number.parseFloat(given.get(name) ?? "");
    return Number.isFinite(x) ? x : null;
  };
  const size = /^(\d+)x(\d+)$/.exec(given.get("size") ?? "");
  return {
    time: number("t"),
    view: given.get("view") ?? null,
    theme: given.get("theme") ?? null,
    tab: given.get("tab") ?? null,
    bare: given.has("bare") || given.has("record"),
    still: given.has("still"),
    show: (given.get("show") ?? "").split(",").filter((s) => s !== ""),
    plots: (given.get("plot") ?? "").split("|").map((p) => p.split(",").filter((s) => s !== "")).filter((p) => p.length > 0),
    record: given.get("record") ?? null,
    size: size ? [even(size[1]), even(size[2])] : [1280, 720],
    fps: Math.min(120, Math.max(1, number("fps") ?? 30)),
    seconds: number("seconds"),
    mode: number("mode"),
    amplitude: number("amplitude"),
  };
}

// Video codecs take even sizes only.
const even = (text: string): number => Math.min(4096, Math.max(16, 2 * Math.round(Number(text) / 2)));

function safely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
