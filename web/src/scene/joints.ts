// Joints as symbols that engineers know: bearing, slide, ball and socket, cross, ... Each part rides on the body it belongs to.
import { type BufferGeometry, type Color, Matrix4, Quaternion, Vector3 } from "three";
import type { Vector } from "../data/format";
import { rotate } from "../data/pose";
import { wordsOf } from "../data/units";
import { bodyColor, seenColor } from "./bodies";
import {
  axisSymbol, cylindricalSymbol, fixedSymbol, footSymbol, inLineSymbol, inPlaneSymbol, orientationSymbol, planarSymbol, pushSymbol,
  revoluteSymbol, screwSymbol, sphericalSymbol, type SymbolParts, translationalSymbol, turnSymbol, unitBall, unitBox, unitRod,
  universalSymbol, wheel,
} from "./geometry";
import { type Element, type End, type Joint, LINKS, type Mechanism } from "./mechanism";
import { across, type Look, type Part, type Parts, placed } from "./parts";

const SYMBOLS = wordsOf<() => SymbolParts>({
  revolute: revoluteSymbol,
  translational: translationalSymbol,
  cylindrical: cylindricalSymbol,
  spherical: sphericalSymbol,
  universal: universalSymbol,
  fixed: fixedSymbol,
  planar: planarSymbol,
  screw: screwSymbol,
  "in-line": inLineSymbol,
  "in-plane": inPlaneSymbol,
  orientation: orientationSymbol,
  parallel: axisSymbol,
  perpendicular: universalSymbol,
  "constant-velocity": universalSymbol,
});

const LIGHT = new Set(["spherical", "universal", "perpendicular", "constant-velocity", "parallel"]); // two parts to be told apart

export class Joints {
  private readonly gaps: { joint: Joint; rod: Part }[] = [];
  private readonly links: { joint: Joint; rod: Part; balls: [Part, Part] }[] = [];

  constructor(
    private readonly parts: Parts,
    private readonly m: Mechanism,
    ghost: boolean,
  ) {
    m.joints.forEach((joint, index) => {
      const s = m.symbolOf(joint);
      this.addWheels(joint, { kind: "joint", index, name: joint.name }, ghost);
      const { a, b } = joint;
      if (!a || !b) return;
      const element: Element = { kind: "joint", index, name: joint.name };
      const put = (g: BufferGeometry, look: Look, end: End, local: Matrix4, color: Color | null = null): void => {
        if (!ghost || end.body !== m.ground) parts.add(g, look, "joints", { body: end.body, local, element, color });
      };
      if (LINKS.has(joint.type)) return this.addLink(joint, element);
      const symbol = (SYMBOLS[joint.type] ?? fixedSymbol)();
      const frame = (e: End): Matrix4 => placed(this.local(e), e.quaternion, [s, s, s]);
      // each half has the colour of its body, so that one sees which goes with which
      const own = (e: End): Color | null => (e.body === m.ground || ghost || joint.open ? null : seenColor(m, e.body));
      if (symbol.first) put(symbol.first, joint.open ? "open" : "metal", a, frame(a), own(a));
      if (symbol.second) put(symbol.second, joint.open ? "open" : LIGHT.has(joint.type) ? "rail" : "metal", b, frame(b), own(b));
      if (joint.open) this.addGap(joint, element);
      this.addRail(joint, a, s, put);
      if (joint.type === "revolute") for (const e of [a, b]) if (e.body === m.ground) put(footSymbol(), "ground", e, this.foot(e, s));
      if (joint.driven)
        put(joint.type === "revolute" || joint.type === "screw" || joint.type === "cylindrical" ? turnSymbol() : pushSymbol(), "drive", a, frame(a));
    });
  }

  private local(e: End): Vector {
    const c = this.m.centers[e.body];
    return [e.at[0] - c[0], e.at[1] - c[1], e.at[2] - c[2]];
  }

  // As long as the way that is gone on it. Slim on a body with shapes: what it slides on is drawn there already.
  private addRail(joint: Joint, a: End, s: number, put: (g: BufferGeometry, look: Look, e: End, m: Matrix4) => void): void {
    const rail = this.m.rail(joint);
    if (!rail) return;
    const [from, to] = rail;
    const z = rotate(a.quaternion, [0, 0, 1]), at = this.local(a), mid = (from + to) / 2;
    const where: Vector = [at[0] + mid * z[0], at[1] + mid * z[1], at[2] + mid * z[2]];
    const look: Look = a.body === this.m.ground ? "ground" : "rail";
    const width = (this.m.bodies[a.body].shapes?.length ?? 0) > 0 ? 0.4 * s : s;
    if (joint.type === "translational") put(unitBox(), look, a, placed(where, a.quaternion, [1.45 * width, 1.45 * width, to - from]));
    else put(unitRod(), look, a, placed(where, a.quaternion, [0.62 * width, 0.62 * width, to - from]));
  }

  // The foot of a bearing: z along the axis, its top away from where gravity points, as far as the axis allows.
  private foot(e: End, s: number): Matrix4 {
    const z = new Vector3(...rotate(e.quaternion, [0, 0, 1])), up = new Vector3(...this.m.up);
    const y = up.clone().addScaledVector(z, -up.dot(z));
    if (y.length() < 0.3) {
      // an axis that stands upright: the foot is below it
      const x = new Vector3(Math.abs(z.x) < 0.8 ? 1 : 0, Math.abs(z.x) < 0.8 ? 0 : 1, 0).cross(z).normalize();
      const top = z.clone().multiplyScalar(Math.sign(z.dot(up)) || 1);
      const m = new Matrix4().makeBasis(x, top, new Vector3().crossVectors(x, top));
      return new Matrix4().compose(new Vector3(...this.local(e)), new Quaternion().setFromRotationMatrix(m), new Vector3(s, s, 2 * s));
    }
    y.normalize();
    const m = new Matrix4().makeBasis(new Vector3().crossVectors(y, z), y, z);
    return new Matrix4().compose(new Vector3(...this.local(e)), new Quaternion().setFromRotationMatrix(m), new Vector3(s, s, s));
  }

  // Teeth of two wheels interlock at the start: one has a tooth where the other has a gap.
  private addWheels(joint: Joint, element: Element, ghost: boolean): void {
    const wheels = this.m.wheels(joint), smallest = Math.min(...wheels.map((w) => w.radius));
    this.m.poses.at(this.m.result.start);
    wheels.forEach(({ end, radius, towards }, k) => {
      const teeth = Math.min(120, Math.round((16 * radius) / smallest));
      let angle = 0;
      if (towards) {
        const p = this.m.pointOfEnd(end), q = this.m.pointOfEnd(towards), x = this.m.direction(end, [1, 0, 0]), y = this.m.direction(end, [0, 1, 0]);
        const d = [q[0] - p[0], q[1] - p[1], q[2] - p[2]], along = (v: Vector): number => d[0] * v[0] + d[1] * v[1] + d[2] * v[2];
        angle = Math.atan2(along(y), along(x)) + (k % 2) * (Math.PI / teeth);
      }
      const local = placed(this.local(end), end.quaternion, [radius, radius, 0.22 * smallest]).multiply(new Matrix4().makeRotationZ(angle));
      this.parts.add(wheel(teeth), "body", "joints", { body: end.body, local, element, edges: true, color: ghost ? null : bodyColor(end.body) });
    });
  }

  // What lacks between its ends.
  private addGap(joint: Joint, element: Element): void {
    this.gaps.push({ joint, rod: this.parts.add(unitRod(), "open", "joints", { body: -1, local: new Matrix4(), element, color: null }) });
  }

  private addLink(joint: Joint, element: Element): void {
    const part = (g: BufferGeometry): Part =>
      this.parts.add(g, "metal", "joints", { body: -1, local: new Matrix4(), element, color: null });
    this.links.push({ joint, rod: part(unitRod()), balls: [part(unitBall()), part(unitBall())] });
  }

  update(): void {
    for (const { joint, rod } of this.gaps) across(rod.local, this.m.pointOfEnd(joint.a as End), this.m.pointOfEnd(joint.b as End), 0.3 * this.m.symbol);
    const s = 0.83 * this.m.symbol;
    for (const { joint, rod, balls } of this.links) {
      const p = this.m.pointOfEnd(joint.a as End), q = this.m.pointOfEnd(joint.b as End);
      across(rod.local, p, q, 0.4 * s);
      [p, q].forEach((x, k) => balls[k].local.makeScale(0.75 * s, 0.75 * s, 0.75 * s).setPosition(x[0], x[1], x[2]));
    }
  }
}
