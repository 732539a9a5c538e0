// The scene, as the program writes it: what can be drawn of it.
import { anything, attempt, count, flag, list, maybe, measure, name, number, object, positive, quaternion, type Reader, row, table, text, unfit, vector } from "./fit";
import type { SceneData, ShapeData } from "./format";

const REF = object({ block: count, offset: count, count });
const PLACED = { at: maybe(vector), quaternion: maybe(quaternion), color: maybe(colour), name: maybe(text) };

const SHAPES: Record<ShapeData["type"], Reader<object>> = {
  box: object({ ...PLACED, size: positives }),
  cylinder: object({ ...PLACED, radius: positive, length: positive }),
  sphere: object({ ...PLACED, radius: positive }),
  capsule: object({ ...PLACED, radius: positive, length: measure }),
  cone: object({ ...PLACED, radius: positive, height: positive }),
  tube: object({ ...PLACED, radius: positive, inner: measure, length: positive }),
  mesh: object({ ...PLACED, vertices: REF, triangles: REF }),
  link: object({ ...PLACED, points: row(vector), radius: maybe(positive) }),
};

function positives(x: unknown, at: string, faults: string[]): [number, number, number] {
  const size = vector(x, at, faults);
  return size.every((e) => e > 0) ? size : unfit(x, at, "three positive numbers");
}

function colour(x: unknown, at: string): string {
  return typeof x === "string" && /^#[0-9a-f]{6}$/i.test(x) ? x : unfit(x, at, "a colour as #rrggbb");
}

const shape: Reader<ShapeData> = (x, at, faults) => {
  const { type } = object({ type: text })(x, at, faults);
  const read = Object.hasOwn(SHAPES, type) ? SHAPES[type as ShapeData["type"]] : unfit(type, `${at}.type`, "a shape that is known here");
  return { type, ...read(x, at, faults) } as ShapeData;
};

const END = object({ body: name, marker: maybe(text), at: vector, quaternion: maybe(quaternion) });
const WHERE = { name, line: maybe(count), file: maybe(text), data: maybe(table(anything)) };

const BODY = object({
  ...WHERE, kind: text, mass: maybe(number), inertia: maybe(row(number)), center: maybe(vector), position: maybe(vector),
  quaternion: maybe(quaternion), color: maybe(colour), shapes: maybe(list(shape)), curve: maybe(object({ points: row(number), shapes: row(number) })),
  markers: maybe(list(object({ name, at: vector, quaternion: maybe(quaternion) }))),
});

const SCENE = object({
  planar: maybe(flag),
  gravity: maybe(vector),
  size: maybe(measure),
  bodies: list(BODY),
  joints: maybe(list(object({ ...WHERE, type: text, ends: maybe(row(END)), joints: maybe(row(text)), rows: maybe(list(text)) }))),
  motions: maybe(list(object({ ...WHERE, joint: text }))),
  forces: maybe(list(object({ ...WHERE, type: text, look: maybe(text), ends: maybe(row(END)), joint: maybe(text), axes: maybe(END) }))),
  contacts: maybe(list(object({ ...WHERE, bodies: row(text) }))),
  trails: maybe(list(object({ name: text, body: name, at: vector }))),
});

export const readScene = (raw: unknown, faults: string[]): SceneData | null => (raw === null || raw === undefined ? null : (attempt(SCENE, raw, "", faults) ?? null));
