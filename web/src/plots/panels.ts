// The plots: panels of curves over the time they share, or against a channel.
import { datumOf, shifted } from "../data/datum";
import { decimate } from "../data/decimate";
import type { Result } from "../data/result";
import { interpolate, valueOf } from "../data/result";
import { formatNumber, formatWith, prettyUnit } from "../data/units";
import type { Player } from "../player";
import { announce, button, download, fileName, h, icon, ICONS, toBlob } from "../ui/dom";
import type { Theme, Themes } from "../ui/theme";
import { type Curve, TimePlot } from "./timeplot";
import { draggedChannel, dragsChannel } from "./tree";

const DASH = [6, 4]; // of the second result

interface Plotted {
  channel: string;
  color: number;
}

export class Panels {
  readonly host: HTMLElement;
  readonly panels: Panel[] = [];
  private readonly list = h("div", { class: "panels" });
  private readonly drop: HTMLElement;
  private active: Panel | null = null;
  onChange: (() => void) | null = null;

  constructor(
    readonly results: Result[],
    readonly player: Player,
    readonly themes: Themes,
    readonly title: string,
  ) {
    this.drop = h("div", { class: "drop" }, button("New panel", h("span", {}, icon(ICONS.plus), " New panel"), () => this.activate(this.add([])), { class: "new-panel" }), h("span", { class: "dim" }, "or drop a channel here"));
    this.dropTarget(this.drop, (channel) => this.activate(this.add([channel])));
    this.host = h("div", { class: "plots", role: "region", "aria-label": "Plots" }, this.list, this.drop);
    themes.onChange((t) => this.panels.forEach((p) => p.setTheme(t)));
    player.onTime((t) => this.panels.forEach((p) => p.showTime(t)));
  }

  get compares(): boolean {
    return this.results.length > 1;
  }

  dropTarget(e: HTMLElement, take: (channel: string) => void): void {
    e.addEventListener("dragover", (event) => {
      if (!dragsChannel(event)) return;
      event.preventDefault();
      e.classList.add("dropping");
    });
    e.addEventListener("dragleave", () => e.classList.remove("dropping"));
    e.addEventListener("drop", (event) => {
      e.classList.remove("dropping");
      const channel = draggedChannel(event);
      if (channel === "") return;
      event.preventDefault();
      event.stopPropagation();
      take(channel);
    });
  }

  add(channels: string[]): Panel {
    const panel = new Panel(this);
    this.panels.push(panel);
    this.list.append(panel.host);
    for (const c of channels) panel.add(c);
    this.active ??= panel;
    this.host.classList.toggle("single", this.panels.length === 1);
    this.changed();
    return panel;
  }

  remove(panel: Panel): void {
    const k = this.panels.indexOf(panel);
    if (k < 0) return;
    this.panels.splice(k, 1);
    panel.destroy();
    if (this.active === panel) this.activate(this.panels[Math.min(k, this.panels.length - 1)] ?? null);
    this.changed();
  }

  activate(panel: Panel | null): void {
    this.active = panel;
    for (const p of this.panels) p.host.classList.toggle("active", p === panel && this.panels.length > 1);
  }

  // Takes a channel out of all panels, or puts it where it fits: into the active panel if there is an axis for its unit.
  toggle(channel: string): void {
    const holders = this.panels.filter((p) => p.has(channel));
    if (holders.length > 0) {
      holders.forEach((p) => p.take(channel));
      return;
    }
    const unit = this.unitOf(channel);
    const fits = (p: Panel | null): p is Panel => p !== null && (p.units.length < 2 || p.units.includes(unit));
    const target = fits(this.active) ? this.active : this.panels.find((p) => p.units.includes(unit));
    const panel = target ?? this.add([]);
    panel.add(channel);
    this.activate(panel);
    panel.host.scrollIntoView({ block: "nearest" });
  }

  unitOf(channel: string): string {
    for (const r of this.results) {
      const c = r.byName.get(channel);
      if (c) return c.unit;
    }
    return "";
  }

  colorsOf(channel: string): string[] {
    return this.panels.flatMap((p) => p.colorsOf(channel));
  }

  setRange(from: number, to: number): void {
    this.panels.forEach((p) => p.plot.setRange(from, to));
    announce(`Plots show ${formatNumber(from)} to ${formatNumber(to)} s`);
  }

  changed(): void {
    this.host.classList.toggle("single", this.panels.length === 1);
    this.onChange?.();
  }
}

export class Panel {
  readonly host: HTMLElement;
  readonly plot: TimePlot;
  private readonly legend = h("div", { class: "legend" });
  private readonly empty = h("div", { class: "plot-empty" }, "Choose channels in the tree");
  private readonly values: { value: HTMLElement; curve: Curve }[] = [];
  private readonly x: HTMLInputElement;
  private readonly difference: HTMLButtonElement | null;
  private plotted: Plotted[] = [];
  private phase = "";
  private hover: number | null = null;

  constructor(private readonly all: Panels) {
    const { player, themes, results } = all;
    this.plot = new TimePlot(player, themes.current);
    this.plot.onRange = (from, to) => all.setRange(from, to);
    this.plot.onHover = (t) => {
      this.hover = t;
      this.showValues();
    };
    this.x = h("input", {
      class: "x-channel", list: "channel-names", placeholder: "time", "aria-label": "Horizontal axis: a channel, or empty for time",
      title: "Horizontal axis: a channel, or empty for time", spellcheck: "false", autocomplete: "off", size: 9,
    });
    this.x.addEventListener("change", () => this.setPhase(this.x.value.trim()));
    this.x.addEventListener("keydown", (e) => e.stopPropagation());
    all.dropTarget(this.x, (c) => this.setPhase(c));
    this.difference =
      results.length > 1
        ? button(`Show the difference of the two results: ${results[0].name} − ${results[1].name}`, "A − B", () => {
            const on = this.difference?.getAttribute("aria-pressed") !== "true";
            this.difference?.setAttribute("aria-pressed", String(on));
            this.update();
          }, { "aria-pressed": "false", class: "small" })
        : null;
    const tools = h(
      "div",
      { class: "panel-tools", role: "group", "aria-label": "Panel" },
      h("label", { class: "x-label" }, h("span", { class: "dim" }, "x"), this.x),
      h("span", { class: "space" }),
      this.difference,
      button("Zoom in", "+", () => this.zoom(0.5), { class: "small zoom" }),
      button("Zoom out", "−", () => this.zoom(2), { class: "small zoom" }),
      button("Show all of the time", icon(ICONS.fit), () => all.setRange(player.start, player.end), { class: "small" }),
      button("Save as CSV", "CSV", () => this.saveCsv(), { class: "small" }),
      button("Save as PNG", "PNG", () => void this.savePng(), { class: "small" }),
    );
    const close = button("Close this panel", icon(ICONS.close), () => all.remove(this), { class: "small" });
    this.host = h("section", { class: "panel", "aria-label": "Plot" }, h("div", { class: "panel-head" }, this.legend, close), this.plot.host, this.empty, tools);
    this.host.addEventListener("pointerdown", () => all.activate(this));
    this.host.addEventListener("focusin", () => all.activate(this));
    all.dropTarget(this.host, (c) => {
      if (!this.has(c)) this.add(c);
      all.activate(this);
    });
    this.update();
  }

  get units(): string[] {
    return [...new Set(this.plotted.map((p) => this.all.unitOf(p.channel)))];
  }
  get channels(): string[] {
    return this.plotted.map((p) => p.channel);
  }
  has(channel: string): boolean {
    return this.plotted.some((p) => p.channel === channel);
  }
  colorsOf(channel: string): string[] {
    const theme = this.all.themes.current;
    return this.plotted.filter((p) => p.channel === channel).map((p) => theme.series[p.color % theme.series.length]);
  }

  add(channel: string): void {
    if (this.has(channel)) return;
    const used = new Set(this.plotted.map((p) => p.color));
    let color = 0;
    while (used.has(color)) color++;
    this.plotted.push({ channel, color });
    this.update();
  }

  take(channel: string): void {
    this.plotted = this.plotted.filter((p) => p.channel !== channel);
    if (this.plotted.length === 0 && this.all.panels.length > 1) this.all.remove(this);
    else this.update();
  }

  setPhase(channel: string): void {
    const known = channel !== "" && channel !== "time" && this.all.results.some((r) => r.byName.has(channel));
    if (channel !== "" && channel !== "time" && !known) announce(`There is no channel ${channel}`);
    this.phase = known ? channel : "";
    this.x.value = this.phase;
    this.update();
  }

  private zoom(f: number): void {
    const [from, to] = this.plot.shown, t = this.all.player.time;
    const mid = t >= from && t <= to ? t : (from + to) / 2;
    this.plot.zoomTo(mid - (mid - from) * f, mid + (to - mid) * f);
  }

  private curves(): Curve[] {
    const { results } = this.all, out: Curve[] = [];
    const differ = this.difference?.getAttribute("aria-pressed") === "true";
    for (const { channel, color } of this.plotted) {
      const found = results.flatMap((r, k) => {
        const c = r.byName.get(channel), s = c?.plotted;
        return c && s ? [{ c, s, k }] : [];
      });
      if (differ) {
        if (found.length < 2) continue;
        const [a, b] = found.map((f) => f.c);
        const s = a.samples ?? a.envelope, other = b.samples ?? b.envelope;
        if (!s || !other) continue;
        const values = Float64Array.from(s.time, (t, k) => valueOf(s.values, k) - interpolate(other, t));
        const series = { time: s.time, values, kind: "samples" as const, sourceRows: s.sourceRows };
        out.push({ label: `${channel}: ${results[0].name} − ${results[1].name}`, unit: a.unit, color, points: (f, t, n) => decimate(series, f, t, n), at: (t) => a.at(t) - b.at(t) });
        continue;
      }
      const datum = datumOf(results, channel), called = datum ? `${channel}, ${datum.text}` : channel;
      for (const { c, s, k } of found) {
        const drawn = shifted(s, datum);
        const curve: Curve = { label: results.length > 1 ? `${called} (${results[k].name})` : called, unit: c.unit, color, points: (f, t, n) => decimate(drawn, f, t, n), at: (t) => c.at(t) - (datum?.shift ?? 0) };
        if (results.length > 1) curve.of = results[k].name;
        if (k > 0) curve.dash = DASH;
        if (c.error) curve.error = (t) => c.errorAt(t);
        out.push(curve);
      }
    }
    return out;
  }

  private update(): void {
    const curves = this.curves();
    const { player, results } = this.all;
    const against = this.phase === "" ? undefined : results.map((r) => r.byName.get(this.phase)).find((c) => c !== undefined);
    if (against) this.plot.setPhase({ label: this.phase, unit: against.unit, at: (t) => against.at(t), start: player.start, end: player.end });
    else this.plot.setPhase(null);
    this.plot.setCurves(curves);
    this.empty.hidden = curves.length > 0;
    this.plot.host.hidden = curves.length === 0;
    const range = this.all.panels.find((p) => p !== this)?.plot.shown;
    if (range && !against) this.plot.setRange(...range);
    this.host.setAttribute("aria-label", `Plot of ${curves.map((c) => c.label).join(", ") || "nothing yet"} ${against ? `against ${this.phase}` : "over time"}`);
    this.legend.replaceChildren();
    this.values.length = 0;
    for (const { channel, color } of this.plotted) {
      const own = curves.filter((c) => c.color === color);
      if (own.length === 0) continue;
      const pairs = own.map((c) => {
        const value = h("span", { class: "value" });
        const key = h("span", { class: c.dash ? "key dashed" : "key", "aria-hidden": "true" });
        key.style.setProperty("--color", this.plot.color(c));
        this.values.push({ value, curve: c });
        return h("span", { class: "pair" }, key, c.of !== undefined && h("span", { class: "dim of" }, c.of), value);
      });
      const datum = datumOf(this.all.results, channel);
      const name = h("span", { class: "legend-name" }, own.length > 1 || own[0].of !== undefined || !this.all.compares ? channel : own[0].label, datum && h("span", { class: "dim" }, `, ${datum.text}`));
      this.legend.append(
        h("button", { type: "button", class: "legend-item", title: `Take ${channel} out`, "aria-label": `${channel}: take it out of this panel`, click: () => this.take(channel) }, ...(own.length > 1 || own[0].of !== undefined ? [name, ...pairs] : [pairs[0].firstElementChild as Element, name, pairs[0].lastElementChild as Element])),
      );
    }
    this.showValues();
    this.all.changed();
  }

  showTime(t: number): void {
    this.plot.showTime(t);
    if (this.hover === null) this.showValues();
  }

  private showValues(): void {
    const t = this.hover ?? this.all.player.time;
    for (const { value, curve } of this.values) {
      const error = curve.error?.(t) ?? NaN;
      const text = `${formatWith(curve.at(t), curve.unit)}${Number.isFinite(error) ? ` ± ${formatNumber(error, 1)}` : ""}`;
      if (value.textContent !== text) value.textContent = text;
    }
  }

  setTheme(theme: Theme): void {
    this.plot.setTheme(theme);
    this.update();
  }

  // ---------------------------------------------------------------------------------------- out

  csv(): string {
    const columns: { head: string; cells: number[] }[] = [];
    for (const r of this.all.results) {
      const suffix = this.all.compares ? ` ${r.name}` : "";
      const channels = [...(this.phase ? [this.phase] : []), ...this.channels].map((n) => r.byName.get(n)).filter((c) => c !== undefined);
      const first = channels[0]?.samples ?? channels[0]?.envelope;
      if (!first) continue;
      columns.push({ head: `time${suffix} [s]`, cells: [...first.time] });
      for (const c of channels) {
        const s = c.samples ?? c.envelope;
        if (!s) continue;
        columns.push({ head: `${c.name}${suffix}${c.unit ? ` [${c.unit}]` : ""}`, cells: Array.from(first.time, (t, k) => (s.time === first.time ? valueOf(s.values, k) : interpolate(s, t))) });
      }
    }
    const rows = Math.max(0, ...columns.map((c) => c.cells.length));
    const quoted = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const lines = [columns.map((c) => quoted(c.head)).join(",")];
    for (let k = 0; k < rows; k++) lines.push(columns.map((c) => (k < c.cells.length && Number.isFinite(c.cells[k]) ? String(c.cells[k]) : "")).join(","));
    return `${lines.join("\n")}\n`;
  }

  private saveCsv(): void {
    download(`${fileName(`${this.all.title}-${this.channels.join("-")}`).slice(0, 80)}.csv`, new Blob([this.csv()], { type: "text/csv" }));
    announce("CSV file saved");
  }

  // The plot with a legend above, on paper.
  private async savePng(): Promise<void> {
    const from = this.plot.canvas;
    if (!from) return;
    const ratio = window.devicePixelRatio || 1, theme = this.all.themes.current, head = 34 * ratio;
    const out = h("canvas", { width: from.width, height: from.height + head });
    const c = out.getContext("2d");
    if (!c) return;
    c.fillStyle = theme.paper;
    c.fillRect(0, 0, out.width, out.height);
    c.drawImage(from, 0, head);
    c.font = `${13 * ratio}px system-ui, sans-serif`;
    c.textBaseline = "middle";
    let x = 12 * ratio;
    for (const { curve } of this.values) {
      c.strokeStyle = this.plot.color(curve);
      c.lineWidth = 2.5 * ratio;
      c.setLineDash((curve.dash ?? []).map((d) => (d * ratio) / 2));
      c.beginPath();
      c.moveTo(x, head / 2);
      c.lineTo(x + 20 * ratio, head / 2);
      c.stroke();
      c.fillStyle = theme.text;
      const text = `${curve.label}${curve.unit ? ` [${prettyUnit(curve.unit)}]` : ""}`;
      c.fillText(text, x + 26 * ratio, head / 2);
      x += 44 * ratio + c.measureText(text).width;
    }
    download(`${fileName(`${this.all.title}-${this.channels.join("-")}`).slice(0, 80)}.png`, await toBlob(out));
    announce("Picture saved");
  }

  destroy(): void {
    this.plot.destroy();
    this.host.remove();
  }
}
