// The animation: renderer, light, cameras, and what is drawn of one or two mechanisms. Draws only when something changed.
import {
  Box3, DirectionalLight, HemisphereLight, OrthographicCamera, PCFSoftShadowMap, PerspectiveCamera, Raycaster, Scene, Sphere,
  Vector2, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { TrailData, Vector } from "../data/format";
import { niceBelow } from "../data/units";
import { addBodies } from "./bodies";
import { Contacts } from "./contacts";
import { Contour } from "./contour";
import { Curves } from "./curves";
import { Forces } from "./forces";
import { setCoarse } from "./geometry";
import { Grid } from "./grid";
import { Joints } from "./joints";
import { type Element, type Mechanism, sameElement } from "./mechanism";
import { type Palette, Parts } from "./parts";
import { Trails } from "./trails";

export type ViewName = "xy" | "xz" | "yz" | "iso";

export interface SceneColors extends Palette {
  background: [string, string]; // above and below, as in the styles
  grid: string;
  gridStrength: number;
  shadow: number;
  trail: string;
  sky: string;
  floor: string;
}

interface Actor {
  mechanism: Mechanism;
  parts: Parts;
  joints: Joints;
  forces: Forces;
  contacts: Contacts;
  curves: Curves;
  contour: Contour;
  trails: Trails;
}

export interface Switches {
  joints: boolean;
  forces: boolean;
  applied: boolean;
  reactions: boolean;
  torques: boolean;
  contacts: boolean;
  grid: boolean;
  trails: boolean;
  second: boolean;
  names: boolean;
  perspective: boolean;
}

const FIELD = 32; // of view [degrees]
const MANY = 400; // elements that are drawn with fewer triangles

export class View {
  readonly canvas: HTMLCanvasElement;
  readonly actors: Actor[] = [];
  readonly switches: Switches;
  frames = 0; // drawn so far
  onDrawn: (() => void) | null = null;
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly perspective = new PerspectiveCamera(FIELD, 1, 0.01, 100);
  private readonly parallel = new OrthographicCamera();
  private readonly controls: OrbitControls;
  private readonly key = new DirectionalLight(0xffffff, 2.1);
  private readonly fill = new DirectionalLight(0xffffff, 0.55);
  private readonly sky = new HemisphereLight(0xffffff, 0x888888, 1.5);
  private readonly grid: Grid;
  private readonly ray = new Raycaster();
  private colors: SceneColors | null = null;
  private dirty = true;
  private time = 0;
  private width = 1;
  private height = 1;
  private slow = 0;
  private quality = 2; // 2: all; 1: no shadows, one pixel each; 0: fewer pixels
  private fence: WebGLSync | null = null;
  private began = 0;
  private readonly gl: WebGL2RenderingContext;
  private readonly held: boolean;
  private selected: Element | null = null;
  private hovered: Element | null = null;
  private touched = false; // the camera, by a person: it stays where it is
  private readonly bounds: Sphere;

  constructor(
    readonly host: HTMLElement,
    readonly mechanisms: Mechanism[],
    patient: boolean, // quality before speed: pictures and films
  ) {
    const m = mechanisms[0];
    this.held = patient;
    const software = drawnInSoftware();
    this.renderer = new WebGLRenderer({ antialias: patient || !software, alpha: true, powerPreference: "high-performance" });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFSoftShadowMap;
    const many = m.bodies.length + m.joints.length > MANY;
    this.canvas = this.renderer.domElement;
    this.gl = this.renderer.getContext() as WebGL2RenderingContext;
    host.append(this.canvas);
    this.switches = {
      joints: true, forces: true, applied: true, reactions: false, torques: false, contacts: true, grid: true, trails: true, second: true, names: false,
      perspective: !m.planar,
    };
    const box = new Box3();
    for (const x of mechanisms) box.expandByPoint(new Vector3(...x.box.low)).expandByPoint(new Vector3(...x.box.high));
    this.bounds = box.getBoundingSphere(new Sphere());
    this.bounds.radius = Math.max(this.bounds.radius, 0.06 * m.size);

    this.grid = makeGrid(m, box);
    this.scene.add(this.grid.group, this.sky, this.key, this.key.target, this.fill);
    setCoarse(many);
    mechanisms.forEach((x, k) => this.addActor(x, k));
    this.placeLights(m);
    if (many && software && !patient) this.lower();

    for (const camera of [this.perspective, this.parallel]) camera.up.set(...m.up);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", () => this.invalidate());
    this.controls.addEventListener("start", () => (this.touched = true));
    this.setView(m.planar ? "xy" : (m.plane ?? "iso"));
    new ResizeObserver(() => {
      this.resize();
      if (!this.touched) this.fit();
    }).observe(host);
    this.canvas.addEventListener("webglcontextlost", (e) => {
      e.preventDefault();
      this.fence = null;
    });
    this.canvas.addEventListener("webglcontextrestored", () => this.invalidate());
    this.resize();
  }

  private addActor(m: Mechanism, k: number): void {
    const parts = new Parts(m.bodies.length, k > 0);
    m.poses.at(m.result.start);
    addBodies(parts, m, k > 0);
    const joints = new Joints(parts, m, k > 0), forces = new Forces(parts, m), contacts = new Contacts(parts, m), curves = new Curves(parts, m, k > 0), trails = new Trails(m);
    const contour = new Contour(m, k === 0 ? m.result.stress : null);
    parts.build();
    for (const t of m.scene.trails ?? []) trails.add(t);
    this.scene.add(parts.group, trails.group, contour.group);
    this.actors.push({ mechanism: m, parts, joints, forces, contacts, curves, contour, trails });
  }

  private placeLights(m: Mechanism): void {
    const up = new Vector3(...m.up), r = this.bounds.radius;
    const front = m.front ? new Vector3(...m.front) : anyAcross(up);
    const side = new Vector3().crossVectors(front, up).normalize();
    const from = m.front
      ? up.clone().multiplyScalar(0.9).addScaledVector(side, 0.55).addScaledVector(front, 2)
      : up.clone().multiplyScalar(2).addScaledVector(side, 0.7).addScaledVector(front, 0.9);
    this.key.position.copy(this.bounds.center).addScaledVector(from.normalize(), 4 * r);
    this.key.target.position.copy(this.bounds.center);
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(2048, 2048);
    this.key.shadow.bias = -0.0004;
    this.key.shadow.normalBias = 0.004 * r;
    this.key.shadow.radius = 5;
    Object.assign(this.key.shadow.camera, { left: -1.6 * r, right: 1.6 * r, top: 1.6 * r, bottom: -1.6 * r, near: 0.5 * r, far: 9 * r });
    this.fill.position.copy(this.bounds.center).addScaledVector(side, -3 * r).addScaledVector(front, 2 * r).addScaledVector(up, 0.4 * r);
    this.sky.position.copy(up);
  }

  get camera(): PerspectiveCamera | OrthographicCamera {
    return this.switches.perspective ? this.perspective : this.parallel;
  }

  paint(colors: SceneColors): void {
    this.colors = colors;
    this.sky.color.set(colors.sky);
    this.sky.groundColor.set(colors.floor);
    this.grid.paint(colors.grid, colors.gridStrength, colors.shadow);
    for (const a of this.actors) {
      a.parts.paint(colors);
      a.parts.mark(this.selected, this.hovered);
      a.trails.paint(a === this.actors[0] ? colors.trail : colors.looks.ghost, colors.background[1]);
    }
    this.invalidate();
  }

  // ---------------------------------------------------------------------------------------- camera

  setView(name: ViewName): void {
    this.touched = false;
    const up = new Vector3(...this.mechanisms[0].up);
    const tilt = 1e-4; // a camera exactly above has no upright
    let from: Vector3;
    if (name === "xy") from = new Vector3(0, 0, 1).addScaledVector(new Vector3(0, -1, 0), Math.abs(up.z) > 0.9 ? tilt : 0);
    else if (name === "xz") from = new Vector3(0, -1, 0).addScaledVector(new Vector3(0, 0, -1), Math.abs(up.y) > 0.9 ? tilt : 0);
    else if (name === "yz") from = new Vector3(1, 0, 0).addScaledVector(new Vector3(0, -1, 0), Math.abs(up.x) > 0.9 ? tilt : 0);
    else {
      const front = Math.abs(up.y) > 0.9 ? new Vector3(0, 0, 1) : Math.abs(up.z) > 0.9 ? new Vector3(0, -1, 0) : anyAcross(up);
      const side = new Vector3().crossVectors(up, front);
      from = front.multiplyScalar(1).addScaledVector(side, 0.62).addScaledVector(up, 0.52);
    }
    this.fit(from.normalize());
  }

  // All of the motion in the window, seen from `from`, or from where the camera is.
  fit(from?: Vector3): void {
    const camera = this.camera;
    const direction = from ?? camera.position.clone().sub(this.controls.target).normalize();
    if (direction.lengthSq() < 0.5) direction.set(0, 0, 1);
    const right = new Vector3().crossVectors(camera.up, direction).normalize(), up = new Vector3().crossVectors(direction, right);
    const seen: { x: number; y: number; z: number }[] = [], v = new Vector3();
    for (const { cloud } of this.mechanisms)
      for (const p of cloud) {
        v.set(...p).sub(this.bounds.center);
        seen.push({ x: v.dot(right), y: v.dot(up), z: v.dot(direction) });
      }
    const middle = (k: "x" | "y"): number => range(seen, k).reduce((a, b) => a + b) / 2;
    const x0 = middle("x"), y0 = middle("y"), pad = 1.6 * this.mechanisms[0].symbol, aspect = this.width / this.height;
    const target = this.bounds.center.clone().addScaledVector(right, x0).addScaledVector(up, y0);
    this.controls.target.copy(target);
    const tangent = Math.tan(((FIELD / 2) * Math.PI) / 180) * 0.86; // leaves a margin
    let half = pad, away = 0;
    for (const { x, y, z } of seen) {
      const across = Math.max(Math.abs(y - y0) + pad, (Math.abs(x - x0) + pad) / aspect);
      half = Math.max(half, across);
      away = Math.max(away, across / tangent + z);
    }
    if (camera instanceof OrthographicCamera) {
      camera.zoom = 1;
      camera.userData.half = half / 0.86;
      away = 6 * this.bounds.radius;
    }
    camera.position.copy(target).addScaledVector(direction, away);
    camera.lookAt(target);
    this.resize();
    this.controls.update();
    this.invalidate();
  }

  // By keys: turns by angles [rad], shifts by parts of the window, scales.
  orbit(azimuth: number, polar: number): void {
    this.touched = true;
    const c = this.camera, target = this.controls.target, up = c.up.clone().normalize();
    const d = c.position.clone().sub(target).applyAxisAngle(up, azimuth);
    const right = new Vector3().crossVectors(up, d).normalize(), steep = d.angleTo(up);
    d.applyAxisAngle(right, Math.min(Math.PI - 0.02, Math.max(0.02, steep + polar)) - steep);
    c.position.copy(target).add(d);
    this.controls.update();
  }

  zoom(factor: number): void {
    this.touched = true;
    const c = this.camera;
    if (c instanceof OrthographicCamera) {
      c.zoom *= factor;
      c.updateProjectionMatrix();
    } else c.position.sub(this.controls.target).divideScalar(factor).add(this.controls.target);
    this.controls.update();
    this.invalidate();
  }

  pan(x: number, y: number): void {
    this.touched = true;
    const c = this.camera, target = this.controls.target;
    const far = c instanceof OrthographicCamera ? (2 * (c.userData.half as number)) / c.zoom : 2 * c.position.distanceTo(target) * Math.tan((FIELD * Math.PI) / 360);
    const right = new Vector3().setFromMatrixColumn(c.matrix, 0), up = new Vector3().setFromMatrixColumn(c.matrix, 1);
    const d = right.multiplyScalar(x * far).addScaledVector(up, y * far);
    c.position.add(d);
    target.add(d);
    this.controls.update();
    this.invalidate();
  }

  lookAt(p: Vector): void {
    const d = new Vector3(...p).sub(this.controls.target);
    this.camera.position.add(d);
    this.controls.target.add(d);
    this.controls.update();
    this.invalidate();
  }

  // ---------------------------------------------------------------------------------------- switches

  set(name: keyof Switches, on: boolean): void {
    if (name === "perspective" && on !== this.switches.perspective) {
      const direction = this.camera.position.clone().sub(this.controls.target).normalize();
      this.switches.perspective = on;
      this.controls.object = this.camera;
      this.fit(direction);
    }
    this.switches[name] = on;
    this.applySwitches();
  }

  private applySwitches(): void {
    const s = this.switches;
    this.grid.group.visible = s.grid;
    this.actors.forEach((a, k) => {
      a.parts.showLayer("joints", s.joints);
      a.parts.showLayer("forces", s.forces);
      a.parts.showLayer("bushings", s.forces);
      a.parts.showLayer("applied", s.applied);
      a.parts.showLayer("reactions", s.reactions);
      a.parts.showLayer("torques", s.torques);
      a.parts.showLayer("contacts", s.contacts);
      a.trails.group.visible = s.trails;
      a.parts.group.visible = k === 0 || s.second;
      if (k > 0) a.trails.group.visible = s.trails && s.second;
    });
    this.invalidate();
  }

  // Is there a body whose deformation can be drawn larger than it is?
  get flexible(): boolean {
    return this.actors.some((a) => a.curves.flexible);
  }

  setDeformation(x: number): void {
    for (const a of this.actors) a.curves.factor = x;
    this.invalidate();
  }

  setArrowFactor(x: number): void {
    for (const a of this.actors) a.forces.factor = a.contacts.factor = x;
    this.invalidate();
  }

  toggleTrail(t: TrailData): boolean {
    const on = !this.actors[0].trails.has(t);
    for (const a of this.actors) {
      if (on) a.trails.add(t);
      else a.trails.remove(t);
    }
    if (this.colors) this.paint(this.colors);
    this.resize();
    return on;
  }

  get gridPitch(): number {
    return this.grid.pitch;
  }
  // Nothing is left to draw.
  get idle(): boolean {
    return !this.dirty && this.fence === null;
  }
  get triangles(): number {
    return this.renderer.info.render.triangles;
  }
  get lowered(): boolean {
    return this.quality < 2;
  }

  // ---------------------------------------------------------------------------------------- drawing

  setTime(t: number): void {
    if (t === this.time && !this.dirty) return;
    this.time = t;
    this.invalidate();
  }

  invalidate(): void {
    this.dirty = true;
  }

  // Called once a frame.
  draw(): boolean {
    if (!this.finished() || !this.dirty || this.width < 2 || this.height < 2) return false;
    this.dirty = false;
    for (const a of this.actors) {
      if (!a.parts.group.visible) continue;
      a.mechanism.poses.at(this.time);
      a.joints.update();
      a.forces.update(this.time);
      if (this.switches.contacts) a.contacts.update(this.time);
      a.curves.update(this.time);
      a.contour.update(this.time, a.curves.factor);
      a.parts.ride(a.mechanism.poses.now);
      a.trails.update(this.time);
    }
    const c = this.camera, reach = c.position.distanceTo(this.bounds.center);
    if (c instanceof PerspectiveCamera) {
      c.near = Math.max((reach - 3 * this.bounds.radius) * 0.5, 0.002 * reach);
      c.far = reach + 30 * this.bounds.radius;
    } else {
      c.near = -30 * this.bounds.radius;
      c.far = reach + 30 * this.bounds.radius;
    }
    c.updateProjectionMatrix();
    this.renderer.render(this.scene, c);
    this.frames++;
    if (!this.held) {
      this.fence = this.gl.fenceSync(this.gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
      this.gl.flush();
      this.began = performance.now();
    }
    this.onDrawn?.();
    return true;
  }

  // Drawing goes on after the call. The next picture waits for the last one: otherwise they queue up and the page does not answer.
  private finished(): boolean {
    if (!this.fence) return true;
    if (this.gl.getSyncParameter(this.fence, this.gl.SYNC_STATUS) !== this.gl.SIGNALED) return false;
    this.gl.deleteSync(this.fence);
    this.fence = null;
    this.adapt(performance.now() - this.began);
    return true;
  }

  // Slow machines get no shadows, then fewer pixels.
  private adapt(ms: number): void {
    if (this.held || this.quality === 0) return;
    this.slow = ms > 60 ? this.slow + ms : Math.max(0, this.slow - 2 * ms);
    if (this.slow < 500) return;
    this.slow = 0;
    this.lower();
    this.resize();
  }

  private lower(): void {
    this.quality--;
    this.grid.takeShadow(false);
    this.key.castShadow = false;
  }

  resize(): void {
    const { clientWidth, clientHeight } = this.host;
    this.width = Math.max(1, clientWidth);
    this.height = Math.max(1, clientHeight);
    const ratio = this.quality === 0 ? 0.6 : this.quality === 1 ? 1 : Math.min(window.devicePixelRatio || 1, 2);
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(this.width, this.height, false);
    const aspect = this.width / this.height;
    this.perspective.aspect = aspect;
    this.perspective.updateProjectionMatrix();
    const half = (this.parallel.userData.half as number | undefined) ?? this.bounds.radius;
    Object.assign(this.parallel, { left: -half * aspect, right: half * aspect, top: half, bottom: -half });
    this.parallel.updateProjectionMatrix();
    for (const a of this.actors) a.trails.resize(new Vector2(this.width, this.height));
    this.invalidate();
  }

  // A picture of a size of its own.
  picture(width: number, height: number): HTMLCanvasElement {
    const out = document.createElement("canvas");
    out.width = width;
    out.height = height;
    const context = out.getContext("2d");
    if (!context) return out;
    const paper = context.createLinearGradient(0, 0, 0, height);
    this.colors?.background.forEach((c, k) => paper.addColorStop(k, c));
    context.fillStyle = paper;
    context.fillRect(0, 0, width, height);
    this.invalidate();
    this.fence = null;
    this.draw();
    context.drawImage(this.canvas, 0, 0, width, height);
    return out;
  }

  // Puts a plain picture before what the graphics card draws, for a browser that looks at the page only once and may do so before the
  // card has finished. It may change the window's size before it looks. False: nothing was drawn.
  freeze(): boolean {
    let still: HTMLCanvasElement | null = null;
    const take = (): void => {
      this.resize();
      if (!this.touched) this.fit();
      still?.remove();
      still = this.picture(this.width, this.height);
      Object.assign(still.style, { position: "absolute", left: "0", top: "0", width: `${this.width}px`, height: `${this.height}px` });
      this.host.append(still);
    };
    take();
    new ResizeObserver(take).observe(this.host);
    return this.width < 2 || this.picturePixels(still as unknown as HTMLCanvasElement) > 0; // or not on the part of the page that is shown
  }

  close(): void {
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }

  // Those that are not paper: each line of the paper has one colour.
  private picturePixels(picture: HTMLCanvasElement): number {
    const { width, height } = picture, data = picture.getContext("2d")?.getImageData(0, 0, width, height).data;
    let count = 0;
    for (let y = 0; data && y < height; y++)
      for (let x = 1; x < width; x++) {
        const at = 4 * (y * width + x), first = 4 * y * width;
        if (Math.abs(data[at] - data[first]) + Math.abs(data[at + 1] - data[first + 1]) + Math.abs(data[at + 2] - data[first + 2]) > 60) count++;
      }
    return count;
  }

  // ---------------------------------------------------------------------------------------- pointing

  pick(x: number, y: number): Element | null {
    const at = new Vector2((2 * x) / this.width - 1, 1 - (2 * y) / this.height);
    this.ray.setFromCamera(at, this.camera);
    const parts = this.actors[0].parts;
    const seen = parts.meshes.filter((m) => m.visible);
    const hits = this.ray.intersectObjects(seen, false);
    // symbols of joints are small and often inside of bodies: they win over a body right before them
    const first = hits[0];
    if (!first) return null;
    const near = hits.filter((h) => h.distance < first.distance + 0.06 * this.mechanisms[0].size);
    const elements = near.map((h) => parts.elementOf(h.object, h.instanceId)).filter((e): e is Element => e !== null);
    return elements.find((e) => e.kind === "joint") ?? elements.find((e) => e.kind === "force") ?? elements[0] ?? null;
  }

  mark(selected: Element | null, hovered: Element | null): void {
    if (sameElement(selected, this.selected) && sameElement(hovered, this.hovered)) return;
    this.selected = selected;
    this.hovered = hovered;
    for (const a of this.actors) a.parts.mark(selected, hovered);
    this.invalidate();
  }

  // Where a point of space is on the canvas, in CSS pixels; null behind the camera.
  project(p: Vector): { x: number; y: number } | null {
    const v = new Vector3(...p).project(this.camera);
    if (v.z > 1 || v.z < -1) return null;
    return { x: ((v.x + 1) / 2) * this.width, y: ((1 - v.y) / 2) * this.height };
  }

  // Pixels of one metre at the middle of the view.
  pixelsPerMetre(): number {
    const c = this.camera;
    if (c instanceof OrthographicCamera) return (this.height * c.zoom) / (2 * (c.userData.half as number));
    return this.height / (2 * c.position.distanceTo(this.controls.target) * Math.tan((FIELD * Math.PI) / 360));
  }

  // Axes of space as they look on the screen: x to the right, y up.
  axes(): { x: number; y: number; z: number }[] {
    const inverse = this.camera.quaternion.clone().invert();
    return [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)].map((v) => v.applyQuaternion(inverse)).map(({ x, y, z }) => ({ x, y, z }));
  }
}

// Behind a planar mechanism, below a spatial one.
function makeGrid(m: Mechanism, box: Box3): Grid {
  const size = box.getSize(new Vector3()), center = box.getCenter(new Vector3());
  const across = Math.max(m.size, size.length());
  const pitch = niceBelow(across / 12), reach = 2.2 * across;
  const normal = new Vector3(...(m.front ?? m.up));
  let lowest = Infinity;
  for (const x of [box.min.x, box.max.x])
    for (const y of [box.min.y, box.max.y]) for (const z of [box.min.z, box.max.z]) lowest = Math.min(lowest, new Vector3(x, y, z).dot(normal));
  const down = lowest - 0.075 * m.size - center.dot(normal);
  const at = center.addScaledVector(normal, down);
  return new Grid([at.x, at.y, at.z], [normal.x, normal.y, normal.z], reach, pitch);
}

// Told by the driver's name. A context of its own: how to make the real one depends on it.
function drawnInSoftware(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = gl && info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

// Smallest and largest, without spreading a long list into arguments.
function range(points: { x: number; y: number; z: number }[], k: "x" | "y"): [number, number] {
  let low = Infinity, high = -Infinity;
  for (const p of points) {
    low = Math.min(low, p[k]);
    high = Math.max(high, p[k]);
  }
  return low <= high ? [low, high] : [0, 0];
}

function anyAcross(up: Vector3): Vector3 {
  const a = Math.abs(up.x) < 0.8 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
  return a.addScaledVector(up, -a.dot(up)).normalize();
}
