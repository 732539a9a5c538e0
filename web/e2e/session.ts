// A page in the browser, opened from disk. Whatever it says on the console or asks the network for is a failure.
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { launch } from "./browser";

export let page: Page;
let browser: Browser;
let complaints: string[] = [];

export function startBrowser(): void {
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(async () => {
    await browser.close();
  });
  afterEach(async () => {
    const said = complaints;
    complaints = [];
    await page.close();
    expect(said, "console").toEqual([]);
  });
}

export const OUT = fileURLToPath(new URL("../out/", import.meta.url));

export async function open(file: string, hash = "", size = { width: 1100, height: 640 }, reducedMotion: "reduce" | "no-preference" = "no-preference"): Promise<void> {
  page = await browser.newPage({ viewport: size, reducedMotion });
  page.on("console", (m) => {
    // Chromium's own word about drawing in software
    if (!/GPU stall|swiftshader|fallback/i.test(m.text())) complaints.push(`${m.type()}: ${m.text()}`);
  });
  page.on("pageerror", (e) => complaints.push(e.message));
  page.on("request", (r) => {
    if (!/^(file|data|blob):/.test(r.url())) complaints.push(`asked the network for ${r.url()}`);
  });
  await page.goto(`${pathToFileURL(OUT + file).href}${hash}`);
  await page.waitForFunction(() => document.documentElement.dataset.flyball === "ready");
}

export const time = (): Promise<number> => page.evaluate(() => window.flyball!.player.time);
export const cursorOf = (panel: number): Promise<number> => page.locator(".plots .time-cursor").nth(panel).evaluate((e) => e.getBoundingClientRect().x);
export const legend = (panel: number): Promise<string> => page.locator(".plots .legend").nth(panel).innerText();
export const stage = (): Promise<Buffer> => page.locator(".canvas canvas").screenshot();
export const drawn = async (): Promise<void> => {
  await page.evaluate(() => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r))));
  await page.waitForFunction(() => window.flyball!.stage!.view.idle);
};
