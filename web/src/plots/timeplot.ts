// One plot over time (or of a channel against another): uPlot with the page's clock as a cursor.
import uPlot from "uplot";
import { formatNumber, prettyUnit } from "../data/units";
import type { Points } from "../data/decimate";
import type { Player } from "../player";
import type { Theme } from "../ui/theme";
import { h } from "../ui/dom";

export interface Curve {
  label: string;
  unit: string;
  color: number; // of the theme's list
  tone?: "good" | "warn" | "bad"; // instead
  dash?: number[];
  kind?: "line" | "points" | "steps";
  of?: string; // the result it is of, where two are compared
  error?(t: number): number; // how far it may be off: a band about it
  points(from: number, to: number, buckets: number): Points;
  at(t: number): number;
}

export interface PlotOptions {
  log?: boolean;
  xLabel?: string;
  floor?: number; // linear: the range reaches at least down to here
  level?: { value: number; label: string }; // a line to compare with
  phase?: { label: string; unit: string; at(t: number): number; start: number; end: number };
}

const FONT = '12px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif';
const PHASE_POINTS = 4000;
const BAND_POINTS = 400;

export class TimePlot {
  readonly host = h("div", { class: "plot" });
  private plot: uPlot | null = null;
  private readonly cursor = h("div", { class: "time-cursor", "aria-hidden": "true" });
  private readonly dots: HTMLElement[] = [];
  private curves: Curve[] = [];
  private range: [number, number];
  onRange: ((from: number, to: number) => void) | null = null;
  onHover: ((t: number | null) => void) | null = null;

  constructor(
    private readonly player: Player,
    private theme: Theme,
    private readonly options: PlotOptions = {},
    private readonly sync: string | null = "time",
  ) {
    this.range = [player.start, player.end > player.start ? player.end : player.start + 1];
    new ResizeObserver(() => this.resize()).observe(this.host);
  }

  setCurves(curves: Curve[]): void {
    this.curves = curves;
    this.rebuild();
  }
  setPhase(phase: PlotOptions["phase"] | null): void {
    if (phase) this.options.phase = phase;
    else delete this.options.phase;
    this.rebuild();
  }
  setTheme(theme: Theme): void {
    this.theme = theme;
    this.rebuild();
  }

  color(c: Curve): string {
    return c.tone ? this.theme[c.tone] : this.theme.series[c.color % this.theme.series.length];
  }

  get shown(): [number, number] {
    return this.range;
  }
  get units(): string[] {
    return [...new Set(this.curves.map((c) => c.unit))];
  }

  // ---------------------------------------------------------------------------------------- building

  private size(): { width: number; height: number } {
    return { width: Math.max(60, this.host.clientWidth), height: Math.max(60, this.host.clientHeight) };
  }

  private rebuild(): void {
    this.plot?.destroy();
    this.plot = null;
    this.dots.length = 0;
    if (this.curves.length === 0 || this.host.clientWidth === 0) return;
    const options = this.options.phase ? this.phaseOptions() : this.timeOptions();
    const data = this.options.phase ? ([null, ...this.curves.map(() => [[0], [0]])] as unknown as uPlot.AlignedData) : this.data();
    this.plot = new uPlot(options, data, this.host);
    const over = this.plot.over;
    over.append(this.cursor);
    for (const c of this.curves) {
      const dot = h("div", { class: "time-dot", "aria-hidden": "true" });
      dot.style.background = this.color(c);
      this.dots.push(dot);
      over.append(dot);
    }
    this.listen(over);
    this.showTime(this.player.time);
  }

  private axis(scale: string, label: string, side: uPlot.Axis.Side, grid: boolean): uPlot.Axis {
    const vertical = side === 1 || side === 3;
    const axis: uPlot.Axis = {
      scale,
      side,
      label,
      labelSize: label === "" ? 0 : 18,
      labelGap: 0,
      labelFont: FONT,
      font: FONT,
      stroke: this.theme.muted,
      grid: { show: grid, stroke: this.theme.line, width: 1 },
      ticks: { show: true, stroke: this.theme.line, width: 1, size: 5 },
      values: (_u, splits) => (vertical && this.options.log ? logTicks(splits) : ticks(splits)),
      gap: 4,
    };
    if (vertical && this.options.log && axis.grid && axis.ticks) axis.grid.filter = axis.ticks.filter = axis.filter = (_u, splits) => decades(splits);
    if (vertical)
      axis.size = (_u, values) => 13 + 7.4 * Math.max(6, ...(values ?? []).map((v) => (v ?? "").length));
    else axis.size = 26;
    return axis;
  }

  private timeOptions(): uPlot.Options {
    const units = this.units, scales: uPlot.Scales = { x: { time: false, auto: false, range: () => this.range } };
    units.forEach((unit) => {
      scales[`y ${unit}`] = this.options.log ? { distr: 3, range: logRange } : { range: (_u, low, high) => linearRange(low, high, this.options.floor) };
    });
    const axes = [this.axis("x", this.options.xLabel ?? "time [s]", 2, true)];
    units.slice(0, 2).forEach((unit, k) => axes.push(this.axis(`y ${unit}`, unit === "" ? "" : prettyUnit(unit), k === 0 ? 3 : 1, k === 0)));
    const cursor: uPlot.Cursor = {
      drag: { x: true, y: false, dist: 5 },
      points: { show: false },
      y: false,
      lock: false,
    };
    if (this.sync) cursor.sync = { key: this.sync, setSeries: false };
    return {
      ...this.size(),
      cursor,
      legend: { show: false },
      scales,
      axes,
      series: [{}, ...this.curves.map((c) => this.seriesOf(c))],
      hooks: {
        setSelect: [(u) => this.selected(u)],
        setCursor: [(u) => this.onHover?.(u.cursor.left !== undefined && u.cursor.left >= 0 ? u.posToVal(u.cursor.left, "x") : null)],
        drawClear: [(u) => this.drawBands(u)],
        draw: [(u) => this.drawLevel(u), () => this.showTime(this.player.time)],
      },
    };
  }

  // Below the curves: from what they may be too low to what they may be too high.
  private drawBands(u: uPlot): void {
    const [from, to] = this.range, x = u.ctx;
    for (const c of this.curves) {
      const error = c.error;
      if (!error || this.options.log || !u.scales[`y ${c.unit}`]) continue; // an old plot may draw once more
      const y = (t: number, side: number): number => u.valToPos(c.at(t) + side * error(t), `y ${c.unit}`, true);
      const times = Array.from({ length: BAND_POINTS + 1 }, (_, k) => from + ((to - from) * k) / BAND_POINTS).filter((t) => Number.isFinite(c.at(t) + error(t)));
      if (times.length < 2) continue;
      x.save();
      x.beginPath();
      x.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
      x.clip();
      x.beginPath();
      for (const t of times) x.lineTo(u.valToPos(t, "x", true), y(t, 1));
      for (const t of times.reverse()) x.lineTo(u.valToPos(t, "x", true), y(t, -1));
      x.closePath();
      x.globalAlpha = 0.22;
      x.fillStyle = this.color(c);
      x.fill();
      x.restore();
    }
  }

  private seriesOf(c: Curve): uPlot.Series {
    const color = this.color(c);
    const s: uPlot.Series = { label: c.label, scale: `y ${c.unit}`, stroke: color, width: 1.75, points: { show: false }, pxAlign: 0 };
    if (c.dash) s.dash = c.dash;
    if (c.kind === "points") Object.assign(s, { paths: () => null, points: { show: true, size: 7, fill: color, width: 0 } });
    if (c.kind === "steps" && uPlot.paths.stepped) s.paths = uPlot.paths.stepped({ align: -1 });
    return s;
  }

  private data(): uPlot.AlignedData {
    const [from, to] = this.range, buckets = Math.max(200, Math.round(this.size().width * 1.2));
    const each = this.curves.map((c) => {
      const p = c.points(from, to, buckets);
      if (this.options.log) p.y = p.y.map((y) => (y !== null && y > 0 ? y : null));
      return p;
    });
    const sameX = each.every((p) => p.x.length === each[0].x.length && p.x.every((x, k) => x === each[0].x[k]));
    if (sameX) return [each[0].x, ...each.map((p) => p.y)] as uPlot.AlignedData;
    return uPlot.join(each.map((p) => [unrepeated(p.x), p.y] as uPlot.AlignedData));
  }

  private selected(u: uPlot): void {
    const { left, width } = u.select;
    if (width < 4) return;
    const from = u.posToVal(left, "x"), to = u.posToVal(left + width, "x");
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    if (to > from) this.onRange?.(from, to);
  }

  setRange(from: number, to: number): void {
    this.range = [from, to];
    if (!this.plot || this.options.phase) return;
    this.plot.setData(this.data(), true);
    this.showTime(this.player.time);
  }

  private drawLevel(u: uPlot): void {
    const level = this.options.level;
    if (!level) return;
    const y = u.valToPos(level.value, `y ${this.units[0]}`, true);
    if (!(y > u.bbox.top && y < u.bbox.top + u.bbox.height)) return;
    const c = u.ctx, ratio = window.devicePixelRatio || 1;
    c.save();
    c.strokeStyle = this.theme.bad;
    c.fillStyle = this.theme.bad;
    c.lineWidth = ratio;
    c.setLineDash([4 * ratio, 4 * ratio]);
    c.beginPath();
    c.moveTo(u.bbox.left, y);
    c.lineTo(u.bbox.left + u.bbox.width, y);
    c.stroke();
    c.font = FONT.replace("12px", `${11 * ratio}px`);
    c.textAlign = "right";
    c.textBaseline = "bottom";
    c.fillText(level.label, u.bbox.left + u.bbox.width - 4 * ratio, y - 2 * ratio);
    c.restore();
  }

  // ---------------------------------------------------------------------------------------- phase plots

  private phaseOptions(): uPlot.Options {
    const phase = this.options.phase as NonNullable<PlotOptions["phase"]>;
    const paths = this.curves.map((c) => {
      const points: [number, number][] = [];
      for (let k = 0; k <= PHASE_POINTS; k++) {
        const t = phase.start + ((phase.end - phase.start) * k) / PHASE_POINTS;
        points.push([phase.at(t), c.at(t)]);
      }
      return points;
    });
    const good = paths.map((p) => p.filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y)));
    const bounds = (k: 0 | 1, of: [number, number][][]): [number, number] => {
      let low = Infinity, high = -Infinity;
      for (const p of of) for (const q of p) {
        low = Math.min(low, q[k]);
        high = Math.max(high, q[k]);
      }
      return linearRange(low, high);
    };
    const unit = (c: Curve): string => `y ${c.unit}`;
    const scales: uPlot.Scales = { x: { time: false, auto: false, range: bounds(0, good) } };
    const axes = [this.axis("x", `${phase.label}${phase.unit ? ` [${prettyUnit(phase.unit)}]` : ""}`, 2, true)];
    this.units.forEach((u, k) => {
      scales[`y ${u}`] = { range: bounds(1, good.filter((_, i) => this.curves[i].unit === u)) };
      if (k < 2) axes.push(this.axis(`y ${u}`, u === "" ? "" : prettyUnit(u), k === 0 ? 3 : 1, k === 0));
    });
    return {
      ...this.size(),
      mode: 2,
      cursor: { show: true, points: { show: false }, drag: { x: false, y: false } },
      legend: { show: false },
      scales,
      axes,
      series: [{}, ...this.curves.map((c) => ({ label: c.label, stroke: this.color(c), facets: [{ scale: "x", auto: false }, { scale: unit(c), auto: false }], paths: () => null, points: { show: false } }) as uPlot.Series)],
      hooks: {
        draw: [
          (u) => {
            const ratio = window.devicePixelRatio || 1, x = u.ctx;
            x.save();
            x.beginPath();
            x.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
            x.clip();
            good.forEach((p, i) => {
              const c = this.curves[i];
              x.beginPath();
              p.forEach(([a, b], k) => {
                const px = u.valToPos(a, "x", true), py = u.valToPos(b, unit(c), true);
                if (k === 0) x.moveTo(px, py);
                else x.lineTo(px, py);
              });
              x.strokeStyle = this.color(c);
              x.lineWidth = 1.75 * ratio;
              x.setLineDash((c.dash ?? []).map((d) => d * ratio));
              x.stroke();
            });
            x.restore();
            this.showTime(this.player.time);
          },
        ],
      },
    };
  }

  // ---------------------------------------------------------------------------------------- the clock

  showTime(t: number): void {
    const u = this.plot;
    if (!u) return;
    const width = u.over.clientWidth, height = u.over.clientHeight;
    const phase = this.options.phase, at = phase ? phase.at(t) : t;
    const x = u.valToPos(at, "x");
    const inside = Number.isFinite(x) && x >= -1 && x <= width + 1;
    this.cursor.style.display = inside && !phase ? "" : "none";
    this.cursor.style.transform = `translateX(${x.toFixed(1)}px)`;
    this.curves.forEach((c, k) => {
      const dot = this.dots[k], value = c.kind === "points" ? NaN : c.at(t);
      const y = Number.isFinite(value) && !(this.options.log && value <= 0) ? u.valToPos(value, `y ${c.unit}`) : NaN;
      const show = inside && y >= -1 && y <= height + 1;
      dot.style.display = show ? "" : "none";
      if (show) dot.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    });
  }

  get cursorPosition(): number {
    return this.plot ? this.plot.valToPos(this.player.time, "x") : NaN;
  }

  private listen(over: HTMLElement): void {
    let down: number | null = null, scrubbing = false;
    const timeAt = (e: MouseEvent): number => this.plot?.posToVal(e.clientX - over.getBoundingClientRect().left, "x") ?? NaN;
    over.addEventListener(
      "mousedown",
      (e) => {
        if (e.button !== 0 || this.options.phase) return;
        down = e.clientX;
        if (Math.abs(e.clientX - over.getBoundingClientRect().left - this.cursorPosition) > 6) return;
        scrubbing = true;
        e.stopImmediatePropagation();
        e.preventDefault();
        const move = (m: MouseEvent): void => this.player.seek(timeAt(m));
        const up = (): void => {
          scrubbing = false;
          window.removeEventListener("mousemove", move);
          window.removeEventListener("mouseup", up);
        };
        window.addEventListener("mousemove", move);
        window.addEventListener("mouseup", up);
      },
      true,
    );
    over.addEventListener("click", (e) => {
      if (!this.options.phase && !scrubbing && down !== null && Math.abs(e.clientX - down) < 5) this.player.seek(timeAt(e));
    });
    over.addEventListener(
      "dblclick",
      (e) => {
        e.stopImmediatePropagation();
        this.onRange?.(this.player.start, this.player.end);
      },
      true,
    );
    over.addEventListener(
      "wheel",
      (e) => {
        if (!(e.ctrlKey || e.metaKey) || this.options.phase) return;
        e.preventDefault();
        const t = timeAt(e), f = Math.exp(0.002 * e.deltaY), [from, to] = this.range;
        this.zoomTo(t - (t - from) * f, t + (to - t) * f);
      },
      { passive: false },
    );
  }

  zoomTo(from: number, to: number): void {
    const low = Math.max(this.player.start, from), high = Math.min(this.player.end, to);
    if (high - low > 1e-12 * this.player.span) this.onRange?.(low, high);
  }

  private resize(): void {
    if (this.host.clientWidth === 0) return;
    if (!this.plot) return this.rebuild();
    this.plot.setSize(this.size());
    this.showTime(this.player.time);
  }

  get canvas(): HTMLCanvasElement | null {
    return this.plot?.ctx.canvas ?? null;
  }
  destroy(): void {
    this.plot?.destroy();
    this.host.remove();
  }
}

// ------------------------------------------------------------------------------------------ ranges and ticks

export function linearRange(low: number | null, high: number | null, floor?: number): [number, number] {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  if (floor !== undefined) low = Math.min(low, floor);
  const span = high - low, size = Math.max(Math.abs(low), Math.abs(high));
  // a constant with round-off on it is a constant
  if (span <= 1e-9 * size || span === 0) {
    const pad = size > 0 ? 0.1 * size : 1;
    return [low - pad, high + pad];
  }
  return [floor !== undefined && low === floor ? low : low - 0.06 * span, high + 0.06 * span];
}

function logRange(_u: uPlot, low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !(low > 0)) return [1e-3, 1];
  const a = 10 ** Math.floor(Math.log10(low) + 1e-9), b = 10 ** Math.ceil(Math.log10(high) - 1e-9);
  return [a, b > a ? b : 10 * a];
}

export function ticks(splits: number[]): string[] {
  const size = Math.max(...splits.map(Math.abs));
  if (!(size > 0)) return splits.map((s) => formatNumber(s));
  const step = splits.length > 1 ? Math.abs(splits[1] - splits[0]) : size;
  if (size >= 1e5 || size < 1e-3) {
    const power = Math.floor(Math.log10(size) + 1e-9), digits = Math.max(0, power - Math.floor(Math.log10(step) + 1e-9));
    return splits.map((s) => (s === 0 ? "0" : `${(s / 10 ** power).toFixed(digits).replace("-", "−")}e${String(power).replace("-", "−")}`));
  }
  let decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  if (Math.abs(Number(step.toFixed(decimals)) / step - 1) > 1e-6) decimals++; // steps of 0.25
  return splits.map((s) => (s === 0 ? "0" : s.toFixed(Math.min(decimals, 12)).replace("-", "−")));
}

// Powers of ten only, and not all of them when there are many.
export function decades(splits: number[]): (number | null)[] {
  const powers = splits.map((s) => Math.log10(s)).map((p) => (Math.abs(p - Math.round(p)) < 1e-6 ? Math.round(p) : NaN));
  const all = powers.filter((p) => !Number.isNaN(p)), every = Math.max(1, Math.ceil(all.length / 6));
  return powers.map((p, k) => (Number.isNaN(p) || p % every !== 0 ? null : splits[k]));
}

function logTicks(splits: (number | null)[]): (string | null)[] {
  return splits.map((s) => {
    if (s === null) return null;
    const p = Math.round(Math.log10(s));
    return p >= -2 && p <= 3 ? String(Number(s.toPrecision(1))) : `1e${String(p).replace("-", "−")}`;
  });
}

// uPlot's join takes ascending x; the two rows of a bucket of one sample have the same.
function unrepeated(x: number[]): number[] {
  for (let k = 1; k < x.length; k++) if (x[k] <= x[k - 1]) x[k] = x[k - 1] + 1e-12 * Math.max(Math.abs(x[k - 1]), 1e-9);
  return x;
}
