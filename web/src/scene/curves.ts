// Beams that deform, drawn as they are bent: bodies of modes by the shapes of these, pieces between two nodes by the
// cubic line that leaves both along x. What the modes do may be drawn larger than it is.
import { Color, Matrix4 } from "three";
import type { CurveData, Vector } from "../data/format";
import { rotate, STRIDE } from "../data/pose";
import type { Channel } from "../data/result";
import { bodyColor } from "./bodies";
import { unitBall, unitRod } from "./geometry";
import { distance, type Element, type End, type Force, type Mechanism } from "./mechanism";
import { across, type Part, type Parts, placed } from "./parts";

const PIECES = 5; // of a line between two nodes

interface Line {
  at: (t: number, factor: number) => Vector[]; // points in space
  rods: Part[];
  balls: Part[];
  radius: number;
}

export class Curves {
  private readonly lines: Line[] = [];
  readonly flexible: boolean; // something has modes
  factor = 1;

  constructor(
    private readonly parts: Parts,
    m: Mechanism,
    ghost: boolean,
  ) {
    m.bodies.forEach((body, index) => {
      if (!body.curve || body.shapes?.length) return;
      const element: Element = { kind: "body", index, name: body.name };
      const color = ghost ? null : body.color ? new Color(body.color) : bodyColor(index);
      const modes = modesOf(m, body.name, body.curve), curve = body.curve;
      this.add("body", "bodies", element, color, curve.points.length / 3, 0.5 * m.symbolOfBody(index), (t, factor) => bent(m, index, curve, modes, t, factor));
    });
    this.flexible = this.lines.length > 0;
    m.forces.forEach((force, index) => {
      if (force.look !== "curve" || !force.a || !force.b) return;
      const element: Element = { kind: "force", index, name: force.name };
      this.add("rail", "forces", element, null, PIECES + 1, 0.45 * m.symbol, () => cubic(m, force));
    });
  }

  private add(look: "body" | "rail", layer: string, element: Element, color: Color | null, count: number, radius: number, at: Line["at"]): void {
    const part = (g: Parameters<Parts["add"]>[0]): Part => this.parts.add(g, look, layer, { body: -1, local: new Matrix4().makeScale(0, 0, 0), element, color });
    const rods = Array.from({ length: count - 1 }, () => part(unitRod())), balls = Array.from({ length: count }, () => part(unitBall()));
    this.lines.push({ at, rods, balls, radius });
  }

  update(t: number): void {
    for (const { at, rods, balls, radius } of this.lines) {
      const p = at(t, this.factor);
      rods.forEach((rod, k) => across(rod.local, p[k], p[k + 1], radius));
      balls.forEach((ball, k) => ball.local.copy(placed(p[k], null, [radius, radius, radius])));
    }
  }
}

function modesOf(m: Mechanism, body: string, curve: CurveData): (Channel | undefined)[] {
  return Array.from({ length: curve.shapes.length / curve.points.length }, (_, j) => m.result.byName.get(`${body}.mode${j + 1}`));
}

function bent(m: Mechanism, body: number, curve: CurveData, modes: (Channel | undefined)[], t: number, factor: number): Vector[] {
  const eta = modes.map((c) => factor * (c?.at(t) ?? 0)), center = m.centers[body], pose = m.poses.now;
  const out: Vector[] = [];
  for (let k = 0; k < curve.points.length / 3; k++) {
    const p: Vector = [0, 0, 0];
    for (let i = 0; i < 3; i++) {
      p[i] = curve.points[3 * k + i] - center[i];
      eta.forEach((x, j) => (p[i] += x * curve.shapes[3 * (modes.length * k + j) + i]));
    }
    const r = rotate(pose, p, STRIDE * body + 3);
    out.push([pose[STRIDE * body] + r[0], pose[STRIDE * body + 1] + r[1], pose[STRIDE * body + 2] + r[2]]);
  }
  return out;
}

// Hermite's, as long at its ends as the way between them.
function cubic(m: Mechanism, force: Force): Vector[] {
  const a = force.a as End, b = force.b as End;
  const p = m.pointOfEnd(a), q = m.pointOfEnd(b), l = distance(p, q);
  const from = m.direction(a, [l, 0, 0]), to = m.direction(b, [l, 0, 0]);
  return Array.from({ length: PIECES + 1 }, (_, k) => {
    const u = k / PIECES, v = 1 - u;
    const w = [v * v * (1 + 2 * u), u * v * v, u * u * (1 + 2 * v), -u * u * v];
    return [0, 1, 2].map((i) => w[0] * p[i] + w[1] * from[i] + w[2] * q[i] + w[3] * to[i]) as Vector;
  });
}
