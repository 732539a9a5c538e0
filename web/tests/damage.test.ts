// One value of an attachment is lost or wrong: the page loses that, says so, and nothing else.
import { describe, expect, it } from "vitest";
import type { Head, ResultHead } from "../src/data/format";
import { decodePage, type Result, type Source } from "../src/data/result";
import { catalogue, firstPlots } from "../src/plots/catalogue";
import { Mechanism } from "../src/scene/mechanism";
import { verdictOf } from "../src/story/verdict";
import { type Block, encodeBlock, headOf } from "../sample/encode";
import { damaged, FEW, type Path, paths, pathsByType, unlike, valueAt, VALUES } from "../sample/damage";
import { meshBlock, RECORD, sliderCrank, withTables, zoo } from "../sample/models";

const blocks: Block[] = [meshBlock()];
const crank = withTables(blocks, sliderCrank(0, 6), "exact"), all = { ...zoo().head, tables: [] };

const ERRORS = { errors: 1, time: [0, 0.05, 0.1], channels: [{ name: "stroke", unit: "m", largest: [0, 1e-6, null] }, { name: "rod.x", unit: "m", largest: [0, 1e-7, 2e-7] }] };
const SHAPE = Array.from({ length: 12 }, (_, k) => 0.1 * k);
const MODES = { bodies: ["rod"], modes: [{ number: 1, kind: "oscillating", real: -0.1, imag: 12, frequency: 1.9, damping: 0.01, share: [1], shape: SHAPE }, { number: 2, kind: "decaying", real: -1, imag: 0, frequency: 0, damping: null, share: [1], shape: SHAPE }] };
const WHOLE = {
  ...RECORD,
  verdict: { state: "kept", sentence: "Right." },
  open: [{ joint: "main", length: 0.1, angle: 0.2 }],
  equilibrium: { poise: "stable" },
  error: { asked: 1e-5, setting: 1e-6, growth: 2, doubling: 1, error: 1e-6, believable_until: null, note: "so", channels: [{ name: "stroke", unit: "m", end: 1e-6, largest: 1e-6 }] },
  redundancy: ["`guide, z` follows from `main, z`"], warnings: ["a"],
};
const STORY = { t: [0.05, 0.1], steps: [1, 1], h_min: [1e-3, 1e-3], newton: [2, null], rejected: { error: [0, 1] }, ratio: [0.5, 0.6], events: [{ t: 0.05, name: "turn", text: "half" }], rejections: [{ t: 0.05, h: 1e-3, reason: "error", text: "too large" }] };
const HEAD: ResultHead = { ...crank, record: WHOLE, story: STORY, errors: ERRORS, modes: null };

const encoded = blocks.map((b) => ({ text: encodeBlock(b), codec: b.codec, filter: b.filter }));
const decode = async (r: ResultHead): Promise<Result> => (await decodePage(headOf([r]) as Head, structuredClone(encoded))).results[0];

// All of the page that does not need a browser.
function use(r: Result): void {
  const sections = catalogue([r]);
  firstPlots(sections, [r]);
  expect(typeof verdictOf(r.record, r.modes?.modes.length).short).toBe("string");
  if (!r.scene) return;
  const m = new Mechanism(r, r.scene);
  expect([...m.box.low, ...m.box.high, m.size, m.symbol].every(Number.isFinite)).toBe(true);
  for (const t of [r.start, (r.start + r.end) / 2, r.end, 0.3]) m.poses.at(t);
  for (const e of m.elements) m.place(e);
}

const what = (r: Result): string => JSON.stringify([r.record, r.scene, r.story, r.modes, r.channels.map((c) => c.error && [...c.error.time, ...(c.error.values as Float64Array)])], (k, v: unknown) => (k === "damaged" ? undefined : v));

// Facts of elements and options of a run may be called and be anything.
const free = (path: Path): boolean => path[0] === "options" || path.includes("data");

const CASES: [Source, string, ResultHead][] = [
  ["record", "record", HEAD], ["scene", "scene", HEAD], ["scene", "scene of everything", all], ["story", "story", HEAD], ["errors", "errors", HEAD], ["modes", "modes", { ...HEAD, modes: MODES } as ResultHead],
];

describe.each(CASES)("%s", (source, _name, head) => {
  const attached = head[source as "record"];
  it("is whole to begin with", async () => {
    const r = await decode(head);
    expect(Object.values(r.faults).flat()).toEqual([]);
    use(r);
  });
  it("may lose or change any one value: the rest is there", { timeout: 60000 }, async () => {
    for (const path of head === all ? pathsByType(attached) : paths(attached))
      for (const value of head === all ? FEW : VALUES) {
        const r = await decode({ ...head, [source]: damaged(attached, path, value) });
        expect(r.channels.length, path.join(".")).toBe(head.channels.length);
        for (const [other, faults] of Object.entries(r.faults)) if (other !== source) expect(faults, path.join(".")).toEqual([]);
        expect(() => use(r), `${path.join(".")} = ${String(JSON.stringify(value))}`).not.toThrow();
      }
  });
  it("says so, whenever a value of a wrong type makes a difference", { timeout: 60000 }, async () => {
    const good = what(await decode(head));
    for (const path of paths(attached).filter((p) => !free(p))) {
      const r = await decode({ ...head, [source]: damaged(attached, path, unlike(valueAt(attached, path))) });
      if (what(r) !== good) expect(r.faults[source].join(" "), path.join(".")).not.toBe("");
    }
  });
});

describe("numbers", () => {
  it("that are not all there, or are told wrongly, cost their channels", { timeout: 60000 }, async () => {
    const told = { channels: crank.channels.slice(0, 3), tables: crank.tables, name: "x", notes: ["so"] };
    for (const path of paths(told))
      for (const value of VALUES) {
        const r = await decode({ ...crank, ...(damaged(told, path, value) as object) } as ResultHead);
        expect(() => use(r), `${path.join(".")} = ${String(JSON.stringify(value))}`).not.toThrow();
        expect(r.record.status).toBe("ok");
      }
  });
});

describe("a damaged record", () => {
  it("is never a good one", async () => {
    const r = await decode({ ...HEAD, record: { ...WHOLE, verdict: { state: "wrogn" } } });
    expect(verdictOf(r.record).tone).toBe("warn");
    expect(r.faults.record).toEqual(['`verdict.state` is "wrogn", not one of none, kept, controlled, uncontrolled, wrong.']);
  });
});
