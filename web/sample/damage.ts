// Damage: what becomes of JSON when one value of it is lost or replaced.
export type Path = (string | number)[];

// All values inside, containers too. Of a list of numbers its ends.
export function paths(x: unknown, at: Path = []): Path[] {
  const own = at.length > 0 ? [at] : [];
  if (typeof x !== "object" || x === null) return own;
  const keys = Array.isArray(x) ? [...x.keys()].filter((k) => k === 0 || k === x.length - 1 || typeof x[k] === "object") : Object.keys(x);
  return [...own, ...keys.flatMap((k) => paths((x as Record<string | number, unknown>)[k], [...at, k]))];
}

export const GONE = Symbol("gone");

// A copy in which the value at the path is another, or not there.
export function damaged(x: unknown, path: Path, value: unknown): unknown {
  const copy = structuredClone(x), last = path[path.length - 1];
  const holder = path.slice(0, -1).reduce<unknown>((y, k) => (y as Record<string | number, unknown>)[k], copy) as Record<string | number, unknown>;
  if (value === GONE && Array.isArray(holder)) holder.splice(last as number, 1);
  else if (value === GONE) delete holder[last];
  else holder[last] = value;
  return copy;
}

export const valueAt = (x: unknown, path: Path): unknown => path.reduce<unknown>((y, k) => (y as Record<string | number, unknown>)[k], x);

// Of another type than it was.
export const unlike = (x: unknown): unknown => (typeof x === "string" ? 7 : x === null ? {} : "x");

export const VALUES: unknown[] = [GONE, null, NaN, Infinity, -1, 1e300, 0, "x", "", true, [], {}, [null], [[], {}], { x: "y" }, JSON.parse('{"constructor": 1, "toString": 2, "__proto__": 3, "valueOf": [1, 2]}')];
export const FEW: unknown[] = [GONE, null, "x", -1, {}];

// Of elements of a type, the first one's.
export function pathsByType(x: unknown): Path[] {
  const seen = new Set<string>();
  return paths(x).filter((path) => {
    const types = path.map((_, k) => valueAt(x, path.slice(0, k))).map((y) => (y as { type?: unknown })?.type ?? "");
    const key = JSON.stringify([path.map((k) => (typeof k === "number" ? "#" : k)), types]), first = !seen.has(key);
    seen.add(key);
    return first;
  });
}
