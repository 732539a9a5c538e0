// Three examples of the program, with what the tests look for in each.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const EXAMPLES = [
  { name: "slider-crank", joint: "crank_pin", type: "revolute joint", channel: "crank_pin.fx" },
  { name: "governor", joint: "hinge1", type: "revolute joint", channel: "arm1.wz" },
  { name: "bricard", joint: "J3", type: "revolute joint", channel: "rod3.wx" },
];

// Bars of 0.3, 0.3 and 0.2 m that should reach over 1 m.
const OPEN = `flyball: 1
name: open four-bar
bodies:
  crank: {type: planar, mass: 1, inertia: 0.01, center: [0.15, 0], angle: 1.5, markers: {base: [0, 0], end: [0.3, 0]}}
  coupler: {type: planar, mass: 1, inertia: 0.01, center: [0.15, 0], position: [0, 0.3], angle: 0.1, markers: {start: [0, 0], end: [0.3, 0]}}
  rocker: {type: planar, mass: 1, inertia: 0.01, center: [0.1, 0], position: [1, 0], angle: 1.6, markers: {base: [0, 0], end: [0.2, 0]}}
joints:
  crank_pivot: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}
  crank_coupler: {type: revolute, from: crank.end, to: coupler.start}
  coupler_rocker: {type: revolute, from: coupler.end, to: rocker.end}
  rocker_pivot: {type: revolute, bodies: [ground, rocker], at: [1, 0, 0], axis: [0, 0, 1]}
`;

const root = fileURLToPath(new URL("../../", import.meta.url));

export function makeExamples(out: string): void {
  const program = process.env.FLYBALL ?? `${root}build/flyball`;
  if (!existsSync(program)) throw new Error(`The program is not there: ${program}. Build it (make), or say where it is: FLYBALL=...`);
  const run = (...words: string[]): void => void execFileSync(program, words, { cwd: out, stdio: ["ignore", "ignore", "inherit"] });
  for (const { name } of EXAMPLES) {
    run("run", `${root}examples/${name}.yaml`, "--error", "1e-4", "--out", name);
    run("report", name, "-o", `${name}.html`);
  }
  run("modes", `${root}examples/rotor.yaml`, "--out", "rotor-modes");
  run("report", "rotor-modes.h5", "-o", "rotor-modes.html");
  run("view", `${root}examples/bricard.yaml`, "-o", "bricard-view.html");
  run("statics", `${root}examples/engine-mounts.yaml`, "--out", "at-rest");
  run("report", "at-rest", "-o", "at-rest.html");
  writeFileSync(`${out}open.yaml`, OPEN);
  const view = spawnSync(program, ["view", "open.yaml", "-o", "open.html"], { cwd: out });
  if (view.status !== 1) throw new Error(`flyball view of a model that cannot be closed ends with ${String(view.status)}`);
  for (const [name, error] of [["coarse", "1e-2"], ["fine", "1e-4"]]) run("run", `${root}examples/slider-crank.yaml`, "--method", "ch", "--error", error, "--out", name);
  run("report", "coarse", "fine", "-o", "coarse-and-fine.html");
}
