// Bodies: their shapes, or bars between the points where something is attached to them.
import { BufferAttribute, BufferGeometry, Color, Matrix4 } from "three";
import type { BodyData, ShapeData, Vector } from "../data/format";
import { aligned } from "../data/result";
import { capsule, geometry, tube, unitBall, unitBox, unitCone, unitCylinder, unitRod, unitSphere } from "./geometry";
import { distance, type Element, type Mechanism } from "./mechanism";
import { across, type Parts, placed } from "./parts";

// Told apart by eye, also by people who see fewer colours, on light and dark.
const BODY_COLORS = ["#3f7fc1", "#e08a2b", "#2f9e7a", "#b65fa8", "#d3533f", "#7a6fd0", "#c4a23a", "#5c9fb5", "#8a9a45", "#a8735a"];

export const bodyColor = (index: number): Color => new Color(BODY_COLORS[(index + BODY_COLORS.length - 1) % BODY_COLORS.length]);

// What a body is seen in: the colour it was given, or that of its number.
export const seenColor = (m: Mechanism, index: number): Color => {
  const given = m.bodies[index].shapes?.find((s) => s.color)?.color;
  return given ? new Color(given) : bodyColor(index);
};

export function addBodies(parts: Parts, m: Mechanism, ghost: boolean): void {
  const ROUND = new Set([unitRod(), unitBall(), unitSphere()].map((g) => g.uuid)); // rods end in balls: no edges there
  m.bodies.forEach((body, index) => {
    if (body.kind === "ground" && (ghost || !body.shapes?.length)) return; // both stand on the same one
    const element: Element = { kind: "body", index, name: body.name };
    const color = ghost || body.kind === "ground" ? null : bodyColor(index);
    const put = (g: BufferGeometry, local: Matrix4, own?: string | null): void => {
      const edges = !ROUND.has(g.uuid);
      parts.add(g, body.kind === "ground" ? "ground" : "body", "bodies", { body: index, local, element, edges, color: own && !ghost ? new Color(own) : color });
    };
    const center = m.centers[index], thick = 0.67 * m.symbolOfBody(index);
    const shapes = body.shapes ?? [];
    if (shapes.length > 0) for (const s of shapes) addShape(put, s, center, thick, m);
    else if (!body.curve && !m.isNode(index)) addDefault(put, m, index, body, thick);
  });
}

type Put = (g: BufferGeometry, local: Matrix4, own?: string | null) => void;

const minus = (p: Vector, c: Vector): Vector => [p[0] - c[0], p[1] - c[1], p[2] - c[2]];

function addShape(put: Put, s: ShapeData, center: Vector, thick: number, m: Mechanism): void {
  const at = minus(s.at ?? [0, 0, 0], center), q = s.quaternion;
  switch (s.type) {
    case "box":
      return put(unitBox(), placed(at, q, s.size), s.color);
    case "cylinder":
      return put(unitCylinder(), placed(at, q, [s.radius, s.radius, s.length]), s.color);
    case "sphere":
      return put(unitSphere(), placed(at, q, [s.radius, s.radius, s.radius]), s.color);
    case "capsule":
      return put(capsule(s.length / s.radius), placed(at, q, [s.radius, s.radius, s.radius]), s.color);
    case "cone":
      return put(unitCone(), placed(at, q, [s.radius, s.radius, s.height]), s.color);
    case "tube":
      return put(tube(s.inner / s.radius), placed(at, q, [s.radius, s.radius, s.length]), s.color);
    case "mesh": {
      const g = geometry(`mesh ${m.result.index} ${s.vertices.block} ${s.vertices.offset} ${s.triangles.offset}`, () => meshOf(s, m));
      return put(g, placed(at, q, [1, 1, 1]), s.color);
    }
    case "link": {
      const points = s.points.map((p) => minus(p, center));
      for (let k = 0; k + 1 < points.length; k++) bar(put, points[k], points[k + 1], s.radius ?? thick, s.color);
      return;
    }
  }
}

function meshOf(s: ShapeData & { type: "mesh" }, m: Mechanism): BufferGeometry {
  const v = aligned(m.result.bytesOf(s.vertices, 4), 4), i = aligned(m.result.bytesOf(s.triangles, 4), 4);
  const shared = new BufferGeometry();
  shared.setAttribute("position", new BufferAttribute(new Float32Array(v.buffer, v.byteOffset, s.vertices.count), 3));
  shared.setIndex(new BufferAttribute(new Uint32Array(i.buffer, i.byteOffset, s.triangles.count), 1));
  const g = shared.toNonIndexed(); // flat faces: the edges of machine parts are sharp
  g.computeVertexNormals();
  return g;
}

// A rounded bar. p and q from the mass centre.
function bar(put: Put, p: Vector, q: Vector, radius: number, color?: string | null): void {
  const local = new Matrix4();
  if (across(local, p, q, radius) > 1e-9 * radius) put(unitRod(), local, color);
  for (const end of [p, q]) put(unitBall(), placed(end, null, [radius, radius, radius]), color);
}

function addDefault(put: Put, m: Mechanism, index: number, body: BodyData, thick: number): void {
  const center = m.centers[index];
  const points = unlike(m.pointsOf(index).map((p) => minus(p, center)), 0.004 * m.size);
  const block = m.block(index);
  if (block) return put(unitBox(), placed([0, 0, 0], null, block));
  if (m.hasWheel(index) && points.length <= 1) return;
  const ball = (radius: number): void => put(unitSphere(), placed([0, 0, 0], null, [radius, radius, radius]));
  if (body.kind === "point") return ball(1.7 * thick);
  if (points.length >= 3) {
    const hull = points.length === 3 && !collinear(points) ? [...points, points[0]] : null;
    if (hull) for (let k = 0; k < 3; k++) bar(put, hull[k], hull[k + 1], thick);
    else if (collinear(points)) {
      const [p, q] = ends(points);
      bar(put, p, q, thick);
    } else for (const p of points) bar(put, [0, 0, 0], p, thick);
    return;
  }
  if (points.length === 2) {
    bar(put, points[0], points[1], thick);
    if (offLine([0, 0, 0], points[0], points[1]) > 1.5 * thick) bar(put, [0, 0, 0], middle(points[0], points[1]), 0.6 * thick);
    return;
  }
  const reach = points.length === 1 ? Math.hypot(...points[0]) : 0;
  if (reach > 1.5 * thick) {
    bar(put, [0, 0, 0], points[0], thick);
    return ball(2.2 * thick);
  }
  ball(2.2 * thick);
}

function unlike(points: Vector[], tolerance: number): Vector[] {
  const out: Vector[] = [];
  for (const p of points) if (!out.some((q) => distance(p, q) <= tolerance)) out.push(p);
  return out;
}

const middle = (p: Vector, q: Vector): Vector => [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2, (p[2] + q[2]) / 2];

// Of p from the line through a and b; beyond their ends, from them.
function offLine(p: Vector, a: Vector, b: Vector): number {
  const d = minus(b, a), l2 = d[0] ** 2 + d[1] ** 2 + d[2] ** 2, w = minus(p, a);
  const u = Math.min(1, Math.max(0, l2 > 0 ? (w[0] * d[0] + w[1] * d[1] + w[2] * d[2]) / l2 : 0));
  return distance(p, [a[0] + u * d[0], a[1] + u * d[1], a[2] + u * d[2]]);
}

function ends(points: Vector[]): [Vector, Vector] {
  let best: [Vector, Vector] = [points[0], points[1]];
  for (const p of points) for (const q of points) if (distance(p, q) > distance(...best)) best = [p, q];
  return best;
}

function collinear(points: Vector[]): boolean {
  const [a, b] = ends(points);
  return points.every((p) => offLine(p, a, b) < 0.02 * distance(a, b));
}
