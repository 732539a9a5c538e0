// The clock of the page: one time for the animation and all plots.

export const SPEEDS = [1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000];

export type Listener = (t: number) => void;

export class Player {
  time: number;
  playing = false;
  loop = true;
  speed: number; // seconds of the run in one second
  private readonly listeners = new Set<Listener>();
  private readonly states = new Set<() => void>();

  constructor(
    readonly start: number,
    readonly end: number,
    readonly rows: Float64Array, // times of the rows: for steps by frame
  ) {
    this.time = start;
    this.speed = pleasantSpeed(end - start);
  }

  get span(): number {
    return this.end - this.start;
  }

  onTime(f: Listener): void {
    this.listeners.add(f);
  }
  onState(f: () => void): void {
    this.states.add(f);
  }

  seek(t: number): void {
    const to = Math.min(this.end, Math.max(this.start, t));
    if (to === this.time || Number.isNaN(to)) return;
    this.time = to;
    for (const f of this.listeners) f(to);
  }

  play(on: boolean): void {
    if (on === this.playing || !(this.span > 0)) return;
    if (on && this.time >= this.end) this.seek(this.start);
    this.playing = on;
    this.changed();
  }

  setSpeed(x: number): void {
    this.speed = x;
    this.changed();
  }
  setLoop(on: boolean): void {
    this.loop = on;
    this.changed();
  }
  private changed(): void {
    for (const f of this.states) f();
  }

  // seconds of the wall since the last frame; a hidden page does not jump when it comes back
  tick(seconds: number): void {
    if (!this.playing) return;
    let t = this.time + Math.min(seconds, 0.25) * this.speed;
    if (t >= this.end) {
      if (this.loop) t = this.start + ((t - this.start) % this.span);
      else {
        this.seek(this.end);
        this.play(false);
        return;
      }
    }
    this.seek(t);
  }

  // To the row before or after.
  step(by: number): void {
    this.play(false);
    const rows = this.rows, n = rows.length;
    if (n === 0) return;
    let k = 0;
    while (k < n && rows[k] < this.time - 1e-12 * this.span) k++;
    const exact = k < n && Math.abs(rows[k] - this.time) <= 1e-12 * this.span;
    const to = by > 0 ? k + by - (exact ? 0 : 1) : k + by;
    this.seek(rows[Math.min(n - 1, Math.max(0, to))]);
  }
}

// Real time if the run takes from 3 to 30 s, else what makes it last about eight.
export function pleasantSpeed(span: number): number {
  if (!(span > 0) || (span >= 3 && span <= 30)) return 1;
  const wanted = span / 8;
  return SPEEDS.reduce((best, s) => (Math.abs(Math.log(s / wanted)) < Math.abs(Math.log(best / wanted)) ? s : best), 1);
}

export function speedText(x: number): string {
  if (x === 1) return "real time";
  return x < 1 ? `${Math.round(1 / x)}× slower` : `${x}× faster`;
}
