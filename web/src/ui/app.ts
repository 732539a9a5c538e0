// The page: header, tabs, panes, and who tells whom.
import type { PageData, Result } from "../data/result";
import { catalogue, firstPlots } from "../plots/catalogue";
import { Panels } from "../plots/panels";
import { ChannelTree } from "../plots/tree";
import { Player } from "../player";
import { Mechanism } from "../scene/mechanism";
import type { Switches, ViewName } from "../scene/view";
import { certificatePage } from "../story/certificate";
import { hasProfile, profilePage } from "../story/profile";
import { SolverPage } from "../story/solver";
import { type Verdict, verdictOf } from "../story/verdict";
import { announce, button, h, icon, ICONS } from "./dom";
import { faultNote, guarded } from "./fault";
import type { Wishes } from "./hash";
import { Inspector } from "./inspector";
import { ModelPage } from "./modelpage";
import { Stage } from "./stage";
import { motionReduced, Themes } from "./theme";
import { ModeChooser } from "./modes";
import { phaseDial, transport } from "./transport";

type Tab = "motion" | "plots" | "channels" | "solver" | "profile" | "certificate" | "model";
const TABS: [Tab, string, boolean][] = [["motion", "Motion", false], ["plots", "Plots", true], ["channels", "Channels", true], ["solver", "Solver", false], ["profile", "Profile", false], ["certificate", "Certificate", false], ["model", "Model", false]];

const SHORTCUTS: [string, string][] = [
  ["Space", "play or pause"], [", and .", "one frame back or on"], ["Home, End", "to the start or the end"], ["[ and ]", "slower or faster"], ["L", "loop"],
  ["1 2 3 4", "views XY, XZ, YZ, Iso"], ["F", "fit"], ["Arrows on the animation", "turn; with Shift, move; + and − zoom"], ["N", "names"], ["R", "reaction forces"], ["C", "contacts"], ["/", "search channels"],
  ["T", "light or dark"], ["Esc", "close, choose nothing"], ["?", "this list"],
];

export class App {
  readonly player: Player;
  readonly clock: Player; // of the animation: the same, or the phase of a mode
  readonly modes: ModeChooser | null;
  readonly panels: Panels;
  readonly stage: Stage | null;
  readonly tree: ChannelTree;
  readonly solver: SolverPage;
  readonly themes: Themes;
  private readonly inspector: Inspector | null;
  private readonly model: ModelPage;
  private readonly tabs = new Map<Tab, HTMLButtonElement>();
  private readonly pages = new Map<string, HTMLElement>();
  private readonly help: HTMLDialogElement;
  private tab: Tab = "motion";
  private frame = 0;
  private dark = false; // nothing is drawn any more
  private readonly onKey = (e: KeyboardEvent): void => this.key(e);

  constructor(
    root: HTMLElement,
    readonly data: PageData,
    wishes: Wishes,
  ) {
    const { results, title } = data;
    this.themes = new Themes(wishes.theme);
    const starts = results.filter((r) => r.time.length > 0);
    const start = Math.min(...starts.map((r) => r.start)), end = Math.max(...starts.map((r) => r.end));
    this.player = new Player(Number.isFinite(start) ? start : 0, Number.isFinite(end) ? end : 0, results[0].time);

    this.clock = results[0].modes && results[0].scene ? phaseClock() : this.player;

    const sections = catalogue(results);
    this.panels = new Panels(results, this.player, this.themes, title);
    this.stage = this.makeStage(results, title, wishes.bare || wishes.still);
    const swing = this.stage?.mechanism.swing ?? null;
    this.modes = swing ? new ModeChooser(swing, () => this.stage?.view.invalidate()) : null;
    if (this.modes) this.stage?.host.append(this.modes.host);
    const select = (element: string): void => {
      this.stage?.selectByName(element);
    };
    this.tree = new ChannelTree(sections, { toggle: (c) => (this.plots ? this.panels.toggle(c) : select(c.slice(0, c.lastIndexOf(".")))), colorsOf: (c) => this.panels.colorsOf(c), select });
    this.panels.onChange = () => this.tree.refresh();
    this.inspector = this.stage
      ? new Inspector(this.stage, results[0], this.player, {
          toggle: (c) => this.panels.toggle(c),
          plotted: (c) => this.panels.colorsOf(c).length > 0,
          goToLine: (line, file) => this.goToLine(line, 0, file),
          close: () => this.stage?.select(null),
        })
      : null;
    if (this.stage)
      this.stage.onSelect = (e) => {
        this.inspector?.show(e);
        if (e) this.tree.reveal(e.name);
      };
    this.solver = new SolverPage(results, this.player, this.themes);
    this.model = new ModelPage(results, (e) => {
      this.show("motion");
      select(e);
    });
    this.help = this.makeHelp();
    const shown = [this.makeHeader(title, results), this.makeBanner(results), this.makeMain(results), this.modes ? transport(this.clock, [], phaseDial) : this.player.span > 0 ? transport(this.player, eventsOf(results)) : null, this.help];
    root.replaceChildren(...shown.filter((x): x is HTMLElement => x !== null), this.names(results));
    document.title = `${title} – Flyball`;
    document.body.classList.toggle("bare", wishes.bare);
    const plots = wishes.plots.length > 0 ? wishes.plots : firstPlots(sections, results);
    for (const p of !this.plots ? [] : plots.length > 0 ? plots : results.some((r) => r.channels.length > 0) ? [[]] : []) this.panels.add(p);
    this.panels.activate(this.panels.panels[0] ?? null);
    this.show(this.tabs.has(wishes.tab as Tab) ? (wishes.tab as Tab) : this.stage ? "motion" : "plots");
    this.obey(wishes);
    document.addEventListener("keydown", this.onKey);
    this.run();
    if (wishes.time === null && !motionReduced() && wishes.record === null) this.clock.play(true);
  }

  // A scene that cannot be shown costs the animation, not the page.
  private makeStage(results: Result[], title: string, patient: boolean): Stage | null {
    const why = (e: unknown): string => (e instanceof Error ? e.message : String(e));
    let mechanisms: Mechanism[];
    try {
      mechanisms = results.flatMap((r) => (r.scene ? [new Mechanism(r, r.scene)] : []));
    } catch (e) {
      this.noStage = `The scene of this result is damaged and cannot be drawn (${why(e)}). Plots and certificate are complete.`;
      return null;
    }
    if (mechanisms.length === 0) return null;
    try {
      return new Stage(mechanisms, this.clock, this.themes, title, patient);
    } catch (e) {
      this.noStage = `The animation cannot be drawn: ${why(e)} It needs WebGL 2. Plots and certificate are complete.`;
      return null;
    }
  }
  private noStage = "This result holds no scene, so there is nothing to animate.";

  private obey(w: Wishes): void {
    if (w.time !== null) this.clock.seek(w.time);
    if (w.mode !== null) this.modes?.choose(w.mode - 1);
    if (w.amplitude !== null) this.modes?.setAmplitude(w.amplitude);
    const stage = this.stage;
    if (!stage) return;
    for (const s of w.show) if (s in stage.view.switches) stage.set(s as keyof Switches, true);
    if (w.view !== null && ["xy", "xz", "yz", "iso"].includes(w.view)) stage.view.setView(w.view as ViewName);
  }

  // ---------------------------------------------------------------------------------------- layout

  private makeHeader(title: string, results: Result[]): HTMLElement {
    const tablist = h("div", { class: "tabs", role: "tablist", "aria-label": "Parts of the report" });
    for (const [tab, label, narrow] of TABS) {
      if ((tab === "channels" && !this.hasChannels(results)) || (tab === "plots" && !(this.hasChannels(results) && this.plots)) || (tab === "profile" && !hasProfile(results))) continue;
      const b = h("button", { type: "button", role: "tab", id: `tab-${tab}`, "aria-selected": "false", "aria-controls": `page-${pageOf(tab)}`, class: narrow ? "narrow-only" : "", tabindex: -1, click: () => this.show(tab) }, label);
      this.tabs.set(tab, b);
      tablist.append(b);
    }
    tablist.addEventListener("keydown", (e) => {
      const step = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0;
      if (step === 0) return;
      const seen = [...this.tabs.entries()].filter(([, b]) => b.offsetParent !== null);
      const k = seen.findIndex(([t]) => t === this.tab);
      const [to, b] = seen[(k + step + seen.length) % seen.length];
      this.show(to);
      b.focus();
      e.preventDefault();
      e.stopPropagation();
    });
    const verdicts = results.map((r) => verdictOf(r.record, r.modes?.modes.length));
    const worst = worstOf(verdicts);
    const badge = h("button", { type: "button", class: `badge ${worst.tone}`, title: "To the certificate", click: () => this.show("certificate") }, icon(worst.tone === "good" ? ICONS.check : worst.tone === "plain" ? ICONS.eye : worst.tone === "bad" ? ICONS.cross : ICONS.warning), worst.short);
    return h(
      "header",
      { class: "top" },
      h("div", { class: "brand" }, mark(), h("h1", {}, title), results.length > 1 && h("span", { class: "dim versus" }, h("span", { class: "key solid", "aria-hidden": "true" }), results[0].name, h("span", { class: "key dashed", "aria-hidden": "true" }), results[1].name)),
      tablist,
      h("div", { class: "top-tools" }, badge, button("Light or dark", icon(ICONS.sun), () => this.themes.toggle()), button("Keyboard shortcuts", icon(ICONS.help), () => this.help.showModal())),
    );
  }

  private makeBanner(results: Result[]): HTMLElement | null {
    const rows: HTMLElement[] = [];
    for (const r of results) {
      const v = verdictOf(r.record, r.modes?.modes.length);
      if (v.tone === "good" || v.tone === "plain") continue;
      rows.push(h("div", { class: `banner ${v.tone}`, role: "alert" }, icon(v.tone === "bad" ? ICONS.cross : ICONS.warning), h("div", {}, h("b", {}, results.length > 1 ? `${r.name}: ` : "", v.title), ...v.reasons.slice(0, 3).map((x) => h("p", {}, x)))));
    }
    for (const r of results) if (r.notes.length > 0) rows.push(h("div", { class: "banner note" }, h("p", {}, results.length > 1 ? `${r.name}: ` : "", r.notes.join(" "))));
    return rows.length > 0 ? h("div", { class: "banners" }, ...rows) : null;
  }

  private makeMain(results: Result[]): HTMLElement {
    const page = (name: string, label: string, ...content: Node[]): HTMLElement => {
      const p = h("section", { id: `page-${name}`, role: "tabpanel", "aria-label": label, class: `page page-${name}`, tabindex: -1 }, ...content);
      this.pages.set(name, p);
      return p;
    };
    const hasChannels = this.hasChannels(results), hasPlots = hasChannels && this.plots;
    const damage = faultNote(results, ["scene", "modes"]);
    const stage = h("div", { class: "pane stage-pane" }, this.stage ? this.stage.host : h("p", { class: "nothing" }, this.noStage), this.inspector?.host, damage);
    const motion = page(
      "motion",
      "Motion and plots",
      ...(hasChannels ? [h("div", { class: "pane channels-pane" }, this.tree.host)] : []),
      stage,
      ...(hasPlots ? [splitter(), h("div", { class: "pane plots-pane" }, this.panels.host, faultNote(results, ["numbers"]))] : []),
    );
    motion.classList.toggle("scene-only", !hasChannels);
    motion.classList.toggle("no-plots", hasChannels && !hasPlots);
    motion.classList.toggle("plots-only", results.every((r) => !r.scene) && !damage);
    return h("main", {}, motion, page("solver", "Solver", this.solver.host), ...(hasProfile(results) ? [page("profile", "Profile", profilePage(results))] : []), page("certificate", "Certificate", certificatePage(results, { select: (e) => this.selectFromPage(e), seek: (t) => this.seekFromPage(t), goToLine: (line, r, file) => this.goToLine(line, r, file) })), page("model", "Model", this.model.host));
  }

  // Of modes there is one row only, which says where they swing about.
  private hasChannels(results: Result[]): boolean {
    return this.modes === null && results.some((r) => r.channels.length > 0);
  }

  // A model at rest, or not run, has one row or none: its values are told beside the animation, and nothing is plotted.
  private get plots(): boolean {
    return this.stage === null || this.player.span > 0;
  }

  private selectFromPage(element: string): void {
    this.show("motion");
    this.stage?.selectByName(element);
  }

  private seekFromPage(t: number): void {
    this.show("motion");
    this.player.play(false);
    this.player.seek(t);
  }

  private names(results: Result[]): HTMLElement {
    const all = [...new Set(results.flatMap((r) => r.channels.map((c) => c.name)))].slice(0, 3000);
    return h("datalist", { id: "channel-names" }, ...all.map((n) => h("option", { value: n })));
  }

  private makeHelp(): HTMLDialogElement {
    const dialog = h("dialog", { class: "help", "aria-label": "Keyboard shortcuts" });
    dialog.append(
      h("header", {}, h("h2", {}, "Keyboard and mouse"), button("Close", icon(ICONS.close), () => dialog.close(), { class: "small" })),
      h("dl", {}, ...SHORTCUTS.flatMap(([k, text]) => [h("dt", {}, h("kbd", {}, k)), h("dd", {}, text)])),
      h("p", { class: "dim" }, "Animation: drag turns, right drag moves, the wheel zooms; a click tells about an element. Plots: drag zooms, a double click shows all, a click goes to that time, Ctrl and the wheel zooms. Channels can be dragged from the tree into a panel or onto its x field."),
      h("p", { class: "dim" }, "This page contains three.js and uPlot (MIT licence; texts in its source)."),
    );
    dialog.addEventListener("click", (e) => {
      if (e.target === dialog) dialog.close();
    });
    return dialog;
  }

  show(tab: Tab): void {
    this.tab = tab;
    document.body.dataset.tab = tab;
    for (const [t, b] of this.tabs) {
      // on wide screens plots and channels are beside the motion
      const on = t === tab;
      b.setAttribute("aria-selected", String(on));
      b.classList.toggle("with-motion", t === "motion" && pageOf(tab) === "motion");
      b.tabIndex = on || (t === "motion" && pageOf(tab) === "motion") ? 0 : -1;
    }
    for (const [name, page] of this.pages) page.hidden = name !== pageOf(tab);
    this.stage?.view.invalidate();
  }

  private goToLine(line: number, result: number, file: string | null): void {
    this.show("model");
    this.model.goTo(line, result, file);
  }

  // ---------------------------------------------------------------------------------------- time and keys

  private run(): void {
    let last = performance.now();
    const frame = (now: number): void => {
      const seconds = (now - last) / 1000;
      last = now;
      this.clock.tick(Math.max(0, seconds));
      if (pageOf(this.tab) === "motion") this.drawStage();
      this.frame = requestAnimationFrame(frame);
    };
    this.frame = requestAnimationFrame(frame);
  }

  // A picture that cannot be drawn is told once, and no further one is tried.
  private drawStage(): void {
    const { stage } = this;
    if (!stage || this.dark) return;
    guarded(stage.host, () => {
      this.dark = true;
      stage.draw();
      this.dark = false;
    });
  }

  // Makes room for another result in the same page.
  close(): void {
    cancelAnimationFrame(this.frame);
    document.removeEventListener("keydown", this.onKey);
    this.stage?.view.close();
  }

  private key(e: KeyboardEvent): void {
    const target = e.target as HTMLElement;
    if (e.ctrlKey || e.metaKey || e.altKey || this.help.open) return;
    const typing = target.matches("input:not([type=checkbox]):not([type=range]), textarea, select");
    if (typing && e.key !== "Escape") return;
    // a focused button takes space for itself
    if (e.key === " " && target.matches("button, summary, input, [role=treeitem]")) return;
    if ((e.key === "Home" || e.key === "End") && target.matches("input")) return;
    const p = this.clock;
    const speeds = [1e-4, 1e-3, 0.01, 0.1, 1, 10, 100];
    const faster = (f: 1 | -1): void => {
      const list = f > 0 ? speeds : [...speeds].reverse();
      const next = list.find((s) => (f > 0 ? s > p.speed * 1.01 : s < p.speed / 1.01));
      if (next !== undefined) p.setSpeed(next);
    };
    const keys: Record<string, () => void> = {
      " ": () => p.play(!p.playing),
      ",": () => p.step(-1),
      ".": () => p.step(1),
      Home: () => p.seek(p.start),
      End: () => p.seek(p.end),
      "[": () => faster(-1),
      "]": () => faster(1),
      l: () => p.setLoop(!p.loop),
      "1": () => this.stage?.setView("xy"),
      "2": () => this.stage?.setView("xz"),
      "3": () => this.stage?.setView("yz"),
      "4": () => this.stage?.setView("iso"),
      f: () => this.stage?.view.fit(),
      n: () => this.stage?.toggle("names"),
      r: () => this.stage?.toggle("reactions"),
      c: () => this.stage?.toggle("contacts"),
      t: () => this.themes.toggle(),
      "/": () => {
        if (window.matchMedia("(max-width: 820px)").matches) this.show("channels");
        else this.show("motion");
        this.tree.focusSearch();
      },
      "?": () => this.help.showModal(),
      Escape: () => {
        this.stage?.select(null);
        if (typing) target.blur();
      },
    };
    const act = keys[e.key.length === 1 ? e.key.toLowerCase() : e.key];
    if (!act) return;
    act();
    e.preventDefault();
    if (e.key === " ") announce(p.playing ? "Playing" : "Paused");
  }
}

// One swing, in steps of ten degrees.
function phaseClock(): Player {
  const clock = new Player(0, 1, Float64Array.from({ length: 37 }, (_, k) => k / 36));
  clock.speed = 0.5;
  return clock;
}

const pageOf = (tab: Tab): string => (tab === "plots" || tab === "channels" ? "motion" : tab);

function worstOf(verdicts: Verdict[]): Verdict {
  const order = ["bad", "warn", "plain", "good"];
  return [...verdicts].sort((a, b) => order.indexOf(a.tone) - order.indexOf(b.tone))[0];
}

function eventsOf(results: Result[]): { t: number; text: string }[] {
  return results.flatMap((r) => (r.story?.events ?? []).map((e) => ({ t: e.t, text: [e.name, e.text].filter(Boolean).join(": ") })));
}

// Between animation and plots; also by arrow keys.
function splitter(): HTMLElement {
  const bar = h("div", { class: "splitter", role: "separator", "aria-orientation": "vertical", "aria-label": "Width of the plots", "aria-valuemin": 20, "aria-valuemax": 80, "aria-valuenow": 46, tabindex: 0 });
  let percent = 46;
  const set = (x: number): void => {
    percent = Math.min(80, Math.max(20, x));
    bar.setAttribute("aria-valuenow", String(Math.round(percent)));
    bar.parentElement?.style.setProperty("--plots", `${percent}%`);
  };
  bar.addEventListener("pointerdown", (e) => {
    bar.setPointerCapture(e.pointerId);
    const move = (m: PointerEvent): void => {
      const r = (bar.parentElement as HTMLElement).getBoundingClientRect();
      set((100 * (r.right - m.clientX)) / r.width);
    };
    bar.addEventListener("pointermove", move);
    bar.addEventListener("pointerup", () => bar.removeEventListener("pointermove", move), { once: true });
  });
  bar.addEventListener("keydown", (e) => {
    if (e.key !== "ArrowLeft" && e.key !== "ArrowRight") return;
    set(percent + (e.key === "ArrowLeft" ? 3 : -3));
    e.preventDefault();
    e.stopPropagation();
  });
  return bar;
}

// The governor that gave the program its name.
function mark(): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 32 32");
  svg.setAttribute("class", "logo");
  svg.setAttribute("aria-hidden", "true");
  svg.innerHTML = '<path d="M16 3v26M16 7 6 18M16 7l10 11M6 18l10 7M26 18l-10 7"/><circle cx="6" cy="18" r="4"/><circle cx="26" cy="18" r="4"/>';
  return svg;
}
