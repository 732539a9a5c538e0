// A result as the page uses it: channels by name, each with samples or an envelope over time.
import { decodeBlock, undelta, type BlockText } from "./blocks";
import { attempt, count, isObject, list, maybe, name, number, object, positive, text, word } from "./fit";
import { readRecord } from "./record";
import { readScene } from "./scene";
import { readErrors, readModes, readStory, readStress } from "./story";
import type { BlockRef, ChannelHead, ColumnHead, Head, ModesData, ResultHead, RunRecord, SceneData, StoryData, StressData, TableHead } from "./format";

export type Column = Float64Array | Float32Array | Quantised;

// 16 bits a value, undone on the way out: half the memory of a thousand bodies.
export class Quantised {
  constructor(
    readonly data: Uint16Array,
    readonly bias: number,
    readonly scale: number,
  ) {}
  at(k: number): number {
    const u = this.data[k];
    return u === 65535 ? NaN : this.bias + this.scale * u;
  }
}

export const valueOf = (column: Column, k: number): number =>
  column instanceof Quantised ? column.at(k) : column[k];

export interface Series {
  time: Float64Array;
  values: Column;
  kind: "samples" | "envelope";
  sourceRows: number;
}

export class Channel {
  samples: Series | undefined;
  envelope: Series | undefined;
  error: Series | undefined; // how far it may be off, the largest so far
  constructor(
    readonly name: string,
    readonly unit: string,
    readonly description: string,
  ) {}
  get exact(): boolean {
    return this.samples?.values instanceof Float64Array && this.samples.sourceRows === this.samples.time.length;
  }
  // For plots over time.
  get plotted(): Series | undefined {
    return this.envelope ?? this.samples;
  }
  // Between the first and the last sample as they say, beyond them as these.
  errorAt(t: number): number {
    if (!this.error || this.error.time.length === 0) return NaN;
    const { time } = this.error;
    return interpolate(this.error, Math.min(Math.max(t, time[0]), time[time.length - 1]));
  }
  // At a time, linear between samples; NaN outside.
  at(t: number): number {
    const s = this.samples ?? this.envelope;
    return s ? interpolate(s, t) : NaN;
  }
}

// The last row at or before t, within 0 .. length - 2: the row an interval starts with.
export function rowBefore(time: ArrayLike<number>, t: number, hint = 0): number {
  const last = time.length - 2;
  if (last <= 0 || !(t > time[0])) return 0;
  if (t >= time[last]) return last;
  if (hint >= 0 && hint <= last && time[hint] <= t && t < time[hint + 1]) return hint;
  let low = 0, high = last;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (time[middle] <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function interpolate(s: Series, t: number): number {
  const n = s.time.length;
  if (n === 0 || t < s.time[0] || t > s.time[n - 1]) return NaN;
  if (n === 1) return valueOf(s.values, 0);
  const k = rowBefore(s.time, t);
  const a = valueOf(s.values, k), b = valueOf(s.values, k + 1), span = s.time[k + 1] - s.time[k];
  return span > 0 ? a + ((b - a) * (t - s.time[k])) / span : b;
}

// Sentences about what cannot be used, by where it comes from.
export type Source = "record" | "scene" | "story" | "modes" | "errors" | "numbers";
export type Faults = Record<Source, string[]>;
export const noFaults = (): Faults => ({ record: [], scene: [], story: [], modes: [], errors: [], numbers: [] });

export class Result {
  readonly channels: Channel[];
  readonly byName = new Map<string, Channel>();
  readonly time: Float64Array; // of the samples: what the animation goes by
  modes: ModesData | null = null;
  stress: StressData | null = null;
  faults = noFaults();
  constructor(
    readonly index: number,
    readonly name: string,
    readonly record: RunRecord,
    readonly scene: SceneData | null,
    readonly story: StoryData | null,
    readonly notes: string[],
    channels: ChannelHead[],
    readonly bytesOf: (ref: BlockRef, width: number) => Uint8Array,
  ) {
    this.channels = channels.map((c) => new Channel(c.name, c.unit ?? "", c.description ?? ""));
    for (const channel of this.channels) this.byName.set(channel.name, channel);
    this.time = new Float64Array(0);
  }
  setTime(time: Float64Array): void {
    (this as { time: Float64Array }).time = time;
  }
  get start(): number {
    return this.time.length > 0 ? this.time[0] : 0;
  }
  get end(): number {
    return this.time.length > 0 ? this.time[this.time.length - 1] : 0;
  }
}

// ------------------------------------------------------------------------------------------ from the page

export interface PageData {
  title: string;
  results: Result[];
}

export async function decodePage(head: Head, blocks: BlockText[]): Promise<PageData> {
  if (!isObject(head) || head.format !== "flyball-page") throw new Error("the data of this page is not of flyball");
  if (head.version !== 1) throw new Error(`the data of this page has version ${String(head.version)}; it can show version 1`);
  if (!Array.isArray(head.results) || head.results.length === 0) throw new Error("the page holds no result");
  const bytes: Bytes[] = [];
  for (const block of blocks) {
    bytes.push(await decodeBlock(block).catch((e: unknown) => String(e instanceof Error ? e.message : e)));
    block.text = ""; // a large result need not be in memory twice
  }
  const deltas = new Map(blocks.flatMap((b, k) => (b.filter === "delta2" ? [[k, new Set<number>()] as const] : [])));
  const results = head.results.map((r, k) => decodeResult(isObject(r) ? r : ({} as ResultHead), k, bytes, deltas));
  const models = [...new Set(results.map((r) => r.record.modelName ?? r.name))];
  return { title: attempt(maybe(name), head.title, "title", []) ?? models.join(", "), results };
}

type Bytes = Uint8Array | string; // or why there are none

const CHANNEL = object({ name, unit: maybe(text), description: maybe(text) });
const COLUMN = object({ channel: number, type: word("f64", "f32", "q16"), block: count, offset: count, bias: maybe(number), scale: maybe(number) });
const TABLE = object({ kind: word("samples", "envelope"), rows: count, source_rows: maybe(positive), columns: list(COLUMN) });

function decodeResult(head: ResultHead, index: number, bytes: Bytes[], deltas: Deltas): Result {
  const faults = noFaults();
  const slice = (block: number, offset: number, length: number, what: string): Uint8Array => {
    const from = bytes[block];
    if (from === undefined || typeof from === "string" || offset + length > from.length)
      throw new Error(`the page is incomplete: ${what} is not all there (block ${block}${typeof from === "string" ? `: ${from}` : ""})`);
    return from.subarray(offset, offset + length);
  };
  const called = attempt(maybe(name), head.name, "name", faults.numbers) ?? `result ${index + 1}`;
  const notes = attempt(maybe(list(text)), head.notes, "notes", faults.numbers) ?? [];
  const result = new Result(index, called, readRecord(head.record, faults.record), readScene(head.scene, faults.scene), readStory(head.story, faults.story), notes, channelsOf(head.channels, faults.numbers), (ref, width) =>
    slice(ref.block, ref.offset, ref.count * width, "a mesh"),
  );
  result.faults = faults;
  const modes = readModes(head.modes, faults.modes);
  if (modes && modes.modes.length > 0) result.modes = modes;
  result.stress = readStress(head.stress, faults.scene);
  takeErrors(result, head.errors);
  for (const table of attempt(maybe(list(TABLE)), head.tables, "tables", faults.numbers) ?? []) {
    const failed = orWhy(() => takeTable(result, table as TableHead, slice, deltas));
    if (failed !== null) faults.numbers.push(failed);
  }
  if (result.time.length === 0) {
    const any = result.channels.find((c) => c.envelope);
    if (any?.envelope) result.setTime(any.envelope.time);
  }
  return result;
}

// By number: one that is damaged keeps its place, without a use.
function channelsOf(raw: unknown, faults: string[]): ChannelHead[] {
  if (!Array.isArray(raw)) return attempt(list(CHANNEL), raw, "channels", faults) ?? [];
  return raw.map((c: unknown, k): ChannelHead => attempt(CHANNEL, c, `channels[${k}]`, faults) ?? { name: `(channel ${k + 1})` });
}

function orWhy(act: () => void): string | null {
  try {
    act();
    return null;
  } catch (e) {
    return `${e instanceof Error ? e.message : String(e)}.`;
  }
}

function takeTable(result: Result, table: TableHead, slice: Slice, deltas: Deltas): void {
  const timeColumn = table.columns.find((c) => c.channel === -1);
  if (!timeColumn) throw new Error("a table has no time");
  const time = toDoubles(decodeColumn(timeColumn, table, slice, deltas), table.rows);
  if (!time.every((t, k) => Number.isFinite(t) && (k === 0 || t >= time[k - 1]))) throw new Error("the times of a table are not in their order");
  if (table.kind === "samples" && time.length > result.time.length) result.setTime(time);
  for (const column of table.columns) {
    if (column.channel === -1) continue;
    const failed = orWhy(() => {
      const channel = result.channels[column.channel];
      if (!channel) throw new Error(`a table names channel ${column.channel}, which does not exist`);
      const values = decodeColumn(column, table, slice, deltas);
      const series: Series = { time, values, kind: table.kind, sourceRows: table.source_rows ?? table.rows };
      if (table.kind === "samples") channel.samples = series;
      else channel.envelope = series;
    });
    if (failed !== null) result.faults.numbers.push(failed);
  }
}

// Of channels that the result does not have nothing need be known.
function takeErrors(result: Result, raw: unknown): void {
  const errors = readErrors(raw, result.faults.errors);
  if (!errors) return;
  const time = Float64Array.from(errors.time);
  for (const { name: of, largest } of errors.channels) {
    const channel = result.byName.get(of);
    if (channel) channel.error = { time, values: Float64Array.from(largest, (x) => x ?? NaN), kind: "samples", sourceRows: time.length };
  }
}

type Deltas = Map<number, Set<number>>; // columns of blocks with differences that were summed already

type Slice = (block: number, offset: number, length: number, what: string) => Uint8Array;

function decodeColumn(column: ColumnHead, table: TableHead, slice: Slice, deltas: Deltas): Column {
  const width = { f64: 8, f32: 4, q16: 2 }[column.type];
  const view = aligned(slice(column.block, column.offset, table.rows * width, "a column"), width);
  if (column.type === "f64") return new Float64Array(view.buffer, view.byteOffset, table.rows);
  if (column.type === "f32") return new Float32Array(view.buffer, view.byteOffset, table.rows);
  const data = new Uint16Array(view.buffer, view.byteOffset, table.rows);
  const undone = deltas.get(column.block);
  if (undone && !undone.has(column.offset)) {
    undone.add(column.offset);
    undelta(data);
  }
  return new Quantised(data, column.bias ?? 0, column.scale ?? 1);
}

// Typed arrays must start at a multiple of their width.
export function aligned(bytes: Uint8Array, width: number): Uint8Array {
  return bytes.byteOffset % width === 0 ? bytes : new Uint8Array(bytes);
}

export function toDoubles(column: Column, rows: number): Float64Array {
  if (column instanceof Float64Array) return column;
  const out = new Float64Array(rows);
  for (let k = 0; k < rows; k++) out[k] = valueOf(column, k);
  return out;
}
