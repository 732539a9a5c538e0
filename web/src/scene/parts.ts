// Everything solid in the scene is an instance of a few geometries: a thousand bodies are a dozen draw calls. A part rides on a
// body, or is placed by whoever owns it (springs, arrows).
import {
  BufferGeometry, Color, DoubleSide, EdgesGeometry, GreaterDepth, Group, InstancedMesh, LineBasicMaterial, LineSegments, type Material, Matrix4, type Mesh,
  MeshStandardMaterial, Quaternion, Vector3,
} from "three";
import { STRIDE } from "../data/pose";
import type { Element } from "./mechanism";

export type Look = "body" | "metal" | "rail" | "ground" | "drive" | "spring" | "force" | "reaction" | "torque" | "press" | "rub" | "ghost" | "open";

export interface Part {
  body: number; // -1: placed by its owner
  local: Matrix4;
  color: Color | null; // null: that of its look
  element: Element | null;
  edges?: boolean; // sharp edges are lined, as on a drawing
}

interface Batch {
  mesh: InstancedMesh;
  behind: InstancedMesh | null; // what other things hide of it, faintly
  lines: (LineSegments | null)[];
  parts: Part[];
  look: Look;
}

const ARROWS = new Set<Look>(["force", "reaction", "torque", "press", "rub"]); // cast no shadows
const FEW = 600; // parts: more are drawn without lines and hidden parts
const SEEN_THROUGH = new Set(["joints", "applied", "reactions", "torques", "contacts"]); // layers: signs, not things

export interface Palette {
  looks: Record<Look, string>;
  edge: string;
  select: string;
  hover: string;
}

export class Parts {
  readonly group = new Group();
  private readonly pending = new Map<string, { geometry: BufferGeometry; look: Look; layer: string; parts: Part[] }>();
  private batches: Batch[] = [];
  private readonly materials = new Map<Look, Material>();
  private readonly matrices: Matrix4[] = [];
  private palette: Palette | null = null;
  private marks: { element: Element; color: Color }[] = [];

  constructor(
    bodies: number,
    private readonly ghost: boolean,
  ) {
    for (let k = 0; k < bodies; k++) this.matrices.push(new Matrix4());
  }

  // layer: what is switched on and off together.
  add(geometry: BufferGeometry, look: Look, layer: string, part: Part): Part {
    const key = `${geometry.uuid} ${look} ${layer}`;
    let p = this.pending.get(key);
    if (!p) this.pending.set(key, (p = { geometry, look, layer, parts: [] }));
    p.parts.push(part);
    return part;
  }

  material(look: Look): Material {
    let m = this.materials.get(look);
    if (!m) {
      const shiny = look === "metal" || look === "rail" || look === "spring";
      m = new MeshStandardMaterial({ roughness: shiny ? 0.38 : 0.62, metalness: shiny ? 0.25 : 0.0, side: DoubleSide });
      if (this.ghost) Object.assign(m, { transparent: true, opacity: 0.4, depthWrite: false });
      if (look === "spring") keepWire(m as MeshStandardMaterial);
      Object.assign(m, { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }); // behind their lines
      this.materials.set(look, m);
    }
    return m;
  }

  private behindMaterial(): Material {
    this.hidden ??= new MeshStandardMaterial({ transparent: true, opacity: 0.3, depthFunc: GreaterDepth, depthWrite: false });
    return this.hidden;
  }
  private hidden: Material | null = null;
  private readonly ink = new LineBasicMaterial({ transparent: true, opacity: 0.55 });
  private readonly edgesOf = new Map<BufferGeometry, EdgesGeometry>();

  private linesOf(geometry: BufferGeometry): LineSegments {
    let edges = this.edgesOf.get(geometry);
    if (!edges) this.edgesOf.set(geometry, (edges = new EdgesGeometry(geometry, 35)));
    const lines = new LineSegments(edges, this.ink);
    lines.matrixAutoUpdate = lines.frustumCulled = false;
    this.group.add(lines);
    return lines;
  }

  build(): void {
    const few = !this.ghost && [...this.pending.values()].reduce((n, p) => n + p.parts.length, 0) <= FEW;
    for (const { geometry, look, layer, parts } of this.pending.values()) {
      const mesh = new InstancedMesh(geometry, this.material(look), parts.length);
      mesh.frustumCulled = false; // its bounds would have to follow the motion
      mesh.castShadow = mesh.receiveShadow = !this.ghost && !ARROWS.has(look);
      if (layer === "joints" && parts.length > 200) mesh.castShadow = false; // small and many
      mesh.userData.layer = layer;
      mesh.setColorAt(0, new Color(1, 1, 1)); // makes room for colours
      let behind: InstancedMesh | null = null;
      if ((few && SEEN_THROUGH.has(layer)) || (layer === "contacts" && !this.ghost)) { // arrows point into what is pressed
        behind = new InstancedMesh(geometry, this.behindMaterial(), parts.length);
        behind.instanceMatrix = mesh.instanceMatrix;
        behind.instanceColor = mesh.instanceColor;
        behind.frustumCulled = false;
        this.group.add(behind);
      }
      this.batches.push({ mesh, behind, lines: parts.map((p) => (few && p.edges ? this.linesOf(geometry) : null)), parts, look });
      this.group.add(mesh);
    }
    this.pending.clear();
  }

  showLayer(layer: string, on: boolean): void {
    for (const b of this.batches) {
      if (b.mesh.userData.layer !== layer) continue;
      b.mesh.visible = on;
      if (b.behind) b.behind.visible = on;
      for (const l of b.lines) if (l) l.visible = on;
    }
  }

  get meshes(): Mesh[] {
    return this.batches.map((b) => b.mesh);
  }
  get instances(): number {
    return this.batches.reduce((sum, b) => sum + b.parts.length, 0);
  }
  elementOf(mesh: unknown, instance: number | undefined): Element | null {
    const batch = this.batches.find((b) => b.mesh === mesh);
    return batch?.parts[instance ?? -1]?.element ?? null;
  }

  // Moves what rides on bodies.
  ride(pose: Float64Array): void {
    for (let k = 0; k < this.matrices.length; k++) {
      const at = STRIDE * k;
      R.set(pose[at], pose[at + 1], pose[at + 2]);
      Q.set(pose[at + 4], pose[at + 5], pose[at + 6], pose[at + 3]);
      this.matrices[k].compose(R, Q, ONE);
    }
    for (const { mesh, parts, lines } of this.batches) {
      if (!mesh.visible) continue;
      const to = mesh.instanceMatrix.array as Float32Array;
      for (let k = 0; k < parts.length; k++) {
        const part = parts[k];
        if (part.body >= 0) W.multiplyMatrices(this.matrices[part.body], part.local).toArray(to, 16 * k);
        else part.local.toArray(to, 16 * k);
        const line = lines[k];
        if (line) {
          line.matrix.fromArray(to, 16 * k);
          line.matrixWorldNeedsUpdate = true;
        }
      }
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null; // of the raycaster
    }
  }

  paint(palette: Palette): void {
    this.palette = palette;
    this.ink.color.set(palette.edge);
    const c = new Color();
    for (const { mesh, parts, look } of this.batches) {
      const plain = new Color(palette.looks[this.ghost ? "ghost" : look]);
      parts.forEach((part, k) => {
        const mark = part.element && this.marks.find((m) => m.element.kind === part.element?.kind && m.element.index === part.element.index);
        c.copy(part.color ?? plain);
        if (mark) c.lerp(mark.color, 0.72);
        mesh.setColorAt(k, c);
      });
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  mark(selected: Element | null, hovered: Element | null): void {
    if (!this.palette) return;
    this.marks = [];
    if (selected) this.marks.push({ element: selected, color: new Color(this.palette.select) });
    if (hovered) this.marks.push({ element: hovered, color: new Color(this.palette.hover) });
    this.paint(this.palette);
  }

  dispose(): void {
    for (const b of this.batches) b.mesh.dispose();
    for (const m of [...this.materials.values(), this.hidden, this.ink]) m?.dispose();
    for (const e of this.edgesOf.values()) e.dispose();
  }
}

const R = new Vector3(), Q = new Quaternion(), ONE = new Vector3(1, 1, 1), W = new Matrix4();

// The wire of a spring keeps its thickness however the spring is stretched: offsets are not scaled with the instance.
export const WIRE = { value: 0.01 };
function keepWire(m: MeshStandardMaterial): void {
  m.onBeforeCompile = (shader) => {
    shader.uniforms.wire = WIRE;
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nattribute vec3 offset;\nuniform float wire;")
      .replace(
        "#include <beginnormal_vertex>",
        `vec3 stretch = vec3(length(instanceMatrix[0].xyz), length(instanceMatrix[1].xyz), length(instanceMatrix[2].xyz));
         vec3 objectNormal = normal * stretch;`,
      )
      .replace("#include <begin_vertex>", "vec3 transformed = position + wire * offset / max(stretch, vec3(1e-9));");
  };
}

// ------------------------------------------------------------------------------------------ placing

const X = new Vector3(), Y = new Vector3(), Z = new Vector3();

// A frame at p whose z goes to q; scaled so that z has the length of the way (or as given), x and y are r.
export function between(out: Matrix4, p: ArrayLike<number>, q: ArrayLike<number>, r: number, length?: number): number {
  Z.set(q[0] - p[0], q[1] - p[1], q[2] - p[2]);
  const way = Z.length();
  if (way > 0) Z.divideScalar(way);
  else Z.set(0, 0, 1);
  X.set(Math.abs(Z.x) < 0.8 ? 1 : 0, Math.abs(Z.x) < 0.8 ? 0 : 1, 0);
  Y.crossVectors(Z, X).normalize();
  X.crossVectors(Y, Z);
  const l = length ?? Math.max(way, 1e-12);
  out.set(r * X.x, r * Y.x, l * Z.x, p[0], r * X.y, r * Y.y, l * Z.y, p[1], r * X.z, r * Y.z, l * Z.z, p[2], 0, 0, 0, 1);
  return way;
}

// As between(), with the middle at the middle: for cylinders of unit length.
export function across(out: Matrix4, p: ArrayLike<number>, q: ArrayLike<number>, r: number): number {
  const way = between(out, p, q, r);
  out.elements[12] = (p[0] + q[0]) / 2;
  out.elements[13] = (p[1] + q[1]) / 2;
  out.elements[14] = (p[2] + q[2]) / 2;
  return way;
}

export function placed(at: ArrayLike<number>, quaternion: ArrayLike<number> | null | undefined, scale: [number, number, number]): Matrix4 {
  const q = quaternion ?? [1, 0, 0, 0];
  return new Matrix4().compose(
    new Vector3(at[0], at[1], at[2]),
    new Quaternion(q[1], q[2], q[3], q[0]).normalize(),
    new Vector3(...scale),
  );
}
