// The chooser of modes: which one moves, and how much.
import { LARGEST, modeLine, modeText, type Swing } from "../data/modes";
import { announce, h } from "./dom";

export class ModeChooser {
  readonly host: HTMLElement;
  private readonly select: HTMLSelectElement;
  private readonly amplitude: HTMLInputElement;
  private readonly text = h("p", { class: "dim mode-text", "aria-live": "polite" });

  constructor(
    private readonly swing: Swing,
    private readonly redraw: () => void,
  ) {
    const { modes } = swing.data;
    this.select = h("select", { "aria-label": "Mode", id: "mode" }, ...modes.map((m, k) => h("option", { value: k }, modeLine(m))));
    this.select.addEventListener("change", () => this.choose(Number(this.select.value)));
    this.amplitude = h("input", { type: "range", min: 0, max: LARGEST, step: 0.005, value: swing.amplitude, "aria-label": "Amplitude", id: "amplitude" });
    this.amplitude.addEventListener("input", () => this.setAmplitude(Number(this.amplitude.value)));
    this.host = h("div", { class: "mode-chooser", role: "group", "aria-label": "Modes" }, h("label", {}, "Mode", this.select), h("label", {}, "Amplitude", this.amplitude), this.text);
    this.show();
  }

  choose(k: number): void {
    if (!(k >= 0 && k < this.swing.data.modes.length)) return;
    this.swing.mode = k;
    this.show();
    this.redraw();
    announce(`Mode ${modeLine(this.swing.current)}`);
  }

  setAmplitude(x: number): void {
    this.swing.amplitude = Math.min(LARGEST, Math.max(0, x));
    this.amplitude.value = String(this.swing.amplitude);
    this.redraw();
  }

  private show(): void {
    this.select.value = String(this.swing.mode);
    this.text.textContent = modeText(this.swing.current, this.swing.data.bodies);
  }
}
