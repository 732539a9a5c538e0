// Attachments are written by others, and may be damaged: here is the one gate they come through. A reader gives a value of
// the type it promises, or finds it unfit. What is unfit is left out, with a sentence: the smallest thing that can do without it.

export type Reader<T> = (x: unknown, at: string, faults: string[]) => T;

class Unfit extends Error {}

const told = (x: unknown): string => {
  if (x === undefined) return "missing";
  if (Array.isArray(x)) return `a list of ${x.length}`;
  if (typeof x === "object" && x !== null) return "an object";
  const text = JSON.stringify(x) ?? String(x);
  return text.length > 30 ? `${text.slice(0, 27)}...` : text;
};

export function unfit(x: unknown, at: string, wanted: string): never {
  throw new Unfit(`${at === "" ? "all of it" : `\`${at}\``} is ${told(x)}, not ${wanted}.`);
}

// What was read, or undefined with a sentence.
export function attempt<T>(read: Reader<T>, x: unknown, at: string, faults: string[]): T | undefined {
  try {
    return read(x, at, faults);
  } catch (e) {
    if (!(e instanceof Unfit)) throw e;
    faults.push(e.message);
    return undefined;
  }
}

// ------------------------------------------------------------------------------------------ single values

const when = <T>(test: (x: unknown) => x is T, wanted: string): Reader<T> => (x, at) => (test(x) ? x : unfit(x, at, wanted));

const LARGEST = 1e15; // in what is drawn, by single precision

export const number = when((x): x is number => typeof x === "number" && Number.isFinite(x), "a number");
export const positive = when((x): x is number => typeof x === "number" && x > 0 && x < LARGEST, "a positive number of a sensible size");
export const measure = when((x): x is number => typeof x === "number" && x >= 0 && x < LARGEST, "a length of a sensible size");
export const count = when((x): x is number => Number.isSafeInteger(x) && (x as number) >= 0, "a count");
export const text = when((x): x is string => typeof x === "string", "a text");
export const name = when((x): x is string => typeof x === "string" && x !== "", "a name");
export const flag = when((x): x is boolean => typeof x === "boolean", "true or false");
export const anything: Reader<unknown> = (x) => x;

export const word = <W extends string>(...words: readonly W[]): Reader<W> =>
  when((x): x is W => words.includes(x as W), `one of ${words.join(", ")}`);

const areNumbers = (x: unknown, n: number): x is number[] => Array.isArray(x) && x.length === n && x.every((y) => typeof y === "number" && Math.abs(y) < LARGEST);

export const vector = when((x): x is [number, number, number] => areNumbers(x, 3), "three numbers of a sensible size");
export const quaternion = when((x): x is [number, number, number, number] => areNumbers(x, 4) && Math.abs(Math.hypot(...x) - 1) < 1e-3, "a unit quaternion");

// A number that may be missing: what is not finite is written as null.
export const gap: Reader<number | null> = (x, at, faults) => (x === null ? null : number(x, at, faults));

// ------------------------------------------------------------------------------------------ many

// An item that is unfit is left out.
export const list = <T>(item: Reader<T>): Reader<T[]> => (x, at, faults) => {
  if (!Array.isArray(x)) return unfit(x, at, "a list");
  return x.flatMap((y: unknown, k) => {
    const read = attempt(item, y, `${at}[${k}]`, faults);
    return read === undefined ? [] : [read];
  });
};

// All items, or none: where their numbers count.
export const row = <T>(item: Reader<T>): Reader<T[]> => (x, at, faults) => (Array.isArray(x) ? x.map((y: unknown, k) => item(y, `${at}[${k}]`, faults)) : unfit(x, at, "a list"));

export const isObject = (x: unknown): x is Record<string, unknown> => typeof x === "object" && x !== null && !Array.isArray(x);

const inside = (at: string, key: string): string => (at === "" ? key : `${at}.${key}`);

// By key; a value that is unfit is left out.
export const table = <T>(item: Reader<T>): Reader<Record<string, T>> => (x, at, faults) => {
  if (!isObject(x)) return unfit(x, at, "an object");
  const pairs = Object.entries(x).map(([k, y]) => [k, attempt(item, y, inside(at, k), faults)] as const);
  return Object.fromEntries(pairs.filter((p): p is readonly [string, T] => p[1] !== undefined));
};

const MAYBE = Symbol("maybe");
type Maybe<T> = Reader<T | undefined> & { [MAYBE]: true };

// A key that may be missing, or null; unfit, it is left out.
export const maybe = <T>(read: Reader<T>): Maybe<T> => {
  const reader: Reader<T | undefined> = (x, at, faults) => (x === undefined || x === null ? undefined : attempt(read, x, at, faults));
  return Object.assign(reader, { [MAYBE]: true as const });
};

type Shape = Record<string, Reader<unknown>>;
type Needed<S extends Shape> = { [K in keyof S as S[K] extends Maybe<unknown> ? never : K]: ReturnType<S[K]> };
type Extra<S extends Shape> = { [K in keyof S as S[K] extends Maybe<unknown> ? K : never]?: Exclude<ReturnType<S[K]>, undefined> };
export type Read<S extends Shape> = Needed<S> & Extra<S>;

// Without a key that is needed, or with one that is unfit, there is no object. Other keys are not looked at.
export const object = <S extends Shape>(shape: S): Reader<Read<S>> => (x, at, faults) => {
  if (!isObject(x)) return unfit(x, at, "an object");
  const pairs = Object.entries(shape).map(([k, read]) => [k, read(x[k], inside(at, k), faults)] as const);
  return Object.fromEntries(pairs.filter(([, y]) => y !== undefined)) as Read<S>;
};
