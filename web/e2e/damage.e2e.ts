// A page of the program in which one value of an attachment is lost or wrong: it is shown, and says what is missing.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Head } from "../src/data/format";
import { damaged, type Path, pathsByType, VALUES } from "../sample/damage";
import { open, OUT, page, startBrowser } from "./session";

startBrowser();

const ATTACHED = ["record", "scene", "story", "errors"] as const;

describe.each(ATTACHED)("any one value of %s", (source) => {
  it("costs no more than itself", { timeout: 300000 }, async () => {
    const html = readFileSync(`${OUT}slider-crank.html`, "utf8");
    const head = JSON.parse(/id="flyball-head">(.*?)<\/script>/s.exec(html)?.[1] ?? "") as Head;
    const blocks = [...html.matchAll(/<script type="text\/plain" class="flyball-block" data-codec="(\w+)"(?: data-filter="(\w+)")?>([^<]*)</g)].map(([, codec, filter, text]) => ({ codec, filter: filter ?? "", text }));
    await open("slider-crank.html", "#t=0.01", { width: 600, height: 400 });
    const attached = head.results[0][source];
    if (source !== "scene") head.results[0].scene = null; // quickly
    await page.evaluate((given) => Object.assign(window, given), { head, blocks });
    let told = 0, which = 0;
    const all: [Path, unknown][] = pathsByType(attached).map((path) => [path, VALUES[which++ % VALUES.length]]);
    // words that every object of JavaScript knows
    const odd = JSON.parse('{"constructor": 1, "toString": 2, "__proto__": 3}') as unknown;
    if (source === "record") all.push(...[["stats"], ["ledger", "work"], ["options"], ["system"]].map((path): [Path, unknown] => [path, odd]));
    for (const [path, value] of all) {
      const seen = await page.evaluate(async ([key, json]) => {
        const { head, blocks } = window as unknown as { head: Head; blocks: { codec: string; filter: string; text: string }[] };
        await window.flyballShow!({ ...head, results: [{ ...head.results[0], [key]: json }] } as Head, structuredClone(blocks));
        await new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)));
        return {
          panels: document.querySelectorAll(".plots .uplot").length,
          badge: document.querySelector(".badge")?.textContent ?? "",
          pages: ["certificate", "solver", "model"].map((n) => document.querySelector(`#page-${n}`)?.textContent?.length ?? 0),
          stage: document.querySelector(".stage-pane")?.childElementCount ?? 0,
          faults: [...document.querySelectorAll(".fault")].map((e) => e.textContent ?? ""),
        };
      }, [source, damaged(attached, path, value)] as const);
      const where = `${path.join(".")} = ${String(JSON.stringify(value))}`;
      expect(seen.panels, where).toBeGreaterThan(0);
      expect(seen.badge, where).not.toBe("");
      expect(Math.min(...seen.pages), where).toBeGreaterThan(0);
      expect(seen.stage, where).toBeGreaterThan(0);
      expect(seen.faults.join(" "), where).not.toContain("cannot be shown");
      told += seen.faults.some((f) => f.includes(`${source}.json`)) ? 1 : 0;
    }
    expect(told).toBeGreaterThan(0.3 * which);
  });
});

describe("what is damaged", () => {
  it("is told where it would be", async () => {
    await open("strange.html", "#t=0");
    expect(await page.locator(".stage-pane .fault").innerText()).toContain("`bodies[4].position` is a list of 3, not three numbers of a sensible size.");
  });
});
