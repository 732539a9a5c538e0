// Geometries of unit size, one of each kind however many bodies there are: instances stretch them.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, ConeGeometry, CylinderGeometry, ExtrudeGeometry, Path,
  Shape, SphereGeometry, TorusGeometry, TubeGeometry, Curve, Vector3,
} from "three";
import { mergeGeometries, mergeVertices } from "three/examples/jsm/utils/BufferGeometryUtils.js";

const cache = new Map<string, BufferGeometry>();
let coarse = false;

// Many elements are small on the screen: fewer triangles each.
export function setCoarse(on: boolean): void {
  coarse = on;
}
const around = (n: number): number => (coarse ? Math.max(5, Math.round(0.32 * n)) : n);

export function geometry(key: string, make: () => BufferGeometry): BufferGeometry {
  const full = coarse ? `${key} coarse` : key;
  let g = cache.get(full);
  if (!g) cache.set(full, (g = make()));
  return g;
}

const alongZ = (g: BufferGeometry): BufferGeometry => g.rotateX(Math.PI / 2);
const moved = (g: BufferGeometry, x: number, y: number, z: number): BufferGeometry => g.translate(x, y, z);

function merged(parts: BufferGeometry[]): BufferGeometry {
  const plain = parts.map((p) => {
    const g = p.index ? p.toNonIndexed() : p;
    g.deleteAttribute("uv");
    return g;
  });
  return mergeVertices(mergeGeometries(plain));
}

export const unitBox = (): BufferGeometry => geometry("box", () => new BoxGeometry(1, 1, 1));
// radius 1, length 1 along z
export const unitCylinder = (): BufferGeometry => geometry("cylinder", () => alongZ(new CylinderGeometry(1, 1, 1, around(32))));
export const unitRod = (): BufferGeometry => geometry("rod", () => alongZ(new CylinderGeometry(1, 1, 1, around(16))));
export const unitSphere = (): BufferGeometry => geometry("sphere", () => new SphereGeometry(1, around(32), around(20)));
export const unitBall = (): BufferGeometry => geometry("ball", () => new SphereGeometry(1, coarse ? 8 : 24, coarse ? 5 : 16));
// base at z = 0, tip at z = 1
export const unitCone = (): BufferGeometry =>
  geometry("cone", () => moved(alongZ(new ConeGeometry(1, 1, around(32))), 0, 0, 0.5));
// of length over radius; radius 1
export const capsule = (length: number): BufferGeometry =>
  geometry(`capsule ${length.toPrecision(4)}`, () => alongZ(new CapsuleGeometry(1, length, around(10), around(24))));
// outer radius 1, length 1
export const tube = (inner: number): BufferGeometry =>
  geometry(`tube ${inner.toPrecision(4)}`, () => {
    const ring = new Shape();
    ring.absarc(0, 0, 1, 0, 2 * Math.PI, false);
    const hole = new Path();
    hole.absarc(0, 0, inner, 0, 2 * Math.PI, true);
    ring.holes.push(hole);
    return moved(new ExtrudeGeometry(ring, { depth: 1, bevelEnabled: false, curveSegments: around(40) }), 0, 0, -0.5);
  });

// ------------------------------------------------------------------------------------------ symbols of joints

// Sizes in units of the symbol; z is the axis. `first` belongs to the joint's first body, `second` to the second.
export interface SymbolParts {
  first?: BufferGeometry;
  second?: BufferGeometry;
}

// A bearing: a ring around a pin.
export const revoluteSymbol = (): SymbolParts => ({
  first: coarse ? geometry("revolute 1", () => alongZ(new CylinderGeometry(1, 1, 1.1, 10))) : geometry("revolute 1", () => moved(new ExtrudeGeometry(ringShape(1, 0.62), EXTRUDE(1.1)), 0, 0, -0.55)),
  second: geometry("revolute 2", () =>
    coarse ? alongZ(new CylinderGeometry(0.5, 0.5, 1.9, 8)) : merged([
      alongZ(new CylinderGeometry(0.5, 0.5, 1.9, around(24))),
      moved(alongZ(new CylinderGeometry(0.72, 0.72, 0.18, around(24))), 0, 0, 0.86),
      moved(alongZ(new CylinderGeometry(0.72, 0.72, 0.18, around(24))), 0, 0, -0.86),
    ]),
  ),
});

// A sleeve, open along the axis, that slides on a rail (drawn apart, as long as the travel).
export const translationalSymbol = (): SymbolParts => ({
  second: geometry("translational 2", () => {
    const wall = 0.34, half = 1.15, length = 3.4;
    return merged([
      moved(new BoxGeometry(2 * half, wall, length), 0, half - wall / 2, 0),
      moved(new BoxGeometry(2 * half, wall, length), 0, -half + wall / 2, 0),
      moved(new BoxGeometry(wall, 2 * half, length), half - wall / 2, 0, 0),
      moved(new BoxGeometry(wall, 2 * half, length), -half + wall / 2, 0, 0),
    ]);
  }),
});

export const cylindricalSymbol = (): SymbolParts => ({
  second: geometry("cylindrical 2", () => moved(new ExtrudeGeometry(ringShape(1.1, 0.72), EXTRUDE(3.2)), 0, 0, -1.6)),
});

export const sphericalSymbol = (): SymbolParts => ({
  // a socket: the lower part of a hollow ball
  first: geometry("spherical 1", () =>
    coarse ? new SphereGeometry(1.25, 8, 3, 0, 2 * Math.PI, 0.62 * Math.PI, 0.38 * Math.PI).rotateX(Math.PI / 2) : merged([
      new SphereGeometry(1.25, around(28), around(14), 0, 2 * Math.PI, 0.62 * Math.PI, 0.38 * Math.PI).rotateX(Math.PI / 2),
      flipped(new SphereGeometry(1.08, around(28), around(14), 0, 2 * Math.PI, 0.62 * Math.PI, 0.38 * Math.PI).rotateX(Math.PI / 2)),
      moved(new TorusGeometry(1.09, 0.1, around(8), around(32)), 0, 0, -0.42),
    ]),
  ),
  second: unitBall(),
});

// Two forks and a cross; the first axis is z, the second lies across.
export const universalSymbol = (): SymbolParts => {
  const fork = (): BufferGeometry =>
    merged([
      alongZ(new CylinderGeometry(0.3, 0.3, 2.6, around(18))),
      moved(alongZ(new CylinderGeometry(0.5, 0.5, 0.42, around(20))), 0, 0, 1.2),
      moved(alongZ(new CylinderGeometry(0.5, 0.5, 0.42, around(20))), 0, 0, -1.2),
    ]);
  return {
    first: geometry("universal 1", () => merged([fork(), new SphereGeometry(0.5, around(16), around(12))])),
    second: geometry("universal 2", fork),
  };
};

export const fixedSymbol = (): SymbolParts => ({
  first: geometry("fixed 1", () =>
    merged([new BoxGeometry(1.5, 1.5, 1.5), new BoxGeometry(1.9, 0.45, 0.45), new BoxGeometry(0.45, 1.9, 0.45), new BoxGeometry(0.45, 0.45, 1.9)]),
  ),
});

export const planarSymbol = (): SymbolParts => ({
  first: geometry("planar 1", () => moved(new BoxGeometry(6, 6, 0.18), 0, 0, -0.1)),
  second: geometry("planar 2", () => moved(new BoxGeometry(2.2, 2.2, 0.5), 0, 0, 0.25)),
});

export const screwSymbol = (): SymbolParts => ({
  first: geometry("screw 1", () => {
    const thread = new Path3((u) => {
      const a = 2 * Math.PI * 6 * u;
      return new Vector3(0.6 * Math.cos(a), 0.6 * Math.sin(a), 5 * (u - 0.5));
    });
    return merged([alongZ(new CylinderGeometry(0.58, 0.58, 5.4, around(24))), new TubeGeometry(thread, 180, 0.17, 6)]);
  }),
  second: geometry("screw 2", () => moved(new ExtrudeGeometry(hexagon(1.25, 0.74), EXTRUDE(1.4)), 0, 0, -0.7)),
});

// A ball that slides in a slot, or on a plane.
export const inLineSymbol = (): SymbolParts => ({ second: unitBall() });
export const inPlaneSymbol = (): SymbolParts => ({
  first: geometry("in-plane 1", () => moved(new BoxGeometry(6, 6, 0.16), 0, 0, -0.75)),
  second: geometry("in-plane 2", () => new SphereGeometry(0.7, around(20), around(14))),
});

// Directions only: three short axes, one for each body.
export const orientationSymbol = (): SymbolParts => {
  const axes = (): BufferGeometry =>
    merged([
      moved(alongZ(new CylinderGeometry(0.16, 0.16, 1.8, around(10))), 0, 0, 0.9),
      alongZ(new CylinderGeometry(0.16, 0.16, 1.8, around(10))).rotateY(Math.PI / 2).translate(0.9, 0, 0),
      alongZ(new CylinderGeometry(0.16, 0.16, 1.8, around(10))).rotateX(Math.PI / 2).translate(0, 0.9, 0),
    ]);
  return { first: geometry("orientation 1", axes) };
};

export const axisSymbol = (): SymbolParts => ({
  first: geometry("axis 1", () => moved(alongZ(new CylinderGeometry(0.2, 0.2, 5, around(12))), 0.35, 0, 0)),
  second: geometry("axis 2", () => moved(alongZ(new CylinderGeometry(0.2, 0.2, 5, around(12))), -0.35, 0, 0)),
});

// A gear wheel of pitch radius 1 and thickness 1, a tooth on the x axis.
export const wheel = (teeth: number): BufferGeometry =>
  geometry(`wheel ${teeth}`, () => {
    const s = new Shape(), pitch = (2 * Math.PI) / teeth, add = 2 / teeth;
    const put = (r: number, a: number): void => void (s.curves.length === 0 && s.currentPoint.length() === 0 ? s.moveTo(r * Math.cos(a), r * Math.sin(a)) : s.lineTo(r * Math.cos(a), r * Math.sin(a)));
    for (let k = 0; k < teeth; k++) for (const [r, u] of [[1 - 1.15 * add, -0.36], [1 + 0.9 * add, -0.13], [1 + 0.9 * add, 0.13], [1 - 1.15 * add, 0.36]]) put(r, pitch * (k + u));
    s.closePath();
    for (let k = 0; k < 5; k++) {
      const a = (2 * Math.PI * (k + 0.5)) / 5, hole = new Path();
      hole.absarc(0.58 * Math.cos(a), 0.58 * Math.sin(a), 0.19, 0, 2 * Math.PI, true);
      s.holes.push(hole);
    }
    return moved(new ExtrudeGeometry(s, { depth: 1, bevelEnabled: false, curveSegments: 12 }), 0, 0, -0.5);
  });

// The foot of a bearing on the ground: a block that widens downwards (-y), hatched below.
export const footSymbol = (): BufferGeometry =>
  geometry("foot", () => {
    const s = new Shape();
    s.moveTo(-0.95, -0.25);
    s.lineTo(-1.75, -2.5);
    s.lineTo(1.75, -2.5);
    s.lineTo(0.95, -0.25);
    s.closePath();
    const foot = moved(new ExtrudeGeometry(s, EXTRUDE(0.8)), 0, 0, -0.4);
    return merged([foot, moved(new BoxGeometry(4.6, 0.3, 1.6), 0, -2.6, 0)]);
  });

// Three quarters of a turn with a head: this joint is driven. Straight for a slide.
export const turnSymbol = (): BufferGeometry =>
  geometry("turn", () =>
    merged([
      new TorusGeometry(2.1, 0.13, around(8), around(48), 1.5 * Math.PI),
      new ConeGeometry(0.42, 0.95, around(16)).translate(0, 0.3, 0).rotateZ(-Math.PI / 2).translate(0, -2.1, 0),
    ]),
  );
export const pushSymbol = (): BufferGeometry =>
  geometry("push", () =>
    merged([
      moved(alongZ(new CylinderGeometry(0.16, 0.16, 3, around(10))), 0, 2, 0),
      moved(alongZ(new ConeGeometry(0.45, 1, around(16))), 0, 2, 2),
      moved(alongZ(new ConeGeometry(0.45, 1, around(16))).rotateX(Math.PI), 0, 2, -2),
    ]),
  );

class Path3 extends Curve<Vector3> {
  constructor(private readonly point: (u: number) => Vector3) {
    super();
  }
  override getPoint(u: number): Vector3 {
    return this.point(u);
  }
}

const EXTRUDE = (depth: number): { depth: number; bevelEnabled: false; curveSegments: number } => ({
  depth,
  bevelEnabled: false,
  curveSegments: around(28),
});

function ringShape(outer: number, inner: number): Shape {
  const ring = new Shape();
  ring.absarc(0, 0, outer, 0, 2 * Math.PI, false);
  const hole = new Path();
  hole.absarc(0, 0, inner, 0, 2 * Math.PI, true);
  ring.holes.push(hole);
  return ring;
}

function hexagon(outer: number, inner: number): Shape {
  const s = new Shape();
  for (let k = 0; k < 6; k++) {
    const a = (Math.PI / 3) * k;
    if (k === 0) s.moveTo(outer * Math.cos(a), outer * Math.sin(a));
    else s.lineTo(outer * Math.cos(a), outer * Math.sin(a));
  }
  s.closePath();
  const hole = new Path();
  hole.absarc(0, 0, inner, 0, 2 * Math.PI, true);
  s.holes.push(hole);
  return s;
}

function flipped(g: BufferGeometry): BufferGeometry {
  const out = g.index ? g.toNonIndexed() : g;
  const p = out.getAttribute("position"), n = out.getAttribute("normal");
  for (let k = 0; k + 2 < p.count; k += 3)
    for (const a of [p, n]) {
      const x = a.getX(k + 1), y = a.getY(k + 1), z = a.getZ(k + 1);
      a.setXYZ(k + 1, a.getX(k + 2), a.getY(k + 2), a.getZ(k + 2));
      a.setXYZ(k + 2, x, y, z);
    }
  for (let k = 0; k < n.count; k++) n.setXYZ(k, -n.getX(k), -n.getY(k), -n.getZ(k));
  return out;
}

// ------------------------------------------------------------------------------------------ coil

// From (0,0,0) to (0,0,1), radius 1. `offset` is the part of a vertex that belongs to the wire and must not be stretched with
// the spring: the shader of springs keeps it.
export function coil(turns: number): BufferGeometry {
  return geometry(`coil ${turns}`, () => {
    const SEGMENTS = around(22) * turns, SIDES = around(7), LEAD = 0.1;
    const path = new Path3((u) => {
      if (u < LEAD / 2 || u > 1 - LEAD / 2) return new Vector3(0, 0, u);
      const w = (u - LEAD / 2) / (1 - LEAD);
      const grow = Math.min(1, w / 0.06, (1 - w) / 0.06), a = 2 * Math.PI * turns * w;
      return new Vector3(grow * Math.cos(a), grow * Math.sin(a), LEAD / 2 + w * (1 - LEAD));
    });
    const position: number[] = [], offset: number[] = [], normal: number[] = [], index: number[] = [];
    for (let k = 0; k <= SEGMENTS; k++) {
      const u = k / SEGMENTS, p = path.getPoint(u);
      // the wire's section lies across the path of a spring of middling length
      const e = 1e-4, d = path.getPoint(Math.min(1, u + e)).sub(path.getPoint(Math.max(0, u - e)));
      d.z *= 8;
      d.normalize();
      const side = Math.abs(d.z) > 0.99 ? new Vector3(1, 0, 0) : new Vector3(p.x, p.y, 0).normalize();
      if (side.lengthSq() < 0.5) side.set(1, 0, 0);
      const other = new Vector3().crossVectors(d, side).normalize();
      side.crossVectors(other, d);
      for (let s = 0; s < SIDES; s++) {
        const a = (2 * Math.PI * s) / SIDES;
        const n = side.clone().multiplyScalar(Math.cos(a)).addScaledVector(other, Math.sin(a));
        position.push(p.x, p.y, p.z);
        offset.push(n.x, n.y, n.z);
        normal.push(n.x, n.y, n.z);
      }
    }
    for (let k = 0; k < SEGMENTS; k++)
      for (let s = 0; s < SIDES; s++) {
        const a = k * SIDES + s, b = k * SIDES + ((s + 1) % SIDES), c = a + SIDES, d = b + SIDES;
        index.push(a, b, c, b, d, c);
      }
    const g = new BufferGeometry();
    g.setAttribute("position", new BufferAttribute(new Float32Array(position), 3));
    g.setAttribute("offset", new BufferAttribute(new Float32Array(offset), 3));
    g.setAttribute("normal", new BufferAttribute(new Float32Array(normal), 3));
    g.setIndex(index);
    return g;
  });
}
