// Reads the data of the page and starts it, or says why not.
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { decodePage } from "./data/result";
import type { Head } from "./data/format";
import type { BlockText } from "./data/blocks";
import { App } from "./ui/app";
import { h } from "./ui/dom";
import { readWishes } from "./ui/hash";
import { film } from "./ui/film";

declare global {
  interface Window {
    flyball?: App; // for tests
    flyballShow?: typeof show; // likewise: another result in the same page
  }
}

function readBlocks(): BlockText[] {
  return [...document.querySelectorAll<HTMLElement>("script.flyball-block")].map((e) => {
    const block = { text: e.textContent ?? "", codec: e.dataset.codec ?? "raw", filter: e.dataset.filter ?? "" };
    e.remove();
    return block;
  });
}

function say(title: string, text: string): void {
  document.getElementById("app")?.replaceChildren(h("div", { class: "empty-page", role: "alert" }, h("h1", {}, title), h("p", {}, text)));
}

async function show(head: Head, blocks: BlockText[]): Promise<void> {
  const wishes = readWishes(location.hash), data = await decodePage(head, blocks);
  window.flyball?.close();
  const app = new App(document.getElementById("app") as HTMLElement, data, wishes);
  window.flyball = app;
  if (wishes.record !== null) await film(app, wishes);
  const drawn = !wishes.still || (app.stage?.view.freeze() ?? true);
  document.documentElement.dataset.flyball = drawn ? "ready" : "blank";
}

async function start(): Promise<void> {
  window.flyballShow = show;
  const text = document.getElementById("flyball-head")?.textContent ?? "null";
  let head: Head | null;
  try {
    head = JSON.parse(text) as Head | null;
  } catch {
    throw new Error("The data of this page is cut off or damaged. Make the report again.");
  }
  if (head === null) {
    say("An empty page", "This is the page of flyball report without a result. Make one by: flyball report RESULT");
    document.documentElement.dataset.flyball = "ready";
    return;
  }
  await show(head, readBlocks());
}

start().catch((e: unknown) => {
  say("This page cannot be shown", e instanceof Error ? e.message : String(e));
  document.documentElement.dataset.flyball = "failed";
});
