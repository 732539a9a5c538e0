// The text of the model with line numbers; elements of the scene are links into the animation.
import type { Result } from "../data/result";
import { h } from "./dom";

export class ModelPage {
  readonly host = h("div", { class: "model" });

  constructor(
    results: Result[],
    select: (element: string) => void,
  ) {
    const shown = results.filter((r, k) => r.record.model?.text && results.findIndex((x) => x.record.model?.text === r.record.model?.text) === k);
    if (shown.length === 0) this.host.append(h("p", { class: "nothing" }, "The text of the model is not in this result."));
    for (const r of shown) {
      const elements = new Map<number, string>();
      for (const e of [...(r.scene?.bodies ?? []), ...(r.scene?.joints ?? []), ...(r.scene?.forces ?? [])]) if (e.line) elements.set(e.line, e.name);
      const lines = (r.record.model?.text ?? "").replace(/\n$/, "").split("\n");
      const code = h("ol", { class: "code" });
      lines.forEach((text, k) => {
        const element = elements.get(k + 1);
        const line = h("li", { id: `line-${r.index}-${k + 1}`, tabindex: -1 }, h("code", {}, ...colored(text)));
        if (element) {
          const show = h("button", { type: "button", class: "show", "aria-label": `Show ${element}`, title: `Show ${element} in the animation`, click: () => select(element) }, "show");
          line.append(show);
        }
        code.append(line);
      });
      this.host.append(h("article", {}, h("h2", {}, r.record.model?.file ?? r.name), code));
    }
  }

  goTo(line: number, result: number): void {
    const target = this.host.querySelector<HTMLElement>(`#line-${result}-${line}`) ?? this.host.querySelector<HTMLElement>(`[id$="-${line}"]`);
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
