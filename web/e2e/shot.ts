// npm run shot -- PAGE.html[#wishes] OUT.png [WIDTHxHEIGHT]: what a page looks like.
import { pathToFileURL } from "node:url";
import { launch } from "./browser";

const [page, out, size] = process.argv.slice(-3).length === 3 && /^\d+x\d+$/.test(process.argv.at(-1) ?? "") ? process.argv.slice(-3) : [...process.argv.slice(-2), "1440x900"];
const [width, height] = size.split("x").map(Number);
const browser = await launch();
const tab = await browser.newPage({ viewport: { width, height } });
tab.on("console", (m) => console.log(`${m.type()}: ${m.text()}`));
tab.on("pageerror", (e) => console.log(`error: ${e.message}`));
const [path, hash] = page.split("#");
await tab.goto(pathToFileURL(path).href + (hash ? `#${hash}` : ""));
await tab.waitForFunction(() => document.documentElement.dataset.flyball !== "loading");
await tab.waitForTimeout(700);
await tab.screenshot({ path: out });
await browser.close();
