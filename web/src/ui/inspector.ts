// A card about what was clicked: type, line of the file, parameters, present values.
import type { Facts, TrailData } from "../data/format";
import type { Result } from "../data/result";
import { formatNumber, formatWith, prettyUnit, wordsOf } from "../data/units";
import type { Player } from "../player";
import type { Element } from "../scene/mechanism";
import { button, h, icon, ICONS } from "./dom";
import type { Stage } from "./stage";

export interface InspectorActions {
  toggle(channel: string): void;
  plotted(channel: string): boolean;
  goToLine(line: number, file: string | null): void;
  close(): void;
}

const UNITS = wordsOf({ mass: "kg", inertia: "kg m^2", at: "m", stiffness: "N/m", damping: "N s/m", free_length: "m", preload: "N", pitch: "m", length: "m" });

export class Inspector {
  readonly host = h("aside", { class: "inspector", "aria-label": "Chosen element", hidden: true });
  private live: { cell: HTMLElement; show: () => string }[] = [];

  constructor(
    private readonly stage: Stage,
    private readonly result: Result,
    private readonly player: Player,
    private readonly actions: InspectorActions,
  ) {
    player.onTime(() => this.update());
  }

  show(e: Element | null): void {
    this.host.hidden = e === null;
    this.live = [];
    if (!e) return;
    const m = this.stage.mechanism, line = m.lineOf(e);
    const head = h("header", {}, h("div", {}, h("h2", {}, e.name), h("p", { class: "dim" }, this.stage.typeOf(e))), button("Close", icon(ICONS.close), () => this.actions.close(), { class: "small" }));
    const facts = h("dl", {});
    const fact = (name: string, value: string | Node): void => void facts.append(h("dt", {}, name), h("dd", {}, value));
    if (line !== null) fact("line", button(`Line ${line} of the model`, `${line}`, () => this.actions.goToLine(line, m.fileOf(e)), { class: "link" }));
    const data: Facts = {};
    if (e.kind === "body") {
      const b = m.bodies[e.index];
      if (b.mass) data.mass = b.mass;
      if (b.inertia?.length) data.inertia = b.inertia.slice(0, b.inertia.slice(3).every((x) => x === 0) ? 3 : 6);
      const attached = m.joints.filter((j) => j.a?.body === e.index || j.b?.body === e.index).map((j) => j.name);
      if (attached.length > 0 && attached.length < 12) fact("joints", attached.join(", "));
    } else {
      const x = e.kind === "joint" ? m.joints[e.index] : m.forces[e.index];
      const between = (x.ends ?? []).map((end) => (end.marker ? `${end.body}.${end.marker}` : end.body)).join(" – ");
      if (between !== "") fact("between", between);
      const tied = "joints" in x ? x.joints : "joint" in x && x.joint ? [x.joint] : [];
      if (tied && tied.length > 0) fact(tied.length > 1 ? "joints" : "joint", tied.join(", "));
      Object.assign(data, x.data);
      if (e.kind === "joint") for (const motion of m.scene.motions ?? []) if (motion.joint === e.name) Object.assign(data, { [`motion ${motion.name}`]: Object.entries(motion.data ?? {}).map(([k, v]) => `${k} = ${String(v)}`).join(", ") });
    }
    for (const [name, value] of Object.entries(data)) fact(name.replaceAll("_", " "), factText(name, value));
    if (e.kind !== "body" || e.index !== m.ground) {
      const cell = h("span", {});
      fact("position", cell);
      this.live.push({ cell, show: () => m.place(e).map((x) => formatNumber(Math.abs(x) < 1e-9 * m.size ? 0 : x)).join(", ") + " m" });
    }
    const channels = this.result.channels.filter((c) => c.name.startsWith(`${e.name}.`) && !c.name.slice(e.name.length + 1).includes("."));
    const list = h("ul", { class: "values" });
    for (const c of channels.slice(0, 40)) {
      const cell = h("span", { class: "value" });
      const row = h("button", { type: "button", "aria-pressed": String(this.actions.plotted(c.name)), title: `Plot ${c.name}${c.description ? `: ${c.description}` : ""}` }, h("span", {}, c.name.slice(e.name.length + 1)), cell, h("span", { class: "unit" }, prettyUnit(c.unit)));
      row.addEventListener("click", () => {
        this.actions.toggle(c.name);
        row.setAttribute("aria-pressed", String(this.actions.plotted(c.name)));
      });
      list.append(h("li", {}, row));
      this.live.push({ cell, show: () => formatNumber(c.at(this.player.time)) });
    }
    this.host.replaceChildren(head, facts, this.trails(e), list);
    this.update();
  }

  private trails(e: Element): Node {
    const m = this.stage.mechanism;
    if (e.kind !== "body" || e.index === m.ground || !m.poses.moves) return h("span", { hidden: true });
    const b = m.bodies[e.index], center = m.centers[e.index];
    const options: TrailData[] = [{ name: `${b.name}, mass centre`, body: b.name, at: center }, ...(b.markers ?? []).map((k) => ({ name: `${b.name}.${k.name}`, body: b.name, at: k.at }))];
    const box = h("div", { class: "trail-list", role: "group", "aria-label": "Trails" }, h("span", { class: "dim" }, "trail of"));
    for (const t of options.slice(0, 8)) {
      const toggle = h("button", { type: "button", class: "chip", "aria-pressed": String(this.stage.hasTrail(t)) }, t.name.replace(/^[^.,]*[., ]+/, ""));
      toggle.addEventListener("click", () => {
        this.stage.toggleTrail(t);
        toggle.setAttribute("aria-pressed", String(this.stage.hasTrail(t)));
      });
      box.append(toggle);
    }
    return box;
  }

  private update(): void {
    if (this.host.hidden) return;
    for (const { cell, show } of this.live) {
      const text = show();
      if (cell.textContent !== text) cell.textContent = text;
    }
  }
}

function factText(name: string, value: unknown): string {
  if (typeof value === "number") return formatWith(value, UNITS[name] ?? "");
  if (Array.isArray(value)) return `${value.map((x) => (typeof x === "number" ? formatNumber(x) : String(x))).join(", ")} ${prettyUnit(UNITS[name] ?? "")}`.trim();
  return String(value);
}
