import { describe, expect, it } from "vitest";
import type { BodyData, Quaternion, SceneData } from "../src/data/format";
import { pointOf, Poses, rotate, slerp } from "../src/data/pose";
import { blockOf, Mechanism } from "../src/scene/mechanism";
import { sliderCrank } from "../sample/models";
import { resultOf } from "./helper";

const turned = (axis: number, angle: number): Quaternion => {
  const q: Quaternion = [Math.cos(angle / 2), 0, 0, 0];
  q[1 + axis] = Math.sin(angle / 2);
  return q;
};
const between = (a: Quaternion, b: Quaternion, u: number): number[] => {
  const out = new Float64Array(4);
  slerp(out, 0, a, b, u);
  return [...out];
};
const close = (a: ArrayLike<number>, b: ArrayLike<number>, digits = 12): void => {
  expect(a.length).toBe(b.length);
  for (let k = 0; k < a.length; k++) expect(a[k]).toBeCloseTo(b[k], digits);
};

describe("slerp", () => {
  it("turns at constant speed", () => {
    for (const u of [0, 0.25, 0.5, 1]) close(between(turned(2, 0.2), turned(2, 2.2), u), turned(2, 0.2 + 2 * u));
  });
  it("takes the short way, whatever the signs", () => {
    const a = turned(0, 0.3), b = turned(0, 1.1).map((x) => -x) as Quaternion;
    close(between(a, b, 0.5), turned(0, 0.7));
  });
  it("is as good for nearly equal orientations, and normalizes", () => {
    close(between(turned(1, 1), turned(1, 1 + 1e-5), 0.5), turned(1, 1 + 5e-6));
    const long = turned(1, 1).map((x) => 1.001 * x) as Quaternion;
    expect(Math.hypot(...between(long, long, 0.3))).toBeCloseTo(1, 14);
  });
});

describe("rotation of vectors", () => {
  it("is right-handed", () => {
    close(rotate(turned(2, Math.PI / 2), [1, 0, 0]), [0, 1, 0]);
    close(rotate(turned(0, Math.PI / 2), [0, 1, 0]), [0, 0, 1]);
    close(rotate(turned(1, Math.PI / 2), [0, 0, 1]), [1, 0, 0]);
  });
});

describe("poses", () => {
  const time = [0, 1, 2];
  it("of a planar body turn with the angle, which may count turns", () => {
    const body: BodyData = { name: "b", kind: "planar", position: [0, 0, 0.5] };
    const poses = new Poses(resultOf({ "b.x": [0, 2, 4], "b.y": [1, 1, 1], "b.angle": [0, 4 * Math.PI, 8 * Math.PI] }, time), [body]);
    const p = poses.at(0.125);
    close(p.subarray(0, 3), [0.25, 1, 0.5]);
    close(rotate(p, [1, 0, 0], 3), [0, 1, 0]);
  });
  it("of a rigid body go along the great circle; before and after the run they stay", () => {
    const e = time.map((t) => turned(0, t));
    const channels: Record<string, number[]> = { "b.x": [0, 1, 2], "b.y": [0, 0, 0], "b.z": [0, 0, 0] };
    for (let k = 0; k < 4; k++) channels[`b.e${k}`] = e.map((q) => q[k]);
    const poses = new Poses(resultOf(channels, time), [{ name: "b", kind: "rigid" }]);
    close(poses.at(1.5), [1.5, 0, 0, ...turned(0, 1.5)]);
    close(poses.at(-3), [0, 0, 0, 1, 0, 0, 0]);
    close(poses.at(7), [2, 0, 0, ...turned(0, 2)]);
  });
  it("of a body without channels are those of the start", () => {
    const poses = new Poses(resultOf({}, []), [{ name: "b", kind: "rigid", position: [1, 2, 3], quaternion: turned(2, 1) }]);
    close(poses.at(0), [1, 2, 3, ...turned(2, 1)]);
    expect(poses.moves).toBe(false);
  });
  it("are of the mass centre: points are measured from there", () => {
    const pose = Float64Array.from([10, 0, 0, ...turned(2, Math.PI / 2)]);
    close(pointOf(pose, 0, [1, 0, 0], [3, 0, 0]), [10, 2, 0]);
  });
});

describe("the mechanism", () => {
  const { head, data } = sliderCrank();
  const channels = Object.fromEntries(data.channels.map((c, k) => [c.name, data.values[k]]));
  const m = new Mechanism(resultOf(channels, data.time, head.scene), head.scene as SceneData);
  it("keeps joints closed at any time", () => {
    for (const t of [0, 0.0123456, 0.05, 0.0999]) {
      m.poses.at(t);
      for (const j of m.joints.filter((x) => x.type === "revolute")) {
        const p = m.pointOfEnd(j.a!), q = m.pointOfEnd(j.b!);
        close(p, q, 4);
      }
    }
  });
  it("knows the travel of a slide, the up of a planar model and what is driven", () => {
    const [low, high] = m.travel(m.joints.find((j) => j.name === "guide")!, 1000);
    expect(low).toBeCloseTo(-0.3, 4);
    expect(high).toBeCloseTo(0, 4);
    expect(m.up).toEqual([0, 1, 0]);
    expect(m.joints.filter((j) => j.driven).map((j) => j.name)).toEqual(["main"]);
  });
  it("has up against gravity", () => {
    const scene: SceneData = { bodies: [{ name: "b", kind: "rigid" }], gravity: [0, -9.81, 0] };
    const up = new Mechanism(resultOf({}, []), scene).up;
    close(up, [0, 1, 0]);
  });
});

describe("a body without shapes", () => {
  it("that is free is the block of its mass and inertia", () => {
    const a = 0.2, b = 0.3, c = 0.4, m = 5;
    const inertia = [(m * (b * b + c * c)) / 12, (m * (a * a + c * c)) / 12, (m * (a * a + b * b)) / 12];
    close(blockOf({ name: "b", kind: "rigid", mass: m, inertia }, 1)!, [a, b, c]);
    expect(blockOf({ name: "b", kind: "rigid", mass: m }, 1)).toBeNull();
    expect(blockOf({ name: "b", kind: "rigid", mass: 1e-6, inertia }, 1)).toBeNull();
  });
});
