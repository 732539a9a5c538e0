// Springs that stretch, dampers, bushings; arrows of forces and reactions, to scale.
import type { Quaternion, Vector } from "../data/format";
import { rotate, STRIDE } from "../data/pose";
import { valueOf, type Channel } from "../data/result";
import { niceBelow } from "../data/units";
import { coil, geometry, tube, unitCone, unitRod } from "./geometry";
import { distance, type Element, type End, type Force, type Mechanism } from "./mechanism";
import { type Arrow as Shaft, HIDDEN, hideArrow, largeOf, placeArrow } from "./arrow";
import { across, between, type Look, type Part, type Parts, placed, WIRE } from "./parts";
import { TorusGeometry } from "three";

// Of files that do not say what a force looks like.
const LOOKS: Record<string, string> = { spring: "spring", "spring-damper": "spring", bushing: "bushing", "torsion-spring": "coil", force: "arrow" };

interface Spring {
  force: Force;
  coil: Part | null;
  damper: { tube: Part; rod: Part; length: number } | null;
  radius: number;
}

interface Arrow extends Shaft {
  channels: [Channel, Channel, Channel];
  at: End; // where it acts
  axes: End | null; // whose axes the components have; null: space
  torque: boolean;
}

export class Forces {
  private readonly springs: Spring[] = [];
  private readonly rods: { force: Force; rod: Part }[] = []; // beams and whatever else is between two markers
  private readonly arrows: Arrow[] = [];
  readonly scales = { force: 0, torque: 0 }; // length of an arrow [m] by its size [N, N m]
  readonly largest = { force: 0, torque: 0 };
  factor = 1;
  readonly hasReactions: boolean;
  readonly hasForces: boolean;

  constructor(
    private readonly parts: Parts,
    private readonly m: Mechanism,
  ) {
    WIRE.value = 0.175 * m.symbol;
    m.forces.forEach((force, index) => {
      const element: Element = { kind: "force", index, name: force.name };
      const look = force.look ?? LOOKS[force.type] ?? "rod";
      if (look === "spring") this.addSpring(force, element);
      else if (look === "bushing" && force.a) this.addBushing(force.a, element);
      else if (look === "coil") this.addTorsion(force, element);
      else if (look === "rod" && force.a && force.b) this.rods.push({ force, rod: this.part(unitRod(), "rail", "forces", element) });
      const axes = force.axes ? { body: m.find(force.axes.body), at: force.axes.at, quaternion: force.axes.quaternion ?? ([1, 0, 0, 0] as Quaternion) } : null;
      if (force.a && look === "arrow") {
        this.addArrow(force.name, "f", force.a, axes, element, "force");
        this.addArrow(force.name, "t", force.a, axes, element, "force");
      }
    });
    this.hasForces = this.arrows.length > 0;
    const before = this.arrows.length;
    m.joints.forEach((joint, index) => {
      const element: Element = { kind: "joint", index, name: joint.name };
      if (!joint.a || !joint.b) return;
      this.addArrow(joint.name, "f", joint.b, joint.a, element, "reaction");
      this.addArrow(joint.name, "t", joint.b, joint.a, element, "torque");
    });
    this.hasReactions = this.arrows.length > before;
    this.findScales();
  }

  private part(g: Parameters<Parts["add"]>[0], look: Look, layer: string, element: Element): Part {
    return this.parts.add(g, look, layer, { body: -1, local: HIDDEN.clone(), element, color: null });
  }

  private addSpring(force: Force, element: Element): void {
    if (!force.a || !force.b) return;
    const start = Math.max(distance(this.m.pointOfEnd(force.a), this.m.pointOfEnd(force.b)), 0.05 * this.m.size);
    const number = (key: string): number => (typeof force.data?.[key] === "number" ? (force.data[key] as number) : NaN);
    const stiff = !(number("stiffness") === 0), damped = number("damping") > 0 || !stiff;
    const radius = Math.min(1.1 * this.m.symbol, 0.16 * start);
    const turns = Math.max(5, Math.min(12, Math.round(start / (1.5 * radius))));
    this.springs.push({
      force,
      radius,
      coil: stiff ? this.part(coil(turns), "spring", "forces", element) : null,
      damper: damped
        ? { tube: this.part(tube(0.75), "rail", "forces", element), rod: this.part(unitRod(), "metal", "forces", element), length: 0.5 * start }
        : null,
    });
  }

  private addBushing(a: End, element: Element): void {
    const s = 0.83 * this.m.symbol, c = this.m.centers[a.body];
    const at: Vector = [a.at[0] - c[0], a.at[1] - c[1], a.at[2] - c[2]];
    this.parts.add(tube(0.55), "spring", "bushings", { body: a.body, local: placed(at, a.quaternion, [s * 1.9, s * 1.9, s * 3]), element, color: null });
  }

  private addTorsion(force: Force, element: Element): void {
    const joint = this.m.joints.find((j) => j.name === force.joint);
    if (!joint?.a) return;
    const g = geometry("spiral", () => new TorusGeometry(1.55, 0.11, 8, 48));
    const s = this.m.symbol, c = this.m.centers[joint.a.body], a = joint.a;
    for (const z of [-0.35, 0, 0.35]) {
      const d = rotate(a.quaternion, [0, 0, z * s]);
      const at: Vector = [a.at[0] - c[0] + d[0], a.at[1] - c[1] + d[1], a.at[2] - c[2] + d[2]];
      this.parts.add(g, "rail", "forces", { body: a.body, local: placed(at, a.quaternion, [s, s, s]), element, color: null });
    }
  }

  private addArrow(name: string, letter: "f" | "t", at: End, axes: End | null, element: Element, look: Look): void {
    const channels = this.m.vector(name, letter);
    if (!channels) return;
    const torque = letter === "t";
    const layer = look === "force" ? "applied" : torque ? "torques" : "reactions";
    this.arrows.push({
      channels, at, axes, torque,
      shaft: this.part(unitRod(), look, layer, element),
      head: this.part(unitCone(), look, layer, element),
      second: torque ? this.part(unitCone(), look, layer, element) : null,
    });
  }

  // The longest arrow of the run is a quarter of the model; single spikes (above the 98th percentile of those at a time) do not count.
  private findScales(): void {
    for (const kind of ["force", "torque"] as const) {
      const sizes: number[] = [];
      for (const { channels, torque } of this.arrows) {
        if (torque !== (kind === "torque")) continue;
        const s = channels[0].samples;
        if (!s) continue;
        const step = Math.max(1, Math.floor(s.time.length / 200));
        for (let k = 0; k < s.time.length; k += step) {
          const x = Math.hypot(...channels.map((c) => (c.samples ? valueOf(c.samples.values, k) : NaN)));
          sizes.push(x);
        }
      }
      const large = largeOf(sizes);
      this.largest[kind] = large;
      this.scales[kind] = large > 0 ? (0.25 * this.m.size) / large : 0;
    }
  }

  // A round force and the length of its arrow [m]: the legend.
  legend(kind: "force" | "torque"): { value: number; length: number } | null {
    if (!(this.scales[kind] > 0)) return null;
    const value = niceBelow(this.largest[kind]);
    return { value, length: value * this.scales[kind] * this.factor };
  }

  update(t: number): void {
    for (const s of this.springs) this.updateSpring(s);
    for (const { force, rod } of this.rods) across(rod.local, this.m.pointOfEnd(force.a as End), this.m.pointOfEnd(force.b as End), 0.45 * this.m.symbol);
    for (const a of this.arrows) this.updateArrow(a, t);
  }

  private updateSpring(s: Spring): void {
    const p = this.m.pointOfEnd(s.force.a as End), q = this.m.pointOfEnd(s.force.b as End);
    if (s.coil) between(s.coil.local, p, q, s.radius);
    if (!s.damper) return;
    const way = distance(p, q), u = way > 0 ? Math.min(1, s.damper.length / way) : 0;
    const along = (f: number): Vector => [p[0] + f * (q[0] - p[0]), p[1] + f * (q[1] - p[1]), p[2] + f * (q[2] - p[2])];
    across(s.damper.tube.local, p, along(u), 0.5 * s.radius);
    across(s.damper.rod.local, along(0.5 * u), q, 0.2 * s.radius);
  }

  private updateArrow(a: Arrow, t: number): void {
    let f: Vector = [a.channels[0].at(t), a.channels[1].at(t), a.channels[2].at(t)];
    const size = Math.hypot(...f), length = size * this.scales[a.torque ? "torque" : "force"] * this.factor;
    if (!(length > 1e-3 * this.m.size)) return hideArrow(a);
    if (a.axes && a.axes.body >= 0) f = rotate(this.m.poses.now, rotate(a.axes.quaternion, f), STRIDE * a.axes.body + 3);
    placeArrow(a, this.m.pointOfEnd(a.at), f, length, this.m.symbol);
  }
}
