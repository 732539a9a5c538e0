// The animation with what lies over it: buttons, names, the cross of axes, scales.
import type { OpenJoint, TrailData, Vector } from "../data/format";
import { gapText } from "../data/gap";
import { formatWith } from "../data/units";
import type { Player } from "../player";
import type { Element } from "../scene/mechanism";
import { type Mechanism, sameElement } from "../scene/mechanism";
import { stressLegend } from "../scene/contour";
import { type Switches, View, type ViewName } from "../scene/view";
import { announce, button, download, fileName, h, icon, ICONS, toBlob } from "./dom";
import type { Themes } from "./theme";

const MOST_NAMES = 80;
const LINE = 20; // height of a name [pixels]

export class Stage {
  readonly host: HTMLElement;
  readonly view: View;
  readonly mechanism: Mechanism;
  selected: Element | null = null;
  onSelect: ((e: Element | null) => void) | null = null;
  private hovered: Element | null = null;
  private readonly tip = h("div", { class: "tip", "aria-hidden": "true", hidden: true });
  private readonly names = h("div", { class: "names", "aria-hidden": "true" });
  private readonly axes: SVGSVGElement;
  private readonly scales = h("div", { class: "scales" });
  private readonly checks = new Map<keyof Switches, HTMLInputElement>();
  private labels: { element: Element; tag: HTMLElement; width: number }[] = [];

  constructor(
    mechanisms: Mechanism[],
    private readonly player: Player,
    themes: Themes,
    private readonly title: string,
    patient: boolean,
  ) {
    this.mechanism = mechanisms[0];
    const frame = h("div", { class: "canvas" });
    this.axes = svgAxes();
    this.host = h("div", { class: "stage", role: "region", "aria-label": "Animation" }, frame, this.names, this.tip, this.tools(mechanisms), legendOf(mechanisms), mechanisms[0].result.stress && stressLegend(mechanisms[0].result.stress), this.scales, this.axes);
    this.view = new View(frame, mechanisms, patient);
    const canvas = this.view.canvas;
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-roledescription", "animation");
    canvas.setAttribute("aria-label", `Animation of ${title}: ${mechanisms[0].bodies.length - 1} bodies, ${mechanisms[0].joints.length} joints. Arrow keys turn the view, plus and minus zoom. Elements can be chosen in the list of channels.`);
    this.view.paint(themes.current.scene);
    themes.onChange((t) => {
      this.view.paint(t.scene);
      this.showScales();
    });
    player.onTime((t) => this.view.setTime(t));
    this.view.setTime(player.time);
    this.view.onDrawn = () => this.overlay();
    this.listen(canvas);
    this.syncChecks();
  }

  // ---------------------------------------------------------------------------------------- tools

  private tools(mechanisms: Mechanism[]): HTMLElement {
    const views: [ViewName, string][] = [["iso", "Iso"], ["xy", "XY"], ["xz", "XZ"], ["yz", "YZ"]];
    const reactions = mechanisms[0].joints.some((j) => mechanisms[0].vector(j.name, "f"));
    const applied = mechanisms[0].forces.some((f) => mechanisms[0].vector(f.name, "f") ?? mechanisms[0].vector(f.name, "t"));
    const touching = (mechanisms[0].scene.contacts ?? []).some((c) => mechanisms[0].vector(c.name, "f"));
    const check = (name: keyof Switches, label: string): HTMLElement => {
      const box = h("input", { type: "checkbox" });
      box.addEventListener("change", () => this.set(name, box.checked));
      this.checks.set(name, box);
      return h("label", {}, box, label);
    };
    const size = h("input", { type: "range", min: -1, max: 1, step: 0.05, value: 0, "aria-label": "Length of arrows" });
    size.addEventListener("input", () => {
      this.view.setArrowFactor(10 ** Number(size.value));
      this.showScales();
    });
    const bend = h("input", { type: "range", min: 0, max: 3, step: 0.05, value: 0, "aria-label": "Deformation drawn larger" });
    bend.addEventListener("input", () => {
      this.view.setDeformation(10 ** Number(bend.value));
      bend.title = `${(10 ** Number(bend.value)).toPrecision(2)} times as large`;
    });
    const menu = h(
      "details",
      { class: "menu" },
      h("summary", {}, icon(ICONS.eye), " Show"),
      h(
        "div",
        { class: "menu-body" },
        check("joints", "Joints"),
        mechanisms[0].forces.length > 0 && check("forces", "Springs, dampers, bushings"),
        applied && check("applied", "Applied forces"),
        reactions && check("reactions", "Reaction forces"),
        reactions && check("torques", "Reaction torques"),
        touching && check("contacts", "Contacts: points and forces"),
        (reactions || applied || touching) && h("label", { class: "range" }, "Arrows", size),
        (mechanisms[0].result.stress !== null || mechanisms[0].bodies.some((b) => b.curve && !b.shapes?.length)) && h("label", { class: "range" }, "Deformation", bend),
        check("trails", "Trails"),
        check("grid", "Grid"),
        check("names", "Names"),
        check("perspective", "Perspective"),
        mechanisms.length > 1 && check("second", `${mechanisms[1].result.name} (transparent)`),
      ),
    );
    menu.addEventListener("keydown", (e) => {
      if (e.key === "Escape" && menu.open) {
        menu.open = false;
        menu.querySelector("summary")?.focus();
        e.stopPropagation();
      }
    });
    document.addEventListener("pointerdown", (e) => {
      if (menu.open && !menu.contains(e.target as Node)) menu.open = false;
    });
    return h(
      "div",
      { class: "stage-tools", role: "group", "aria-label": "View" },
      ...views.map(([name, label]) => h("button", { type: "button", title: `View ${label}`, "aria-label": `View ${label}`, click: () => this.setView(name) }, label)),
      button("Fit", icon(ICONS.fit), () => this.view.fit()),
      button("Save a picture", icon(ICONS.camera), () => void this.save()),
      menu,
    );
  }

  setView(name: ViewName): void {
    this.view.setView(name);
    announce(`View ${name}`);
  }

  set(name: keyof Switches, on: boolean): void {
    this.view.set(name, on);
    this.syncChecks();
    this.showScales();
  }
  toggle(name: keyof Switches): void {
    this.set(name, !this.view.switches[name]);
    announce(`${name} ${this.view.switches[name] ? "on" : "off"}`);
  }

  private syncChecks(): void {
    for (const [name, box] of this.checks) box.checked = this.view.switches[name];
    for (const [name, on] of Object.entries(this.view.switches)) if (!on && name !== "perspective") this.view.set(name as keyof Switches, false);
    this.buildNames();
  }

  toggleTrail(t: TrailData): void {
    const on = this.view.toggleTrail(t);
    if (on) this.set("trails", true);
    announce(`Trail of ${t.name} ${on ? "on" : "off"}`);
  }
  hasTrail(t: TrailData): boolean {
    return this.view.actors[0].trails.has(t);
  }

  private async save(): Promise<void> {
    const { width, height } = this.view.canvas;
    download(`${fileName(this.title)}.png`, await toBlob(this.view.picture(width, height)));
    announce("Picture saved");
  }

  // ---------------------------------------------------------------------------------------- overlays

  private showScales(): void {
    const out: (Node | string)[] = [h("span", {}, `Grid ${formatWith(this.view.gridPitch, "m", 3)}`)];
    const { forces, contacts } = this.view.actors[0], s = this.view.switches, pixels = this.view.pixelsPerMetre();
    const show = (legend: { value: number; length: number } | null, unit: string, look: string, ...words: Node[]): void => {
      if (!legend) return;
      const bar = h("span", { class: `scale-bar ${look}` });
      bar.style.width = `${Math.min(200, legend.length * pixels).toFixed(1)}px`;
      out.push(h("span", { class: "scale" }, bar, formatWith(legend.value, unit, 2), ...words));
    };
    const put = (kind: "force" | "torque", unit: string, look: string): void => show(forces.legend(kind), unit, look);
    if (s.reactions || (s.applied && forces.hasForces)) put("force", "N", s.reactions ? "reaction" : "applied");
    if (s.torques || (s.applied && forces.hasForces && forces.largest.torque > 0)) put("torque", "N m", s.torques ? "torque" : "applied");
    if (s.contacts) show(contacts.legend(), "N", "press", h("span", { class: "dim" }, "presses"), h("span", { class: "scale-bar rub" }), h("span", { class: "dim" }, "rubs"));
    if (this.view.lowered) out.push(h("span", { title: "Drawing is slow on this machine: shadows or resolution are reduced" }, "reduced quality"));
    this.scales.replaceChildren(...out);
  }

  private buildNames(): void {
    this.names.replaceChildren();
    this.labels = [];
    const { elements, joints, ground } = this.mechanism;
    const open = (e: Element): OpenJoint | null => (e.kind === "joint" ? joints[e.index].open : null);
    const named = this.view.switches.names ? elements.slice(0, MOST_NAMES) : [];
    for (const element of [...elements.filter(open), ...named.filter((e) => !open(e))]) {
      if (element.kind === "body" && element.index === ground) continue;
      const gap = open(element), text = gap ? `${element.name}: ${gapText(gap)}` : element.name;
      const tag = h("span", { class: `name ${gap ? "open" : element.kind}` }, text);
      this.names.append(tag);
      this.labels.push({ element, tag, width: tag.offsetWidth || (gap ? 7.6 * text.length + 16 : 7 * text.length) });
    }
    this.view.invalidate();
  }

  private framesToScales = 0;
  private overlay(): void {
    const taken: { x: number; y: number; width: number }[] = [];
    for (const { element, tag, width } of this.labels) {
      const p = this.view.project(this.mechanism.place(element));
      tag.hidden = p === null;
      if (!p) continue;
      p.x = Math.max(0, Math.min(p.x, this.host.clientWidth - width - 16));
      // names do not lie on each other: the later one moves down
      for (const t of taken) if (Math.abs(t.y - p.y) < LINE && p.x < t.x + t.width && t.x < p.x + width) p.y = t.y + LINE;
      taken.push({ ...p, width });
      tag.style.transform = `translate(${p.x.toFixed(1)}px, ${p.y.toFixed(1)}px)`;
    }
    drawAxes(this.axes, this.view.axes());
    if (this.framesToScales-- <= 0) {
      this.framesToScales = 15;
      this.showScales();
    }
    if (!this.tip.hidden && this.hovered) this.placeTip();
  }

  // ---------------------------------------------------------------------------------------- pointing

  private pointer = { x: 0, y: 0 };

  private listen(canvas: HTMLCanvasElement): void {
    let down: { x: number; y: number } | null = null;
    let asked = false;
    const at = (e: PointerEvent): { x: number; y: number } => {
      const r = canvas.getBoundingClientRect();
      return { x: e.clientX - r.left, y: e.clientY - r.top };
    };
    canvas.addEventListener("pointermove", (e) => {
      this.pointer = at(e);
      if (e.buttons !== 0 || e.pointerType === "touch" || asked) return;
      asked = true; // at most one search a frame
      requestAnimationFrame(() => {
        asked = false;
        this.hover(this.view.pick(this.pointer.x, this.pointer.y));
      });
    });
    canvas.addEventListener("pointerleave", () => this.hover(null));
    canvas.addEventListener("pointerdown", (e) => (down = at(e)));
    canvas.addEventListener("pointerup", (e) => {
      const p = at(e);
      if (down && Math.hypot(p.x - down.x, p.y - down.y) < 5) this.select(this.view.pick(p.x, p.y));
      down = null;
    });
    canvas.addEventListener("keydown", (e) => {
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      const turn = 0.12, shift = e.shiftKey;
      const keys: Record<string, () => void> = {
        ArrowLeft: () => (shift ? this.view.pan(0.06, 0) : this.view.orbit(-turn, 0)),
        ArrowRight: () => (shift ? this.view.pan(-0.06, 0) : this.view.orbit(turn, 0)),
        ArrowUp: () => (shift ? this.view.pan(0, -0.06) : this.view.orbit(0, -turn)),
        ArrowDown: () => (shift ? this.view.pan(0, 0.06) : this.view.orbit(0, turn)),
        "+": () => this.view.zoom(1.2),
        "=": () => this.view.zoom(1.2),
        "-": () => this.view.zoom(1 / 1.2),
      };
      const act = keys[e.key];
      if (!act) return;
      act();
      e.preventDefault();
      e.stopPropagation();
    });
  }

  private hover(e: Element | null): void {
    if (sameElement(e, this.hovered)) {
      if (e) this.placeTip();
      return;
    }
    this.hovered = e;
    this.view.mark(this.selected, e);
    this.view.canvas.style.cursor = e ? "pointer" : "";
    this.tip.hidden = e === null;
    if (e) {
      this.tip.replaceChildren(h("b", {}, e.name), ` ${this.typeOf(e)}`);
      this.placeTip();
    }
  }

  private placeTip(): void {
    this.tip.style.transform = `translate(${this.pointer.x + 14}px, ${this.pointer.y + 14}px)`;
  }

  typeOf(e: Element): string {
    if (e.kind === "body") return this.mechanism.bodies[e.index].kind === "ground" ? "ground" : `${this.mechanism.bodies[e.index].kind} body`;
    if (e.kind === "joint") return `${this.mechanism.joints[e.index].type} joint`;
    return this.mechanism.forces[e.index].type;
  }

  select(e: Element | null): void {
    this.selected = e;
    this.view.mark(e, this.hovered);
    if (e) announce(`${e.name}, ${this.typeOf(e)}, chosen`);
    this.onSelect?.(e);
  }

  selectByName(name: string): void {
    const e = this.mechanism.elements.find((x) => x.name === name);
    if (e) this.select(e);
  }

  draw(): boolean {
    return this.view.draw();
  }
  get time(): number {
    return this.player.time;
  }
  placeOf(name: string): { x: number; y: number } | null {
    const e = this.mechanism.elements.find((x) => x.name === name);
    if (!e) return null;
    const place: Vector = this.mechanism.place(e);
    return this.view.project(place);
  }
}

// Which of two results is which.
function legendOf(mechanisms: Mechanism[]): HTMLElement | null {
  if (mechanisms.length < 2) return null;
  const [first, second] = mechanisms.map((m) => m.result.name);
  return h("div", { class: "stage-legend", role: "note", "aria-label": "Results" }, h("span", {}, h("span", { class: "chip-key solid" }), first), h("span", {}, h("span", { class: "chip-key ghost" }), `${second}, transparent`));
}

function svgAxes(): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "axes");
  svg.setAttribute("viewBox", "-36 -36 72 72");
  svg.setAttribute("aria-hidden", "true");
  for (const name of ["x", "y", "z"]) {
    const g = document.createElementNS("http://www.w3.org/2000/svg", "g");
    g.setAttribute("class", `axis-${name}`);
    g.append(document.createElementNS("http://www.w3.org/2000/svg", "line"), document.createElementNS("http://www.w3.org/2000/svg", "circle"), document.createElementNS("http://www.w3.org/2000/svg", "text"));
    g.lastElementChild?.append(name.toUpperCase());
    svg.append(g);
  }
  return svg;
}

function drawAxes(svg: SVGSVGElement, axes: { x: number; y: number; z: number }[]): void {
  const L = 24;
  const groups = ["x", "y", "z"].map((n) => svg.querySelector(`.axis-${n}`) as SVGGElement);
  axes.forEach((a, k) => {
    const [line, circle, text] = [...groups[k].children];
    const x = (a.x * L).toFixed(1), y = (-a.y * L).toFixed(1);
    line.setAttribute("x2", x);
    line.setAttribute("y2", y);
    circle.setAttribute("cx", x);
    circle.setAttribute("cy", y);
    circle.setAttribute("r", "7.5");
    text.setAttribute("x", x);
    text.setAttribute("y", y);
  });
  // what points to the viewer lies above
  [...groups.keys()].sort((p, q) => axes[p].z - axes[q].z).forEach((k) => svg.append(groups[k]));
}
