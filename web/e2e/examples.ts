// Three examples of the program, with what the tests look for in each.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const EXAMPLES = [
  { name: "slider-crank", joint: "crank_pin", type: "revolute joint", channel: "crank_pin.fx" },
  { name: "governor", joint: "hinge1", type: "revolute joint", channel: "arm1.wz" },
  { name: "bricard", joint: "J3", type: "revolute joint", channel: "rod3.wx" },
];

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
  for (const [name, error] of [["coarse", "1e-2"], ["fine", "1e-4"]]) run("run", `${root}examples/slider-crank.yaml`, "--error", error, "--out", name);
  run("report", "coarse", "fine", "-o", "coarse-and-fine.html");
}
