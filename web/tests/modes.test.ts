import { describe, expect, it } from "vitest";
import type { BodyData, ModeData, ModesData } from "../src/data/format";
import { modeLine, modeText, Swing, turnBy } from "../src/data/modes";
import { rotate } from "../src/data/pose";
import { readWishes } from "../src/ui/hash";

const mode = (more: Partial<ModeData>): ModeData => ({ number: 1, kind: "oscillating", real: -0.5, imag: 12, frequency: 1.90986, damping: 0.0416, share: [0.2, 0.8], shape: new Array(24).fill(0) as number[], ...more });
const bodies: BodyData[] = [{ name: "ground", kind: "ground" }, { name: "b", kind: "rigid" }, { name: "a", kind: "rigid" }];

describe("the motion of a mode", () => {
  // body a moves along x, body b a quarter of a swing later along y and about z
  const shape = new Array(24).fill(0) as number[];
  shape[0] = 2;
  shape[12 + 3] = -1;
  shape[12 + 11] = -0.5;
  const data: ModesData = { bodies: ["a", "b"], modes: [mode({ kind: "rigid-body", number: 1 }), mode({ number: 2, shape })] };
  const start = (): Float64Array => Float64Array.from([0, 0, 0, 1, 0, 0, 0, 5, 6, 7, 1, 0, 0, 0, 1, 2, 3, 1, 0, 0, 0]);
  const swing = new Swing(data, bodies);
  swing.amplitude = 0.1;

  it("begins with the first that is held", () => {
    expect(swing.mode).toBe(1);
  });
  it("is the real part of shape times exp(i phase), on top of where bodies stand", () => {
    const at = (phase: number): Float64Array => {
      const poses = start();
      swing.apply(phase, poses);
      return poses;
    };
    expect([...at(0).subarray(14, 17)]).toEqual([1.2, 2, 3]); // a: it is the third body here
    expect(at(0)[8]).toBeCloseTo(6, 14);
    const quarter = at(0.25);
    expect(quarter[14]).toBeCloseTo(1, 14);
    expect(quarter[8]).toBeCloseTo(6.1, 14); // b goes up a quarter of a swing after a went right
    expect(quarter[13]).toBeCloseTo(Math.sin(0.05 / 2), 14); // and turns about +z
    expect([...at(0.4).subarray(0, 7)]).toEqual([...start().subarray(0, 7)]); // ground stands
  });
  it("turns about axes of space", () => {
    const q = Float64Array.from([Math.SQRT1_2, Math.SQRT1_2, 0, 0]); // a quarter turn about x
    turnBy(q, 0, [0, 0, Math.PI / 2]);
    const v = rotate(q, [0, 1, 0]); // y -> z -> z
    expect(v[0]).toBeCloseTo(0, 14);
    expect(v[2]).toBeCloseTo(1, 14);
    const w = rotate(q, [1, 0, 0]); // x -> x -> y
    expect(w[1]).toBeCloseTo(1, 14);
  });
});

describe("words about modes", () => {
  it("say what it is", () => {
    expect(modeLine(mode({ number: 3 }))).toBe("3 · 1.9099 Hz · oscillating");
    expect(modeLine(mode({ kind: "unstable", imag: 0, real: 5.28834 }))).toBe("1 · 5.288 1/s · unstable");
    expect(modeLine(mode({ kind: "rigid-body", imag: 0, real: 0 }))).toBe("1 · 0 Hz · rigid-body");
    expect(modeText(mode({}), ["crank", "rod"])).toBe("damping ratio 0.0416; falls by e in 2 s; rod 80 %, crank 20 %");
    expect(modeText(mode({ kind: "unstable", imag: 0, real: 4, share: [1, 0] }), ["crank", "rod"])).toBe("grows by e in 0.25 s; crank 100 %");
  });
  it("can be asked for in the address", () => {
    expect(readWishes("#mode=3&amplitude=0.2")).toMatchObject({ mode: 3, amplitude: 0.2 });
    expect(readWishes("#t=1").mode).toBeNull();
  });
});
