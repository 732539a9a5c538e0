// The text of the model with line numbers; elements of the scene are links into the animation.
import { baseName } from "../data/record";
import type { Result } from "../data/result";
import { h } from "./dom";
import { guarded } from "./fault";

export class ModelPage {
  readonly host = h("div", { class: "model" });
  private readonly files: { result: number; name: string; lines: HTMLElement[] }[] = [];

  constructor(
    results: Result[],
    select: (element: string) => void,
  ) {
    guarded(this.host, () => this.fill(results, select));
  }

  private fill(results: Result[], select: (element: string) => void): void {
    const shown = results.flatMap((r) => r.record.files.flatMap((file) => (file.text ? [{ r, name: file.name, text: file.text }] : [])));
    const unlike = shown.filter((x, k) => shown.findIndex((y) => y.name === x.name && y.text === x.text) === k);
    if (unlike.length === 0) this.host.append(h("p", { class: "nothing" }, "The text of the model is not in this result."));
    for (const { r, name, text } of unlike) {
      const elements = new Map<number, string>();
      for (const e of [...(r.scene?.bodies ?? []), ...(r.scene?.joints ?? []), ...(r.scene?.forces ?? [])])
        if (e.line && (!e.file || baseName(e.file) === name)) elements.set(e.line, e.name);
      const code = h("ol", { class: "code" });
      text.replace(/\n$/, "").split("\n").forEach((content, k) => {
        const element = elements.get(k + 1);
        const line = h("li", { tabindex: -1 }, h("code", {}, ...colored(content)));
        if (element) line.append(h("button", { type: "button", class: "show", "aria-label": `Show ${element}`, title: `Show ${element} in the animation`, click: () => select(element) }, "show"));
        code.append(line);
      });
      this.files.push({ result: r.index, name, lines: [...code.children] as HTMLElement[] });
      this.host.append(h("article", {}, h("h2", {}, unlike.length > 1 && results.length > 1 ? `${name} (${r.name})` : name), code));
    }
  }

  goTo(line: number, result: number, file: string | null): void {
    const named = this.files.filter((f) => file === null || f.name === baseName(file));
    const target = (named.find((f) => f.result === result) ?? named[0])?.lines[line - 1];
    this.host.querySelector(".here")?.classList.remove("here");
    target?.classList.add("here");
    target?.scrollIntoView({ block: "center" });
    target?.focus({ preventScroll: true });
  }
}

// YAML, lightly: comments and keys.
function colored(text: string): (Node | string)[] {
  const comment = /(^|\s)#.*$/.exec(text);
  const body = comment ? text.slice(0, comment.index) : text;
  const out: (Node | string)[] = [];
  let last = 0;
  for (const m of body.matchAll(/(^\s*|[{,]\s*)([\w.-]+)(?=:(\s|$))/g)) {
    const at = m.index + m[1].length;
    out.push(body.slice(last, at), h("span", { class: "code-key" }, m[2]));
    last = at + m[2].length;
  }
  out.push(body.slice(last));
  if (comment) out.push(h("span", { class: "code-comment" }, comment[0]));
  return out.filter((x) => x !== "");
}
