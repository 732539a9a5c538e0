import { describe, expect, it } from "vitest";
import type { SceneData } from "../src/data/format";
import { readRecord } from "../src/data/record";
import { readScene } from "../src/data/scene";
import { Contacts, touchingTime } from "../src/scene/contacts";
import { Mechanism } from "../src/scene/mechanism";
import { Parts } from "../src/scene/parts";
import { largeOf } from "../src/scene/arrow";
import { catalogue } from "../src/plots/catalogue";
import { hasProfile } from "../src/story/profile";
import { resultOf } from "./helper";

const scene: SceneData = {
  bodies: [{ name: "ground", kind: "ground" }, { name: "ball", kind: "point", position: [0, 0, 0] }],
  contacts: ["a", "b"].map((name) => ({ name, bodies: ["ground", "ball"] })),
};
const zero = [0, 0, 0, 0];
// a touches in rows 1 and 2, b in row 2 and 3
const channels = (name: string, normal: number[]): Record<string, number[]> => ({
  [`${name}.normal`]: normal,
  [`${name}.px`]: [5, 1, 1, 7], [`${name}.py`]: zero, [`${name}.pz`]: zero,
  [`${name}.fx`]: normal.map((x) => 0.5 * x), [`${name}.fy`]: zero, [`${name}.fz`]: normal,
  [`${name}.nx`]: zero, [`${name}.ny`]: zero, [`${name}.nz`]: normal,
});
const result = resultOf({ ...channels("a", [0, 10, 10, 0]), ...channels("b", [0, 0, 20, 20]), "ball.x": zero, "ball.y": zero, "ball.z": zero }, [0, 1, 2, 3], scene);

describe("contacts", () => {
  const parts = new Parts(2, false), m = new Mechanism(result, scene), contacts = new Contacts(parts, m);
  it("lends signs to those that touch at once", () => {
    expect(contacts.any).toBe(true);
    contacts.update(1.5); // between rows 1 and 2: both
    contacts.update(0);
    expect(contacts.legend()?.value).toBeGreaterThan(0);
  });
  it("stands where they touch, not where they were nearest before", () => {
    const normal = result.byName.get("a.normal");
    expect(normal).toBeDefined();
    if (!normal) return;
    expect(touchingTime(normal, 0.5)).toBe(1);
    expect(touchingTime(normal, 1.5)).toBe(1.5);
    expect(touchingTime(normal, 2.5)).toBe(2);
  });
  it("are a section of the channels", () => {
    const section = catalogue([result]).find((s) => s.title === "Contacts");
    expect(section?.groups.map((g) => g.name)).toEqual(["a", "b"]);
    expect(section?.groups[0].type).toBe("ground, ball");
  });
  it("come through the gate, one by one", () => {
    const faults: string[] = [];
    const read = readScene({ bodies: [], contacts: [{ name: "a", bodies: ["x", "y"], line: 3 }, { name: "b" }] }, faults);
    expect(read?.contacts).toEqual([{ name: "a", bodies: ["x", "y"], line: 3 }]);
    expect(faults).toHaveLength(1);
  });
});

it("a spike does not make all other arrows short", () => {
  expect(largeOf([...Array.from({ length: 99 }, () => 1), 1000])).toBe(1);
  expect(largeOf([NaN, 2])).toBe(2);
  expect(largeOf([])).toBe(0);
});

it("the hottest contacts and the profile are read from the record", () => {
  const r = readRecord({ hottest: [{ contact: "a", heat: 1, largest: 2, when: 3, deepest: 4 }, { heat: 1 }], profile: { seconds: { factor: 2, solve: 1 }, entries: { factor: 7, control: null } } });
  expect(r.hottest).toEqual([{ contact: "a", heat: 1, largest: 2, when: 3, deepest: 4 }]);
  expect(r.entries.factor).toBe(7);
  expect(r.entries.control).toBe(null);
  expect(hasProfile([result])).toBe(false);
});
