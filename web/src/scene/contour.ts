// Stresses of a flexible body, as `flyball stress --contour` attached them: its nodes where the modes move them, beams as
// rods and nodes of solids as balls, coloured by von Mises's stress; the scale of colours and the table of hot spots.
import { Color, Group, InstancedMesh, Matrix4, MeshStandardMaterial } from "three";
import type { StressData, Vector } from "../data/format";
import { rotate, STRIDE } from "../data/pose";
import { h } from "../ui/dom";
import { unitBall, unitRod } from "./geometry";
import type { Mechanism } from "./mechanism";
import { across, placed } from "./parts";

const STOPS: [number, number, number][] = [[0.05, 0.19, 0.57], [0.1, 0.6, 0.75], [0.45, 0.8, 0.3], [0.98, 0.8, 0.15], [0.75, 0.1, 0.1]];

// From 0 to 1: blue to red.
export function heat(x: number): [number, number, number] {
  const at = Math.min(Math.max(x, 0), 1) * (STOPS.length - 1), k = Math.min(Math.floor(at), STOPS.length - 2), u = at - k;
  return [0, 1, 2].map((i) => STOPS[k][i] * (1 - u) + STOPS[k + 1][i] * u) as [number, number, number];
}

// The frame before a time, and how far it is to the next.
export function frameAt(times: number[], t: number): [number, number] {
  let k = 0;
  while (k + 2 < times.length && times[k + 1] <= t) k++;
  const span = times.length > 1 ? times[k + 1] - times[k] : 0;
  return [k, span > 0 ? Math.min(Math.max((t - times[k]) / span, 0), 1) : 0];
}

export class Contour {
  readonly group = new Group();
  readonly highest: number;
  private readonly mesh: InstancedMesh | null = null;
  private readonly body: number;
  private readonly radius: number;

  constructor(
    private readonly m: Mechanism,
    private readonly data: StressData | null,
  ) {
    this.body = data ? m.bodies.findIndex((b) => b.name === data.body) : -1;
    this.radius = this.body >= 0 ? 0.6 * m.symbolOfBody(this.body) : 0;
    this.highest = data?.spots[0]?.von_mises ?? 0;
    if (!data || this.body < 0) return;
    const count = data.lines.length > 0 ? data.lines.length / 2 : data.nodes.length;
    this.mesh = new InstancedMesh(data.lines.length > 0 ? unitRod() : unitBall(), new MeshStandardMaterial({ roughness: 0.6 }), count);
    this.mesh.frustumCulled = false;
    this.group.add(this.mesh);
  }

  // Nodes in space.
  private points(k: number, u: number, factor: number): Vector[] {
    const d = this.data as StressData, n = d.nodes.length, pose = this.m.poses.now, at = STRIDE * this.body, center = this.m.centers[this.body];
    const next = Math.min(k + 1, d.times.length - 1);
    return d.nodes.map((node, j) => {
      const p = [0, 1, 2].map((i) => node[1 + i] - center[i] + factor * ((1 - u) * d.moves[3 * (n * k + j) + i] + u * d.moves[3 * (n * next + j) + i])) as Vector;
      const r = rotate(pose, p, at + 3);
      return [pose[at] + r[0], pose[at + 1] + r[1], pose[at + 2] + r[2]];
    });
  }

  update(t: number, factor: number): void {
    const d = this.data, mesh = this.mesh;
    if (!d || !mesh) return;
    const [k, u] = frameAt(d.times, t), n = d.nodes.length, next = Math.min(k + 1, d.times.length - 1);
    const p = this.points(k, u, factor), color = new Color(), place = new Matrix4();
    const stress = (j: number): number => (1 - u) * d.mises[n * k + j] + u * d.mises[n * next + j];
    for (let e = 0; e < mesh.count; e++) {
      const [a, b] = d.lines.length > 0 ? [d.lines[2 * e], d.lines[2 * e + 1]] : [e, e];
      if (a === b) place.copy(placed(p[a], null, [this.radius, this.radius, this.radius]));
      else across(place, p[a], p[b], this.radius);
      mesh.setMatrixAt(e, place);
      mesh.setColorAt(e, color.setRGB(...heat(Math.max(stress(a), stress(b)) / (this.highest || 1))));
    }
    mesh.instanceMatrix.needsUpdate = true;
    if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
  }
}

// The scale of colours, and the hot spots as a table behind it.
export function stressLegend(data: StressData): HTMLElement {
  const css = (x: number): string => `rgb(${heat(x).map((c) => Math.round(255 * c)).join(" ")})`;
  const bar = h("span", { class: "stress-bar", "aria-hidden": "true" });
  bar.style.background = `linear-gradient(to right, ${[0, 0.25, 0.5, 0.75, 1].map(css).join(", ")})`;
  const highest = data.spots[0]?.von_mises ?? 0;
  const rows = data.spots.map((s, k) => h("tr", {}, h("td", {}, String(k + 1)), h("td", {}, String(s.node)), h("td", {}, mega(s.von_mises)), h("td", {}, s.time.toPrecision(4))));
  return h(
    "details",
    { class: "stress-legend" },
    h("summary", {}, `von Mises of ${data.body}: 0 `, bar, ` ${mega(highest)} MPa`),
    h("table", {}, h("thead", {}, h("tr", {}, ...["no.", "node", "MPa", "time [s]"].map((x) => h("th", { scope: "col" }, x)))), h("tbody", {}, ...rows)),
  );
}

const mega = (pascals: number): string => (pascals / 1e6).toPrecision(4);
