// A result as the page uses it: channels by name, each with samples or an envelope over time.
import { decodeBlock, undelta, type BlockText } from "./blocks";
import { readRecord } from "./record";
import type { BlockRef, ChannelHead, ColumnHead, ErrorsData, Head, ModesData, ResultHead, RunRecord, SceneData, StoryData, TableHead } from "./format";

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

export class Result {
  readonly channels: Channel[];
  readonly byName = new Map<string, Channel>();
  readonly time: Float64Array; // of the samples: what the animation goes by
  modes: ModesData | null = null;
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
  if (head.format !== "flyball-page") throw new Error("the data of this page is not of flyball");
  if (head.version !== 1) throw new Error(`the data of this page has version ${String(head.version)}; it can show version 1`);
  if (!Array.isArray(head.results) || head.results.length === 0) throw new Error("the page holds no result");
  const bytes: Uint8Array[] = [];
  for (const block of blocks) {
    bytes.push(await decodeBlock(block));
    block.text = ""; // a large result need not be in memory twice
  }
  const deltas = new Map(blocks.flatMap((b, k) => (b.filter === "delta2" ? [[k, new Set<number>()] as const] : [])));
  const results = head.results.map((r, k) => decodeResult(r, k, bytes, deltas));
  const models = [...new Set(results.map((r) => r.record.modelName ?? r.name))];
  return { title: head.title ?? models.join(", "), results };
}

function decodeResult(head: ResultHead, index: number, bytes: Uint8Array[], deltas: Deltas): Result {
  const slice = (block: number, offset: number, length: number, what: string): Uint8Array => {
    const from = bytes[block];
    if (from === undefined || offset < 0 || offset + length > from.length)
      throw new Error(`the page is incomplete: ${what} of ${head.name} is not all there (block ${block})`);
    return from.subarray(offset, offset + length);
  };
  const result = new Result(index, head.name, readRecord(head.record), head.scene, head.story, head.notes ?? [], head.channels, (ref, width) =>
    slice(ref.block, ref.offset, ref.count * width, "a mesh"),
  );
  if (head.modes && head.modes.modes.length > 0) result.modes = head.modes;
  readErrors(result, head.errors);
  for (const table of head.tables) {
    const timeColumn = table.columns.find((c) => c.channel === -1);
    if (!timeColumn) throw new Error(`a table of ${head.name} has no time`);
    const time = toDoubles(decodeColumn(timeColumn, table, slice, deltas), table.rows);
    if (table.kind === "samples" && time.length > result.time.length) result.setTime(time);
    for (const column of table.columns) {
      if (column.channel < 0) continue;
      const channel = result.channels[column.channel];
      if (!channel) throw new Error(`a table of ${head.name} names channel ${column.channel}, which does not exist`);
      const values = decodeColumn(column, table, slice, deltas);
      const series: Series = { time, values, kind: table.kind, sourceRows: table.source_rows ?? table.rows };
      if (table.kind === "samples") channel.samples = series;
      else channel.envelope = series;
    }
  }
  if (result.time.length === 0) {
    const any = result.channels.find((c) => c.envelope);
    if (any?.envelope) result.setTime(any.envelope.time);
  }
  return result;
}

// Whatever does not fit is left out.
function readErrors(result: Result, raw: unknown): void {
  const { time, channels } = (raw ?? {}) as Partial<ErrorsData>;
  if (!Array.isArray(time) || !time.every(Number.isFinite) || !Array.isArray(channels)) return;
  const times = Float64Array.from(time);
  for (const c of channels) {
    const channel = result.byName.get(c?.name);
    if (!channel || !Array.isArray(c.largest) || c.largest.length !== time.length) continue;
    channel.error = { time: times, values: Float64Array.from(c.largest, (x) => x ?? NaN), kind: "samples", sourceRows: time.length };
  }
}

type Deltas = Map<number, Set<number>>; // columns of blocks with differences that were summed already

type Slice = (block: number, offset: number, length: number, what: string) => Uint8Array;

function decodeColumn(column: ColumnHead, table: TableHead, slice: Slice, deltas: Deltas): Column {
  const width = { f64: 8, f32: 4, q16: 2 }[column.type];
  if (width === undefined) throw new Error(`unknown type "${String(column.type)}" of a column`);
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
