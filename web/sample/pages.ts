// Pages in web/out, to be looked at and for the end-to-end tests.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type Block, headOf, page } from "./encode";
import { crowd, meshBlock, RECORD, sliderCrank, thinned, withTables, zoo } from "./models";
import type { ResultHead, SceneData } from "../src/data/format";

type Make = (blocks: Block[]) => ResultHead[];

export const PAGES: Record<string, Make> = {
  crank: (b) => [withTables(b, sliderCrank(), "exact")],
  compare: (b) => [withTables(b, sliderCrank(), "exact"), withTables(b, sliderCrank(-0.01, 801), "f32")],
  zoo: (b) => {
    b.push(meshBlock());
    return [withTables(b, zoo(), "q16")];
  },
  // what a killed run or a damaged file leaves
  strange: (b) => {
    const r = withTables(b, sliderCrank(0, 2), "exact");
    const scene = structuredClone(r.scene) as unknown as { bodies: unknown[]; joints: unknown[]; forces: unknown[]; trails: unknown[] };
    scene.bodies.push({ name: "odd", kind: "rigid", position: [null, 0, 0], shapes: [{ type: "torus" }] });
    scene.joints.push({ name: "lost", type: "revolute", ends: [{ body: "nobody", at: [0, 0, 0] }] }, { name: "new", type: "hinge of the future", ends: [{ body: "ground", at: [0, 0, 0] }, { body: "crank", at: [0, 0, 0] }] }, { name: "tie", type: "gear", joints: ["main", "absent"], data: { radii: [0.1, "x"] } });
    scene.forces.push({ name: "s", type: "spring", ends: [] }, { name: "f", type: "force" });
    scene.trails.push({ name: "t", body: "nobody", at: [0, 0, 0] });
    return [{ ...r, scene: scene as unknown as SceneData, record: { status: "running" }, story: { t: [] } }];
  },
  damaged: (b) => {
    const r = withTables(b, sliderCrank(0, 11), "exact");
    return [{ ...r, scene: { bodies: [{ name: "b", kind: "rigid", shapes: [{ type: "box" }] }] } as unknown as SceneData, record: null }];
  },
  norows: (b) => [withTables(b, sliderCrank(0, 0), "exact")],
  thinned: (b) => [thinned(b, sliderCrank(0, 20001))],
  view: () => {
    const { head } = sliderCrank();
    return [{ ...head, channels: [], tables: [], story: null, record: { ...RECORD, status: "none", t: 0, stats: {} } }];
  },
  failed: (b) => {
    const x = sliderCrank(0, 601);
    const r = withTables(b, x, "exact");
    r.record = { ...RECORD, status: "singular", t: 0.06, message: "guide: the rows of this joint have become dependent at t = 0.0632 s. Try a smaller stroke.", redundancy: ["`guide, z` follows from `main, z`"], warnings: ["The reactions of joints with redundant rows (1) are not unique."] };
    return [r];
  },
  plots: (b) => {
    const r = withTables(b, sliderCrank(), "exact");
    return [{ ...r, scene: null, story: null }];
  },
  crowd: (b) => [withTables(b, crowd(1000, 10000), "q16")],
};

export function make(names: string[], out = new URL("../out/", import.meta.url)): void {
  const template = readFileSync(new URL("../dist/report.html", import.meta.url), "utf8");
  mkdirSync(out, { recursive: true });
  for (const name of names) {
    const blocks: Block[] = [];
    const results = PAGES[name](blocks);
    writeFileSync(new URL(`${name}.html`, out), page(template, headOf(results), blocks));
  }
}
