// Light and dark: the styles do the page, this does what is drawn on canvases.
import type { SceneColors } from "../scene/view";

export type ThemeName = "light" | "dark";

export interface Theme {
  name: ThemeName;
  text: string;
  muted: string;
  line: string;
  paper: string;
  series: string[];
  scene: SceneColors;
  good: string;
  warn: string;
  bad: string;
}

const LIGHT: Theme = {
  name: "light",
  text: "#1c2430",
  muted: "#5a6676",
  line: "#e3e7ec",
  paper: "#ffffff",
  series: ["#1f6fbf", "#d9730d", "#1f8a63", "#a4489a", "#c8402c", "#6357c8", "#9a7b14", "#2c8ba3"],
  good: "#1f8a63",
  warn: "#b86e00",
  bad: "#c62f2f",
  scene: {
    background: ["#fbfcfd", "#e6ebf1"], grid: "#8d9bab", gridStrength: 0.42, shadow: 0.18, trail: "#c8402c", sky: "#ffffff", floor: "#aab3bf",
    select: "#ffb000", hover: "#ffd56b", edge: "#27303c",
    looks: {
      body: "#3f7fc1", metal: "#4b5563", rail: "#aeb8c4", ground: "#8b95a3", drive: "#d0342c", spring: "#5d6b7c", force: "#d0342c",
      reaction: "#7a3fc0", torque: "#b0489c", press: "#12805c", rub: "#d97706", ghost: "#d6006f", open: "#d0021b",
    },
  },
};

const DARK: Theme = {
  name: "dark",
  text: "#e6eaf0",
  muted: "#98a4b3",
  line: "#2c343f",
  paper: "#171c23",
  series: ["#63a9f2", "#f09a45", "#45c295", "#d683cc", "#f0766a", "#9d93f2", "#d6b44a", "#5cc0d6"],
  good: "#45c295",
  warn: "#f0b145",
  bad: "#ff7a70",
  scene: {
    background: ["#1d242e", "#0f1319"], grid: "#7b8a9c", gridStrength: 0.5, shadow: 0.5, trail: "#f0766a", sky: "#f2f6fc", floor: "#59636f",
    select: "#ffb000", hover: "#ffe19a", edge: "#05070a",
    looks: {
      body: "#3f7fc1", metal: "#aab4c0", rail: "#6f7a87", ground: "#7b8593", drive: "#ff6a5e", spring: "#c3ccd7", force: "#ff6a5e",
      reaction: "#b58cff", torque: "#e58ad6", press: "#3ecf9b", rub: "#ffab40", ghost: "#ff5cae", open: "#ff4b4b",
    },
  },
};

export class Themes {
  current: Theme;
  private readonly listeners: ((t: Theme) => void)[] = [];

  constructor(wanted: string | null) {
    const system = window.matchMedia("(prefers-color-scheme: dark)");
    const given = wanted === "light" || wanted === "dark" ? wanted : null;
    this.current = (given ?? (system.matches ? "dark" : "light")) === "dark" ? DARK : LIGHT;
    if (!given) system.addEventListener("change", (e) => this.set(e.matches ? "dark" : "light"));
    this.apply();
  }

  set(name: ThemeName): void {
    this.current = name === "dark" ? DARK : LIGHT;
    this.apply();
    for (const f of this.listeners) f(this.current);
  }
  toggle(): void {
    this.set(this.current.name === "dark" ? "light" : "dark");
  }
  onChange(f: (t: Theme) => void): void {
    this.listeners.push(f);
  }
  private apply(): void {
    document.documentElement.dataset.theme = this.current.name;
  }
}

export const motionReduced = (): boolean => window.matchMedia("(prefers-reduced-motion: reduce)").matches;
