// Play, pause, step, scrub, speed, loop.
import { formatTime } from "../data/units";
import { type Player, SPEEDS, speedText } from "../player";
import { announce, button, h, icon, ICONS } from "./dom";

const TICKS = 10000;

// What the clock shows: times of a run, or the phase of a mode.
export interface Dial {
  now: (t: number) => string;
  end: string;
  speeds: number[];
  speed: (x: number) => string;
}

export const timeDial = (p: Player): Dial => ({
  now: (t) => `${formatTime(t, p.span)} s`,
  end: `of ${formatTime(p.end, p.span)} s`,
  speeds: SPEEDS.filter((s) => (p.span / s < 3600 && p.span / s > 0.2) || s === p.speed || s === 1),
  speed: speedText,
});

export const phaseDial: Dial = {
  now: (t) => `${Math.round(360 * t)}°`,
  end: "phase",
  speeds: [0.05, 0.1, 0.2, 0.5, 1, 2],
  speed: (x) => (x < 1 ? `${1 / x} s a swing` : `${x} swings a second`),
};

export function transport(player: Player, events: { t: number; text: string }[], dial = timeDial(player)): HTMLElement {
  const play = button("Play", icon(ICONS.play, true), () => player.play(!player.playing), { class: "play", id: "play" });
  const slider = h("input", { type: "range", min: 0, max: TICKS, step: 1, value: 0, class: "scrub", "aria-label": "Time", id: "scrub" });
  const now = h("output", { class: "now", for: "scrub" });
  const speed = h("select", { "aria-label": "Speed", title: "Speed", class: "speed" }, ...dial.speeds.map((s) => h("option", { value: s }, dial.speed(s))));
  speed.value = String(player.speed);
  const loop = button("Loop", icon(ICONS.loop), () => player.setLoop(!player.loop), { "aria-pressed": String(player.loop), class: "loop" });

  const showTime = (t: number): void => {
    const part = player.span > 0 ? (t - player.start) / player.span : 0;
    slider.value = String(Math.round(TICKS * part));
    slider.style.setProperty("--part", `${(100 * part).toFixed(2)}%`);
    const text = dial.now(t);
    slider.setAttribute("aria-valuetext", text);
    now.textContent = text;
  };
  const showState = (): void => {
    play.replaceChildren(icon(player.playing ? ICONS.pause : ICONS.play, true));
    play.setAttribute("aria-label", player.playing ? "Pause" : "Play");
    play.title = player.playing ? "Pause (space)" : "Play (space)";
    loop.setAttribute("aria-pressed", String(player.loop));
    speed.value = String(player.speed);
  };
  slider.addEventListener("input", () => {
    player.play(false);
    player.seek(player.start + (player.span * Number(slider.value)) / TICKS);
  });
  speed.addEventListener("change", () => {
    player.setSpeed(Number(speed.value));
    announce(`Speed: ${dial.speed(player.speed)}`);
  });
  player.onTime(showTime);
  player.onState(showState);
  showTime(player.time);
  showState();

  const marks = h("div", { class: "marks", "aria-hidden": "true" });
  for (const e of events.slice(0, 200)) {
    const mark = h("span", { class: "mark", title: e.text });
    mark.style.left = `${(100 * (e.t - player.start)) / player.span}%`;
    marks.append(mark);
  }
  return h(
    "footer",
    { class: "transport", role: "group", "aria-label": "Playback" },
    button("To the start", icon(ICONS.first, true), () => player.seek(player.start)),
    button("One frame back", icon(ICONS.back, true), () => player.step(-1)),
    play,
    button("One frame on", icon(ICONS.next, true), () => player.step(1)),
    loop,
    h("div", { class: "track" }, slider, marks),
    now,
    h("span", { class: "dim end" }, dial.end),
    speed,
  );
}
