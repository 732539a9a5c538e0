import { describe, expect, it } from "vitest";
import { formatCount, formatNumber, formatTime, formatWith, niceBelow, prettyUnit } from "../src/data/units";
import { datumOf, shifted } from "../src/data/datum";
import { gapText } from "../src/data/gap";
import { catalogue, firstPlots, matcher } from "../src/plots/catalogue";
import { decades, linearRange, ticks } from "../src/plots/timeplot";
import { Player, pleasantSpeed, speedText } from "../src/player";
import { stretchText } from "../src/story/stretch";
import { verdictOf } from "../src/story/verdict";
import { readRecord } from "../src/data/record";
import { readWishes } from "../src/ui/hash";
import { WebmWriter } from "../src/ui/webm";
import { RECORD, sliderCrank } from "../sample/models";
import { resultOf } from "./helper";

describe("numbers and units", () => {
  it("are written as people write them", () => {
    expect([0, 1, -2.5, 1234.5678, 0.00123456, 12345678, 1e-7, -1e-7, 2.5e-9, NaN, null].map((x) => formatNumber(x))).toEqual(
      ["0", "1", "−2.5", "1235", "0.001235", "1.235·10⁷", "10⁻⁷", "−10⁻⁷", "2.5·10⁻⁹", "–", "–"]);
    expect(formatWith(3, "kg m^2")).toBe("3 kg·m²");
    expect(["N m s/rad", "m/s^2", "rad", "", "m^-1"].map(prettyUnit)).toEqual(["N·m·s/rad", "m/s²", "rad", "", "m⁻¹"]);
    expect(formatCount(1234567)).toBe("1\u2009234\u2009567");
  });
  it("show times to a thousandth of the run", () => {
    expect([formatTime(0.05, 0.1), formatTime(5, 10), formatTime(500, 1000)]).toEqual(["0.0500", "5.00", "500"]);
  });
  it("round down to 1, 2 or 5", () => {
    expect([0.7, 1, 4.9, 5, 99, 0.002].map(niceBelow)).toEqual([0.5, 1, 2, 5, 50, 0.002]);
  });
  it("have ticks that can be told apart", () => {
    expect(ticks([0, 0.25, 0.5])).toEqual(["0", "0.25", "0.50"]);
    expect(ticks([0, 2e-7, 4e-7])).toEqual(["0", "2e−7", "4e−7"]);
    expect(ticks([-100000, 0, 100000])).toEqual(["−1e5", "0", "1e5"]);
    expect(decades([1e-3, 2e-3, 1e-2, 5e-2, 0.1])).toEqual([1e-3, null, 1e-2, null, 0.1]);
    expect(decades(Array.from({ length: 18 }, (_, k) => 10 ** (k - 17))).filter((x) => x !== null).length).toBeLessThanOrEqual(7);
  });
  it("do not blow up round-off on a constant", () => {
    const [low, high] = linearRange(1, 1 + 1e-13);
    expect(high - low).toBeGreaterThan(0.1);
    expect(linearRange(0, 0)).toEqual([-1, 1]);
    expect(linearRange(null, null)).toEqual([0, 1]);
  });
});

describe("the tree of channels", () => {
  const { head, data } = sliderCrank(0, 11);
  const result = resultOf(Object.fromEntries(data.channels.map((c, k) => [c.name, data.values[k]])), data.time, head.scene);
  const sections = catalogue([result, result]);
  it("puts channels under their elements, each once", () => {
    expect(sections.map((s) => s.title)).toEqual(["Outputs", "Bodies", "Joints", "Energy"]);
    expect(sections[1].groups.map((g) => g.name)).toEqual(["crank", "rod", "slider"]);
    expect(sections[2].groups.find((g) => g.name === "guide")?.type).toBe("translational");
    expect(sections.flatMap((s) => s.groups.flatMap((g) => g.entries)).length).toBe(data.channels.length);
  });
  it("finds all words in any order", () => {
    const fits = matcher("fx revolute");
    const found = sections.flatMap((s) => s.groups.flatMap((g) => g.entries.filter((e) => fits(g, e)).map((e) => e.name)));
    expect(found).toEqual(["main.fx", "crank_pin.fx", "slider_pin.fx"]);
  });
  it("has springs, bushings and motors in a section, and plots what they do", () => {
    const time = [0, 1, 2], zero = [0, 0, 0];
    const scene = { bodies: [{ name: "b", kind: "rigid" as const }], motions: [{ name: "motor", joint: "axle" }], forces: [{ name: "spring", type: "spring" }, { name: "mount", type: "bushing" }] };
    const r = resultOf({ way: [1, 2, 3], "b.x": [1, 2, 3], "b.y": [0, 1, 0], "spring.length": [1, 2, 1], "spring.force": [0, 10, 0], "mount.fx": [0, 1, 2], "mount.fz": [0, 0, 0.01], "mount.fy": zero, "motor.torque": zero, "energy.kinetic": [0, 1, 0] }, time, scene);
    const tree = catalogue([r]);
    expect(tree.find((s) => s.title === "Forces and motors")?.groups.map((g) => [g.name, g.type])).toEqual([["spring", "spring"], ["mount", "bushing"], ["motor", "motion"]]);
    expect(firstPlots(tree, [r])).toEqual([["way"], ["spring.force", "mount.fx"], ["energy.kinetic"]]);
  });
  it("has states with their rates in a section", () => {
    const r = resultOf({ u: [1, 2, 3], i: [1, 2, 3], "i.rate": [0, 1, 0], "b.x": [0, 1, 0] }, [0, 1, 2], { bodies: [{ name: "b", kind: "rigid" }] });
    const tree = catalogue([r]);
    expect(tree.map((s) => s.title)).toEqual(["Outputs", "States", "Bodies"]);
    expect(tree[1].groups.flatMap((g) => g.entries.map((e) => e.short))).toEqual(["i", "i.rate"]);
  });
  it("plots no body's way that an output shows already", () => {
    const r = resultOf({ way: [1, 2, 3], "b.x": [1, 2, 3], "b.y": [0, 1, 0] }, [0, 1, 2], { bodies: [{ name: "b", kind: "rigid" }] });
    expect(firstPlots(catalogue([r]), [r])).toEqual([["way"], ["b.y"]]);
  });
  it("plots outputs first", () => {
    expect(firstPlots(sections, [result])[0]).toEqual(["stroke"]);
  });
});

describe("the player", () => {
  const player = (): Player => new Player(0, 2, Float64Array.from([0, 0.5, 1, 1.5, 2]));
  it("goes by the speed and loops", () => {
    const p = player();
    p.speed = 2;
    p.play(true);
    p.tick(0.1);
    expect(p.time).toBeCloseTo(0.2);
    p.seek(1.9);
    p.tick(0.1);
    expect(p.time).toBeCloseTo(0.1);
    p.loop = false;
    p.seek(1.9);
    p.tick(0.1);
    expect([p.time, p.playing]).toEqual([2, false]);
    p.play(true); // again from the start
    expect([p.time, p.playing]).toEqual([0, true]);
  });
  it("steps from row to row, also from between them", () => {
    const p = player(), after = (t: number, by: number): number => {
      p.seek(t);
      p.step(by);
      return p.time;
    };
    expect([after(0.5, 1), after(0.5, -1), after(0.7, 1), after(0.7, -1), after(2, 1), after(0, -1)]).toEqual([1, 0, 1, 0.5, 2, 0]);
  });
  it("chooses a speed at which there is something to see", () => {
    expect([pleasantSpeed(0.1), pleasantSpeed(10), pleasantSpeed(800), pleasantSpeed(0)]).toEqual([0.01, 1, 100, 1]);
    expect([speedText(0.01), speedText(1), speedText(5)]).toEqual(["100× slower", "real time", "5× faster"]);
  });
});

describe("the record", () => {
  it("is read in the terms of the page", () => {
    const r = readRecord(RECORD);
    expect(r).toMatchObject({ status: "ok", reached: 0.1, end: 0.1, error: 1e-7, modelName: "slider crank", hash: "9f0c2a51d7e8b364" });
    expect(r.files.map((f) => f.name)).toEqual(["slider-crank.yaml"]);
    expect(r.options).toMatchObject({ method: "ch", alpha_m: 0.125, formulation: "ggl" });
    expect(r.certificate?.energy).toEqual({ start: 43.43, end: 48.2, work: [{ name: "forces", value: 0 }, { name: "motions", value: 4.77 }, { name: "damping", value: 0 }], worst: 2.1e-7, moved: 53.5 });
  });
  it("counts gravity's energy from the start", () => {
    const r = readRecord({ ...RECORD, ledger: { ...RECORD.ledger, start: { kinetic: 1, gravity: 100, springs: 2, total: 103 }, end: { kinetic: 5, gravity: 95, springs: 3, total: 103 } } });
    expect(r.certificate?.energy).toMatchObject({ start: 3, end: 3 });
  });
  it("may be anything without costing the page", () => {
    for (const raw of [null, 7, "x", [], {}, { model: 3, options: "no", redundancy: { a: 1 }, certificate: [] }, { status: null, model: { files: [1, null] } }]) {
      const r = readRecord(raw);
      expect(r.status).toBe("unknown");
      expect(verdictOf(r).tone).toBe("warn");
    }
  });
});

describe("gravity's energy", () => {
  const r = resultOf({ "energy.kinetic": [0, 2, 4], "energy.gravity": [100, 98, 96], "energy.total": [100, 100, 100] }, [0, 1, 2]);
  const shown = (name: string): number[] => {
    const s = shifted(r.byName.get(name)!.plotted!, datumOf([r], name));
    return [...(s.values as Float64Array)];
  };
  it("is counted from the start, alone and in the total, and nothing else is touched", () => {
    expect(shown("energy.gravity")).toEqual([0, -2, -4]);
    expect(shown("energy.total")).toEqual([0, 0, 0]);
    expect(shown("energy.kinetic")).toEqual([0, 2, 4]);
    expect(r.byName.get("energy.gravity")!.at(0)).toBe(100); // as in the file
    expect(datumOf([r], "energy.gravity")?.text).toBe("0 at start");
  });
  it("has one zero where results are compared", () => {
    const other = resultOf({ "energy.gravity": [90, 80, 70] }, [0, 1, 2]);
    expect(datumOf([r, other], "energy.gravity")?.shift).toBe(100);
    expect(datumOf([other, r], "energy.gravity")?.shift).toBe(90);
  });
});

describe("a joint that cannot be closed", () => {
  it("is told in millimetres or degrees", () => {
    expect(gapText({ joint: "j", length: 0.0764, angle: null })).toBe("open by 76.4 mm");
    expect(gapText({ joint: "j", length: 2.5, angle: 0 })).toBe("open by 2.5 m");
    expect(gapText({ joint: "j", length: 0, angle: Math.PI / 6 })).toBe("turned by 30°");
    expect(gapText({ joint: "j", length: 0.001, angle: Math.PI })).toBe("open by 1 mm and turned by 180°");
  });
  it("is the first thing said", () => {
    const v = verdictOf(readRecord({ status: "inconsistent start", message: "pin cannot be closed", open: [{ joint: "pin", length: 0.02, angle: 0 }] }));
    expect(v).toMatchObject({ tone: "bad", short: "Cannot be assembled", title: "This model cannot be put together: pin stays open by 20 mm." });
  });
});

describe("the verdict", () => {
  const of = (change: object): ReturnType<typeof verdictOf> => verdictOf(readRecord({ ...RECORD, ...change }));
  it("is good only for a run that is finished and certified", () => {
    expect(of({}).tone).toBe("good");
    expect(of({ status: "step too small", message: "lock", t: 0.05 })).toMatchObject({ tone: "bad", short: "Failed", reasons: ["lock"] });
    expect(of({ status: "stopped" }).short).toBe("Interrupted");
    expect(of({ status: "running" }).tone).toBe("bad");
    expect(of({ certificate: undefined }).tone).toBe("warn");
    expect(of({ status: "none" }).tone).toBe("plain");
    expect(verdictOf(readRecord({ ...RECORD, status: "none" }), 6).short).toBe("6 modes");
    expect(of({ status: "none", equilibrium: { poise: "stable" } })).toMatchObject({ tone: "good", short: "Equilibrium, stable" });
    expect(of({ status: "none", equilibrium: { poise: "unstable" } })).toMatchObject({ tone: "warn", short: "Equilibrium, unstable" });
  });
  it("looks at the numbers whatever the status says", () => {
    expect(of({ certificate: { ...RECORD.certificate, estimate: 2e-7 } })).toMatchObject({ tone: "bad", short: "Something is wrong" });
    expect(of({ options: { ...RECORD.options, step: 1e-3, error: null, error_per: null } })).toMatchObject({ tone: "warn", short: "Accuracy unknown", reasons: ["The step was fixed: nothing controlled the error."] });
    expect(of({ options: { ...RECORD.options, error_per: "step" } }).tone).toBe("warn");
    expect(of({ t: 0.05 }).tone).toBe("warn");
    expect(of({ stats: { ...RECORD.stats, round_off_steps: 3 } }).tone).toBe("warn");
    expect(of({ stats: { ...RECORD.stats, singular_steps: 3 } }).tone).toBe("warn");
  });
  it("says that an error was estimated where it has reservations", () => {
    const doubted = { verdict: { state: "controlled", sentence: "But no length is larger." } };
    expect(of({ ...doubted, error: { error: 0.1 } })).toMatchObject({ tone: "warn", short: "With reservations", reasons: ["But no length is larger."] });
    expect(of({ ...doubted, error: { error: 0.1 } }).title).toContain("controlled and estimated, with reservations");
    expect(of({ ...doubted, error: { error: null } }).title).toContain("not estimated");
  });
  it("says what the program says", () => {
    expect(of({ verdict: { state: "kept", sentence: "Right to 3e-6." } })).toMatchObject({ tone: "good", short: "Accurate as asked", reasons: ["Right to 3e-6."] });
    expect(of({ verdict: { state: "controlled" } })).toMatchObject({ tone: "good", short: "Error controlled" });
    expect(of({ verdict: { state: "uncontrolled", sentence: "Fixed steps." } })).toMatchObject({ tone: "warn", short: "Accuracy unknown" });
    expect(of({ verdict: { state: "wrong", sentence: "No." } })).toMatchObject({ tone: "bad", short: "Something is wrong", reasons: ["No."] });
    expect(of({ status: "error not kept", message: "round-off" })).toMatchObject({ tone: "bad", short: "Something is wrong", reasons: ["round-off"] });
    expect(of({ verdict: { state: 7 } }).tone).toBe("warn"); // damaged
  });
});

it("a stretch of a method says where it ends", () => {
  const [m] = readRecord({ ...RECORD, methods: [{ method: "radau", from: 0, to: 1.25, steps: 120, why: "stiff" }] }).methods;
  expect(stretchText(m)).toBe(" to 1.25 s, radau, 120 steps: stiff");
  expect(stretchText({ ...m, steps: null, why: "" })).toBe(" to 1.25 s, radau");
});

describe("wishes in the address", () => {
  it("are read", () => {
    expect(readWishes("#t=0.3&view=iso&bare&show=names,reactions&plot=a.x,a.y|b%20c&size=641x480&seconds=4")).toMatchObject(
      { time: 0.3, view: "iso", bare: true, show: ["names", "reactions"], plots: [["a.x", "a.y"], ["b c"]], size: [642, 480], seconds: 4, fps: 30 });
    expect(readWishes("")).toMatchObject({ time: null, bare: false, plots: [], record: null });
    expect(readWishes("#t=x&plot=%zz")).toMatchObject({ time: null, plots: [["%zz"]] });
  });
});

describe("a film", () => {
  it("is a WebM file whose sizes add up", () => {
    const w = new WebmWriter(640, 480, "vp9");
    w.add(Uint8Array.from([1, 2, 3]), 0, true);
    w.add(Uint8Array.from([4]), 33, false);
    w.add(Uint8Array.from([5]), 66, true);
    const bytes = w.finish(100);
    // id and size of elements, one after the other
    const children = (from: number, to: number): { id: string; from: number; to: number }[] => {
      const out = [];
      for (let at = from; at < to; ) {
        const n = Math.clz32(bytes[at]) - 23, id = Buffer.from(bytes.subarray(at, at + n)).toString("hex");
        const size = Number(Buffer.from(bytes.subarray(at + n + 1, at + n + 8)).readUIntBE(1, 6));
        expect(bytes[at + n]).toBe(1);
        out.push({ id, from: at + n + 8, to: at + n + 8 + size });
        at += n + 8 + size;
        expect(at).toBeLessThanOrEqual(to);
      }
      return out;
    };
    const [header, segment] = children(0, bytes.length);
    expect([header.id, segment.id]).toEqual(["1a45dfa3", "18538067"]);
    const inside = children(segment.from, segment.to);
    expect(inside.map((e) => e.id)).toEqual(["1549a966", "1654ae6b", "1f43b675", "1f43b675"]);
    expect(children(inside[2].from, inside[2].to).map((e) => e.id)).toEqual(["e7", "a3", "a3"]);
  });
});
