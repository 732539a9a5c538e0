// Pages of examples, simulated and written by the program.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { EXAMPLES } from "./examples";
import { pixels } from "./pixels";
import { cursorOf, drawn, legend, open, OUT, page, stage, startBrowser, time } from "./session";

startBrowser();

describe.each(EXAMPLES)("$name", ({ name, joint, type, channel }) => {
  it("plays, scrubs, finds, names", async () => {
    await open(`${name}.html`, "#theme=light");
    expect(await page.locator(".badge").innerText()).toBe("Accurate as asked");
    await page.waitForFunction(() => window.flyball!.player.time > window.flyball!.player.start);
    await page.keyboard.press("Space");

    const before = await cursorOf(0), box = (await page.locator("#scrub").boundingBox())!;
    await page.mouse.click(box.x + 0.8 * box.width, box.y + box.height / 2);
    const { start, span } = await page.evaluate(() => ({ start: window.flyball!.player.start, span: window.flyball!.player.span }));
    expect(((await time()) - start) / span).toBeCloseTo(0.8, 1);
    expect(await cursorOf(0)).toBeGreaterThan(before + 20);

    await page.keyboard.press("/");
    await page.keyboard.type(channel.replace(".", " "));
    await page.locator(`[data-channel="${channel}"]`).click();
    expect((await page.locator(".plots .legend-name").allInnerTexts()).join(" ")).toContain(channel);

    await drawn();
    const at = (await page.evaluate((n) => window.flyball!.stage!.placeOf(n), joint))!;
    await page.locator(".canvas canvas").click({ position: at });
    expect(await page.locator(".inspector h2").innerText()).toBe(joint);
    expect(await page.locator(".inspector header").innerText()).toContain(type);
    await page.locator(".inspector").getByRole("button", { name: /^Line \d+ of the model$/ }).click();
    expect(await page.locator(".code .here").innerText()).toContain(`${joint}:`);
  });

  it("is drawn, and moves", async () => {
    await open(`${name}.html`, "#bare&t=0&theme=light");
    await drawn();
    const first = pixels(await stage());
    const solid = (p: typeof first): number => p.count((r, g, b) => Math.max(r, g, b) - Math.min(r, g, b) > 60);
    expect(solid(first)).toBeGreaterThan(1500);
    await page.evaluate(() => window.flyball!.player.seek(0.37 * window.flyball!.player.end));
    await drawn();
    expect(first.differs(pixels(await stage()))).toBeGreaterThan(1500);
  });
});

describe("two results of the program", () => {
  it("overlay", async () => {
    await open("coarse-and-fine.html", "#t=0.07&plot=stroke");
    expect(await page.locator(".plots .panel").first().locator(".key").count()).toBe(2);
    const [a, b] = await page.evaluate(() => window.flyball!.data.results.map((r) => r.byName.get("stroke")!.at(0.07)));
    expect(a).toBeCloseTo(b, 1);
    expect(a).not.toBe(b);
    expect(await page.locator(".versus").innerText()).toContain("coarse");
  });
});

describe("a governor", () => {
  it("shows what its springs do, and gravity's energy from the start", async () => {
    await open("governor.html", "#t=0.5");
    const shown = await page.evaluate(() => window.flyball!.panels.panels.map((p) => p.channels));
    expect(shown.flat()).toContain("spring1.force");
    expect(await page.locator(".section-title").allInnerTexts()).toContain("FORCES AND MOTORS");
    const energy = shown.findIndex((p) => p.includes("energy.gravity"));
    expect(await legend(energy)).toContain("energy.gravity, 0 at start");
    const [first, file] = await page.evaluate((k) => {
      const c = window.flyball!.data.results[0].byName.get("energy.gravity")!;
      const curves = (window.flyball!.panels.panels[k].plot as unknown as { curves: { label: string; at(t: number): number }[] }).curves;
      return [curves.find((x) => x.label.startsWith("energy.gravity"))!.at(0), c.at(0)];
    }, energy);
    expect(first).toBe(0);
    expect(Math.abs(file)).toBeGreaterThan(1);
  });
});

describe("a model that cannot be closed", () => {
  it("has the open joint marked, with what is left open, and a sentence", async () => {
    await open("open.html", "#theme=light");
    await drawn();
    expect(await page.locator(".badge").innerText()).toBe("Cannot be assembled");
    expect(await page.locator(".banner.bad").innerText()).toMatch(/This model cannot be put together: coupler_rocker stays open by 76\.\d mm\./);
    expect((await page.locator(".name.open").allInnerTexts())[0]).toMatch(/^\w+: open by [\d.]+ mm$/);
    expect((await page.locator(".name.open").allInnerTexts()).join(" ")).toMatch(/coupler_rocker: open by 76\.\d mm/);
    expect(pixels(await stage()).count((r, g, b) => r > 150 && g < 60 && b < 70)).toBeGreaterThan(100);
    expect(await page.locator(".plots").count()).toBe(0); // there is nothing to plot
  });
});

describe("a model at rest", () => {
  it("tells the values of what is chosen in the tree, and plots nothing", async () => {
    await open("at-rest.html", "");
    expect(await page.locator(".plots").count()).toBe(0);
    await page.locator('[data-group="left"]').focus();
    await page.keyboard.press("Enter");
    expect(await page.locator(".inspector h2").innerText()).toBe("left");
    expect(await page.locator(".inspector .values").innerText()).toMatch(/fz\s*4\d\d/);
    await page.locator('[data-channel="rear.fz"]').or(page.locator('[data-group="rear"]')).first().click();
    expect(await page.locator(".inspector h2").innerText()).toBe("rear");
  });
});

describe("whatever the program writes", () => {
  it.each(["governor", "bricard", "coarse-and-fine", "bricard-view", "at-rest", "rotor-modes", "open"])("is whole: %s", async (name) => {
    await open(`${name}.html`, "#t=0");
    expect(await page.locator(".fault").allInnerTexts()).toEqual([]);
  });
});

describe("modes of a rotor", () => {
  const pose = (phase: number): Promise<number[]> => page.evaluate((t) => [...window.flyball!.stage!.mechanism.poses.at(t)], phase);

  it("swing, are chosen, and have an amplitude", async () => {
    await open("rotor-modes.html", "#theme=light");
    await page.waitForFunction(() => window.flyball!.clock.time > 0);
    await page.keyboard.press("Space");
    const lines = await page.locator("#mode option").allInnerTexts();
    expect(lines.length).toBe(6);
    expect(lines[0]).toContain("rigid-body");
    expect(lines[2]).toContain("18.027 Hz");
    await page.locator("#mode").selectOption({ index: 5 });
    expect(await page.locator(".mode-text").innerText()).toContain("damping ratio 0; rotor 100 %");
    await page.locator("#amplitude").fill("0.3");
    const [a, b] = [await pose(0), await pose(0.5)];
    const turned = Math.max(...[4, 5, 6].map((k) => Math.abs(a[7 + k] - b[7 + k])), ...[4, 5, 6].map((k) => Math.abs(a[k] - b[k])));
    expect(turned).toBeCloseTo(2 * Math.sin(0.15), 3); // 0.3 rad to both sides
    expect(await page.locator(".transport .now").innerText()).toMatch(/°$/);
  });

  it("are drawn where they are at a phase", async () => {
    await open("rotor-modes.html", "#bare&t=0&mode=6&amplitude=0.4&theme=light");
    await drawn();
    const first = pixels(await stage());
    await page.evaluate(() => window.flyball!.clock.seek(0.5));
    await drawn();
    expect(first.differs(pixels(await stage()))).toBeGreaterThan(1500);
  });
});

describe("the program", () => {
  it("has the page that is committed", () => {
    const page = readFileSync(new URL("../dist/report.html", import.meta.url), "utf8"), made = readFileSync(`${OUT}${EXAMPLES[0].name}.html`, "utf8");
    const mark = '<script type="application/json" id="flyball-head">';
    const [before, after] = page.split(`${mark}null</script>`);
    expect(made.startsWith(before + mark)).toBe(true);
    expect(made.endsWith(after)).toBe(true);
  });
});
