// npm run measure -- PAGE.html: time until it is shown, and pictures a second while it plays.
import { pathToFileURL } from "node:url";
import { readdirSync, readFileSync } from "node:fs";
import { launch } from "./browser";

const path = process.argv.at(-1) as string;
const browser = await launch();
const tab = await browser.newPage({ viewport: { width: 1280, height: 800 } });
tab.on("pageerror", (e) => console.log(`error: ${e.message}`));
const profile = "chromium"; // in the command lines of its processes
const began = Date.now();
await tab.goto(pathToFileURL(path).href, { timeout: 300000 });
await tab.waitForFunction(() => document.documentElement.dataset.flyball !== "loading", undefined, { timeout: 300000 });
const shown = Date.now() - began;
// The machine may be busy with other things: what counts is the time its processors spend, in all processes of the browser.
const cpu = (): number => {
  let ticks = 0;
  for (const pid of readdirSync("/proc").filter((n) => /^\d+$/.test(n))) {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(profile)) continue;
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
      ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // it has ended
    }
  }
  return ticks / 100;
};
await tab.waitForTimeout(4000);
const before = { cpu: cpu(), frames: await tab.evaluate(() => window.flyball!.stage!.view.frames) };
await tab.waitForTimeout(6000);
const spent = cpu() - before.cpu, drawn = (await tab.evaluate(() => window.flyball!.stage!.view.frames)) - before.frames;
const figures = await tab.evaluate(() => {
  const { view } = window.flyball!.stage!;
  // without drawing: what our own code takes for a frame
  const a = view.actors[0], again = performance.now();
  for (let k = 0; k < 100; k++) {
    a.mechanism.poses.at((k / 100) * window.flyball!.player.end);
    a.joints.update();
    a.forces.update(0);
    a.parts.ride(a.mechanism.poses.now);
  }
  const memory = (performance as unknown as { memory?: { usedJSHeapSize: number } }).memory;
  return { triangles: view.triangles, posesMs: (performance.now() - again) / 100, instances: a.parts.instances, bodies: a.mechanism.bodies.length - 1, reduced: view.lowered, heapMB: (memory?.usedJSHeapSize ?? 0) / 1e6 };
});
console.log(JSON.stringify({ shownMs: shown, fps: drawn / 6, cpuMsPerFrame: (1000 * spent) / drawn, ...figures }));
await browser.close();
