// The ground: a plane with lines that stay one pixel wide, fade out with distance and take the shadows.
import { Color, DoubleSide, Group, Mesh, PlaneGeometry, Quaternion, ShaderMaterial, ShadowMaterial, Vector3 } from "three";
import type { Vector } from "../data/format";

const VERTEX = `varying vec2 at; void main() { at = position.xy; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`;
const FRAGMENT = `
varying vec2 at; uniform float pitch; uniform float reach; uniform vec3 color; uniform vec2 origin; uniform float strength;
float lines(float p) {
  vec2 c = (at + origin) / p, w = fwidth(c);
  vec2 d = abs(fract(c - 0.5) - 0.5) / max(w, vec2(1e-6));
  float fade = 1.0 - smoothstep(0.25, 0.6, max(w.x, w.y));
  return fade * (1.0 - min(min(d.x, d.y), 1.0));
}
void main() {
  float a = max(0.45 * lines(pitch), lines(5.0 * pitch)) * strength;
  a *= 1.0 - smoothstep(0.35, 1.0, length(at) / reach);
  if (a < 0.004) discard;
  gl_FragColor = vec4(color, a);
}`;

export class Grid {
  readonly group = new Group();
  private readonly lines: ShaderMaterial;
  private readonly shadow: ShadowMaterial;
  private readonly floor: Mesh;

  constructor(center: Vector, normal: Vector, reach: number, readonly pitch: number) {
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), new Vector3(...normal));
    const inPlane = new Vector3(...center).applyQuaternion(turn.clone().invert());
    this.lines = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      depthWrite: false,
      side: DoubleSide,
      uniforms: {
        pitch: { value: pitch },
        reach: { value: reach },
        color: { value: new Color("#888") },
        strength: { value: 0.5 },
        origin: { value: [inPlane.x, inPlane.y] },
      },
    });
    this.shadow = new ShadowMaterial({ opacity: 0.2, transparent: true, depthWrite: false });
    const plane = new PlaneGeometry(2 * reach, 2 * reach);
    this.floor = new Mesh(plane, this.shadow);
    this.floor.receiveShadow = true;
    this.group.add(new Mesh(plane, this.lines), this.floor);
    for (const mesh of this.group.children) mesh.renderOrder = -1;
    this.group.quaternion.copy(turn);
    this.group.position.set(...center);
  }

  takeShadow(on: boolean): void {
    this.floor.visible = on;
  }

  paint(color: string, strength: number, shadow: number): void {
    (this.lines.uniforms.color.value as Color).set(color);
    this.lines.uniforms.strength.value = strength;
    this.shadow.opacity = shadow;
  }
}
