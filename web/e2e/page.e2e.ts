// The page in a real browser, from disk: does it do what a person would try first?
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { pixels } from "./pixels";
import { cursorOf, drawn, legend, open, page, stage, startBrowser, time } from "./session";

startBrowser();

describe("a result", () => {
  it("plays: the animation advances, and pauses", async () => {
    await open("crank.html");
    await page.waitForFunction(() => window.flyball!.player.time > 0.003);
    await page.keyboard.press("Space");
    const t = await time();
    await page.waitForTimeout(250);
    expect(await time()).toBe(t);
    expect(await page.locator("#play").getAttribute("aria-label")).toBe("Play");
  });

  it("draws the mechanism, and it moves", async () => {
    await open("crank.html", "#bare&t=0&theme=light"); // bare: in full quality, however slow
    await drawn();
    const before = pixels(await stage());
    // blue crank, orange rod, red drive: counted by hue
    expect(before.count((r, _g, b) => b > 120 && b > r + 40)).toBeGreaterThan(600);
    expect(before.count((r, g, b) => r > 150 && r > b + 80 && g > b)).toBeGreaterThan(600);
    await page.evaluate(() => window.flyball!.player.seek(0.01));
    await drawn();
    const after = pixels(await stage());
    expect(before.differs(after)).toBeGreaterThan(3000);
    await page.evaluate(() => window.flyball!.player.seek(0));
    await drawn();
    expect(before.differs(pixels(await stage()))).toBeLessThan(50);
  });

  it("scrubbing moves the plot cursor and the values", async () => {
    await open("crank.html", "#t=0");
    const before = await cursorOf(0), words = await legend(0);
    const box = (await page.locator("#scrub").boundingBox())!;
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    expect(await time()).toBeGreaterThan(0.045);
    expect(await time()).toBeLessThan(0.055);
    const plot = (await page.locator(".plots .u-over").first().boundingBox())!;
    const part = (await time()) / 0.1;
    expect((await cursorOf(0)) + 1 - plot.x).toBeCloseTo(part * plot.width, -1);
    expect(await cursorOf(0)).toBeGreaterThan(before + 50);
    expect(await legend(0)).not.toBe(words);
    // and back: a click in a plot sets the time
    await page.mouse.click(plot.x + 0.25 * plot.width, plot.y + 20);
    expect(await time()).toBeCloseTo(0.025, 3);
  });

  it("finds a channel by search and plots it by keys", async () => {
    await open("crank.html", "#t=0.02");
    await page.keyboard.press("/");
    await page.keyboard.type("crank_pin fy");
    expect(await page.locator(".search .count").innerText()).toBe("1 found");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const all = (await page.locator(".plots .legend-name").allInnerTexts()).join(" ");
    expect(all).toContain("crank_pin.fy");
    expect(await page.locator('[data-channel="crank_pin.fy"]').getAttribute("aria-selected")).toBe("true");
    // a unit that no panel had: an axis for newtons
    expect(await page.evaluate(() => window.flyball!.panels.panels.some((p) => p.units.includes("N")))).toBe(true);
    await page.keyboard.press("Enter");
    expect((await page.locator(".plots .legend-name").allInnerTexts()).join(" ")).not.toContain("crank_pin.fy");
  });

  it("takes a dragged channel into a new panel, and against a channel", async () => {
    await open("crank.html", "#t=0.02&plot=stroke");
    await page.locator('[data-group="slider"]').click();
    await page.locator('[data-channel="slider.vx"]').dragTo(page.locator(".drop"));
    expect(await page.locator(".plots .panel").count()).toBe(2);
    await page.locator(".x-channel").nth(1).fill("slider.x");
    await page.locator(".x-channel").nth(1).press("Enter");
    await drawn();
    expect(await page.locator(".plots .panel").nth(1).getAttribute("aria-label")).toBe("Plot of slider.vx against slider.x");
    const curve = pixels(await page.locator(".plots .panel").nth(1).locator("canvas").screenshot());
    expect(curve.count((r, _g, b) => b > r + 60)).toBeGreaterThan(300);
  });

  it("zooms all panels by a drag and shows all by a double click", async () => {
    await open("crank.html", "#t=0.02");
    const plot = (await page.locator(".plots .u-over").first().boundingBox())!;
    await page.mouse.move(plot.x + 0.5 * plot.width, plot.y + 30);
    await page.mouse.down();
    await page.mouse.move(plot.x + 0.75 * plot.width, plot.y + 35, { steps: 4 });
    await page.mouse.up();
    const shown = await page.evaluate(() => window.flyball!.panels.panels.map((p) => p.plot.shown));
    for (const [from, to] of shown) {
      expect(from).toBeCloseTo(0.05, 2);
      expect(to).toBeCloseTo(0.075, 2);
    }
    await page.mouse.dblclick(plot.x + 100, plot.y + 30);
    expect(await page.evaluate(() => window.flyball!.panels.panels[1].plot.shown)).toEqual([0, 0.1]);
  });

  it("saves numbers and pictures", async () => {
    await open("crank.html", "#t=0.02");
    const [csv] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save as CSV" }).first().click()]);
    const text = readFileSync(await csv.path(), "utf8").split("\n");
    expect(text[0]).toBe("time [s],stroke [m]");
    expect(text.length).toBe(1003);
    expect(Number(text[1].split(",")[1])).toBeCloseTo(0.45, 12);
    for (const name of ["Save as PNG", "Save a picture"]) {
      const [png] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).first().click()]);
      expect(readFileSync(await png.path()).subarray(1, 4).toString()).toBe("PNG");
    }
  });

  it("names a joint that is clicked, with its line and values, and goes to the line", async () => {
    await open("crank.html", "#t=0.012");
    await drawn();
    const at = (await page.evaluate(() => window.flyball!.stage!.placeOf("crank_pin")))!;
    await page.locator(".canvas canvas").click({ position: at });
    const card = page.locator(".inspector");
    expect(await card.locator("h2").innerText()).toBe("crank_pin");
    expect(await card.innerText()).toContain("revolute joint");
    expect(await card.innerText()).toContain("crank.pin – rod.crank");
    expect(await page.locator("#live").innerText()).toContain("crank_pin, revolute joint");
    await card.getByRole("button", { name: "Line 11 of the model" }).click();
    expect(await page.locator(".code .here").innerText()).toContain("crank_pin");
  });

  it("names what the pointer is over", async () => {
    await open("crank.html", "#t=0.012");
    await drawn();
    const [a, b] = await page.evaluate(() => [window.flyball!.stage!.placeOf("crank_pin")!, window.flyball!.stage!.placeOf("slider_pin")!]);
    await page.locator(".canvas canvas").hover({ position: { x: 0.7 * a.x + 0.3 * b.x, y: 0.7 * a.y + 0.3 * b.y } });
    await page.waitForFunction(() => !(document.querySelector(".tip") as HTMLElement).hidden);
    expect(await page.locator(".tip").innerText()).toContain("rod");
  });

  it("tells what the solver did, and certifies in words", async () => {
    await open("crank.html", "#t=0.02");
    await page.getByRole("tab", { name: "Solver" }).click();
    expect(await page.locator(".panel.story h3").allInnerTexts()).toEqual(["Step size", "Rejected attempts", "Error estimate over what is allowed", "Newton iterations per step", "Constraint residuals", "Energy ledger", "What the ledger does not explain"]);
    await page.waitForFunction(() => document.querySelectorAll(".panel.story canvas").length === 7);
    expect(await page.locator(".summary").innerText()).toContain("4 attempts rejected (3 error test, 1 corrector did not converge)");
    await page.getByRole("tab", { name: "Certificate" }).click();
    const words = await page.locator(".certificate").innerText();
    expect(words).toContain("the steps did what was asked");
    expect(words).toContain("0 degrees of freedom");
    expect(words).toContain("76.2 % of the tolerance used");
    expect(await page.locator(".banner").count()).toBe(0);
  });
});

describe("two results", () => {
  it("are overlaid in plots and animation, and subtracted", async () => {
    await open("compare.html", "#t=0.08");
    expect(await page.locator(".plots .panel").first().locator(".key").count()).toBe(2);
    const values = await page.evaluate(() => ["slider-crank", "slider-crank-slow"].map((n) => window.flyball!.data.results.find((r) => r.name === n)!.byName.get("stroke")!.at(0.08)));
    expect(values[0]).not.toBeCloseTo(values[1], 3);
    await drawn();
    const both = pixels(await stage());
    await page.evaluate(() => window.flyball!.stage!.set("second", false));
    await drawn();
    expect(both.differs(pixels(await stage()))).toBeGreaterThan(500);
    // in a colour that nothing else has
    const pink = (p: typeof both): number => p.count((r, g, b) => r > g + 60 && b > g + 25 && r > b + 10);
    expect(pink(both)).toBeGreaterThan(pink(pixels(await stage())) + 300); // but for the legend
    expect((await page.locator(".plots .legend").first().locator(".of").allInnerTexts())).toEqual(["slider-crank", "slider-crank-slow"]);
    await page.getByRole("button", { name: "Show the difference of the two results" }).first().click();
    expect(await page.evaluate(() => window.flyball!.panels.panels[0].host.getAttribute("aria-label"))).toContain("stroke: slider-crank − slider-crank-slow");
    // which is which is said, beside the curves and over the animation
    expect(await page.locator(".stage-legend").innerText()).toMatch(/slider-crank\s+slider-crank-slow, transparent/);
  });
});

describe("the truth at first glance", () => {
  it("a failed run has a banner with the message, on every tab", async () => {
    await open("failed.html", "#t=0");
    for (const tab of ["Motion", "Solver", "Certificate", "Model"]) {
      await page.getByRole("tab", { name: tab }).click();
      expect(await page.locator(".banner.bad").isVisible()).toBe(true);
    }
    expect(await page.locator(".banner.bad").innerText()).toContain("the rows of this joint have become dependent");
    expect(await page.locator(".badge").innerText()).toBe("Failed");
    await page.getByRole("tab", { name: "Certificate" }).click();
    expect(await page.locator(".notes").first().innerText()).toContain("guide, z (line 13) follows from main, z (line 10)");
    await page.locator(".notes").first().getByRole("button", { name: "guide, z" }).click();
    expect(await page.locator(".inspector h2").innerText()).toBe("guide");
  });
  it("an uncontrolled run is not certified, and every joint has a symbol", async () => {
    await open("zoo.html", "#t=0.5");
    expect(await page.locator(".banner.warn").innerText()).toContain("The step was fixed: nothing controlled the error.");
    const joints = await page.evaluate(() => {
      const { actors } = window.flyball!.stage!.view, parts = actors[0].parts;
      const named = new Set<string>();
      for (const m of parts.meshes) for (let k = 0; k < (m as unknown as { count: number }).count; k++) named.add(parts.elementOf(m, k)?.name ?? "");
      return actors[0].mechanism.elements.filter((e) => e.name !== "ground" && !named.has(e.name)).map((e) => e.name);
    });
    expect(joints).toEqual([]);
  });
  it("a thinned result says so", async () => {
    await open("thinned.html", "#t=0");
    expect(await page.locator(".banner.note").innerText()).toContain("20001 rows, of which 2001");
  });
});

describe("other pages", () => {
  it("a model before any run", async () => {
    await open("view.html");
    expect(await page.locator(".badge").innerText()).toBe("Model, not run");
    await drawn();
    expect(pixels(await stage()).count((r, g, b) => r > 150 && r > b + 80 && g > b)).toBeGreaterThan(500);
    expect(await page.locator(".transport").count()).toBe(0);
  });
  it("a result without a scene", async () => {
    await open("plots.html", "#t=0");
    expect(await page.locator(".plots canvas").first().isVisible()).toBe(true);
  });
  it("a killed run, damaged scenes, no rows: what there is, is shown", async () => {
    await open("strange.html", "#t=0");
    expect(await page.locator(".banner.bad").innerText()).toContain("was killed");
    await drawn();
    expect(await page.evaluate(() => window.flyball!.stage !== null)).toBe(true);
    await page.getByRole("tab", { name: "Solver" }).click();
    await page.close();
    await open("damaged.html", "#t=0");
    expect(await page.locator(".stage-pane").innerText()).toContain("scene.json of this result is damaged: `bodies[0].shapes[0].size` is missing");
    expect(await page.locator(".plots canvas").first().isVisible()).toBe(true);
    expect(await page.locator(".badge").innerText()).toBe("Not certified");
    await page.close();
    await open("norows.html", "");
    await drawn();
    expect(await page.evaluate(() => window.flyball!.stage !== null)).toBe(true);
  });
  it("an empty page says how to fill it", async () => {
    await open("../dist/report.html");
    expect(await page.locator("#app").innerText()).toContain("flyball report RESULT");
  });
});

describe("for everybody", () => {
  it("works at phone width, by tabs, without scrolling sideways", async () => {
    await open("crank.html", "#t=0.02", { width: 375, height: 720 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
    for (const [tab, what] of [["Plots", ".plots-pane canvas"], ["Channels", "#channel-search"], ["Motion", ".canvas canvas"]] as const) {
      await page.getByRole("tab", { name: tab }).click();
      expect(await page.locator(what).first().isVisible()).toBe(true);
    }
    for (const tab of ["Solver", "Certificate", "Model"]) {
      await page.getByRole("tab", { name: tab }).click();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
    }
  });
  it("shows the time and all controls of playing on a phone, none cut off", async () => {
    await open("crank.html", "#t=0.02", { width: 390, height: 844 });
    expect(await page.locator(".now").innerText()).toBe("0.0200 s");
    const parts = await page.locator(".transport").evaluate((bar) =>
      [...bar.children].map((e) => ({ what: e.className || e.getAttribute("aria-label"), ...(({ x, y, width, height }) => ({ x, y, width, height }))(e.getBoundingClientRect()), cut: e.scrollWidth > e.clientWidth + 1 && e.tagName !== "SELECT" })));
    expect(parts.length).toBe(9);
    for (const p of parts) {
      expect(p.width * p.height, `${p.what} is seen`).toBeGreaterThan(100);
      expect(p.cut, `${p.what} is cut`).toBe(false);
      expect(p.x, String(p.what)).toBeGreaterThanOrEqual(0);
      expect(p.x + p.width, String(p.what)).toBeLessThanOrEqual(390);
      expect(p.y + p.height, String(p.what)).toBeLessThanOrEqual(844);
    }
    for (const [k, p] of parts.entries())
      for (const q of parts.slice(k + 1))
        expect(p.x + p.width <= q.x + 1 || q.x + q.width <= p.x + 1 || p.y + p.height <= q.y + 1 || q.y + q.height <= p.y + 1, `${p.what} and ${q.what}`).toBe(true);
    // the chosen speed can be read, and the name of the model
    const speed = await page.locator(".speed").evaluate((e: HTMLSelectElement) => ({ has: e.clientWidth, text: e.selectedOptions[0].text.length }));
    expect(speed.has).toBeGreaterThan(6.5 * speed.text + 18);
    expect(await page.locator(".brand h1").evaluate((e) => e.scrollWidth <= e.clientWidth && e.scrollHeight <= e.clientHeight + 1)).toBe(true);
    // and they work
    const box = (await page.locator("#scrub").boundingBox())!;
    await page.mouse.click(box.x + 0.75 * box.width, box.y + box.height / 2);
    expect(await time()).toBeCloseTo(0.075, 2);
    await page.locator("#play").click();
    await page.waitForFunction(() => window.flyball!.player.playing);
    await page.locator("#play").click();
  });
  it("is played, scrubbed and plotted by keys alone", async () => {
    await open("crank.html", "#t=0");
    const playing = (): Promise<boolean> => page.evaluate(() => window.flyball!.player.playing);
    await page.locator("#play").focus();
    await page.keyboard.press("Enter");
    expect(await playing()).toBe(true);
    await page.keyboard.press("Space"); // a focused button takes it, once
    expect(await playing()).toBe(false);
    await page.locator("#scrub").focus();
    await page.keyboard.press("Home");
    expect(await time()).toBe(0);
    await page.keyboard.press("PageUp");
    expect(await time()).toBeGreaterThan(0.005);
    await page.keyboard.press("End");
    expect(await time()).toBeCloseTo(0.1, 6);
    await page.locator('[data-group="slider"]').focus();
    await page.keyboard.press("ArrowRight"); // opens it
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect(await page.locator('[data-channel="slider.x"]').getAttribute("aria-selected")).toBe("true");
  });
  it("has text that can be read on its ground, light and dark", async () => {
    for (const theme of ["light", "dark"]) {
      await open("failed.html", `#t=0&theme=${theme}`);
      const poor = await page.evaluate(() => {
        const channel = (x: number): number => (x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
        const rgb = (c: string): number[] => (c.match(/[\d.]+/g) ?? []).map(Number);
        const light = (c: number[]): number => 0.2126 * channel(c[0] / 255) + 0.7152 * channel(c[1] / 255) + 0.0722 * channel(c[2] / 255);
        const ground = (e: Element | null): number[] => {
          for (; e; e = e.parentElement) {
            const c = rgb(getComputedStyle(e).backgroundColor);
            if (c.length === 3 || c[3] === 1) return c;
          }
          return [255, 255, 255];
        };
        return [...document.querySelectorAll<HTMLElement>("button, .banner p, .banner b, h1, .legend-name, .legend .value, .leaf-name, .section-title, .unit, .now, .end, .dim, .badge")].filter((e) => e.offsetParent !== null && e.innerText.trim() !== "" && !e.closest(".panel-tools")).flatMap((e) => {
          const a = light(rgb(getComputedStyle(e).color)), b = light(ground(e)), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
          return ratio < 4.5 ? [`${e.className} ${e.innerText.slice(0, 20)}: ${ratio.toFixed(2)}`] : [];
        });
      });
      expect(poor, theme).toEqual([]);
      if (theme === "light") await page.close();
    }
  });
  it("does not move by itself for those who asked for less motion", async () => {
    await open("crank.html", "", { width: 1000, height: 700 }, "reduce");
    await page.waitForTimeout(300);
    expect(await time()).toBe(0);
  });
  it("lets the Tab key through everything and out again", async () => {
    await open("crank.html", "#t=0");
    const seen = new Set<string>();
    for (let k = 0; k < 120; k++) {
      await page.keyboard.press("Tab");
      const name = await page.evaluate(() => {
        const e = document.activeElement as HTMLElement;
        return e === document.body ? "BODY" : `${e.tagName}.${e.className}#${e.id} ${e.getAttribute("aria-label") ?? e.innerText.slice(0, 20)}`;
      });
      if (seen.has(name) && name === "BODY") break;
      seen.add(name);
    }
    const text = [...seen].join("\n");
    for (const part of ["tab-motion", "channel-search", "CANVAS", "Close this panel", "scrub", "play"]) expect(text).toContain(part);
  });
  it("gives every control a name", async () => {
    await open("crank.html", "#t=0");
    const nameless = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>("button, input, select, summary, [role=tab], [role=treeitem], canvas[tabindex]")]
        .filter((e) => !(e.getAttribute("aria-label") ?? "") && e.textContent?.trim() === "" && !e.closest("label")?.textContent?.trim())
        .map((e) => e.outerHTML.slice(0, 80)));
    expect(nameless).toEqual([]);
  });
  it("switches to dark and back", async () => {
    await open("crank.html", "#t=0&theme=light");
    const paper = (): Promise<string> => page.evaluate(() => getComputedStyle(document.querySelector(".top")!).backgroundColor);
    const light = await paper();
    await page.keyboard.press("t");
    expect(await paper()).not.toBe(light);
    await page.keyboard.press("t");
    expect(await paper()).toBe(light);
  });
});

describe("films and pictures", () => {
  it("are left in the page for the command line", async () => {
    await open("crank.html", "#record=webm&size=320x180&fps=10&seconds=1");
    const film = page.locator("#flyball-film");
    expect(await film.getAttribute("data-status"), await film.textContent() ?? "").toBe("ok");
    const bytes = Buffer.from((await film.textContent()) ?? "", "base64");
    expect(bytes.subarray(0, 4).toString("hex")).toBe("1a45dfa3");
    // it plays
    const played = await page.evaluate(async (data) => {
      const video = document.createElement("video");
      video.src = `data:video/webm;base64,${data}`;
      await new Promise((resolve, reject) => {
        video.onloadeddata = resolve;
        video.onerror = () => reject(new Error(video.error?.message));
      });
      return [video.videoWidth, video.videoHeight, video.duration];
    }, bytes.toString("base64"));
    expect(played).toEqual([320, 180, 1]);
  });
  it("frames of a film, one a line", async () => {
    await open("crank.html", "#record=frames&size=160x90&fps=4&seconds=1");
    const lines = ((await page.locator("#flyball-film").textContent()) ?? "").split("\n").map((x) => pixels(Buffer.from(x, "base64")));
    expect(lines.map((p) => p.width)).toEqual([160, 160, 160, 160]);
    expect(lines[0].differs(lines[1])).toBeGreaterThan(100);
  });
  it("png of a time", async () => {
    await open("crank.html", "#record=png&size=400x300&t=0.02");
    const png = Buffer.from((await page.locator("#flyball-film").textContent()) ?? "", "base64");
    const p = pixels(png);
    expect([p.width, p.height]).toEqual([400, 300]);
    expect(p.count((r, g, b) => r > 150 && r > b + 80 && g > b)).toBeGreaterThan(300);
  });
});
