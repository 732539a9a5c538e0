// Writes pages as the program does (web/README.md), in all encodings: for tests and for looking at the page without the program.
import { deflateSync } from "node:zlib";
import type { ColumnHead, Head, ResultHead, TableHead } from "../src/data/format";

export const PLACE = '<script type="application/json" id="flyball-head">null</script>';

export interface Block {
  bytes: Uint8Array;
  codec: "raw" | "deflate";
  filter: "" | "shuffle2" | "shuffle4" | "shuffle8" | "delta2";
}

export function shuffle(bytes: Uint8Array, width: number): Uint8Array {
  const n = bytes.length / width, out = new Uint8Array(bytes.length);
  for (let k = 0; k < n; k++) for (let b = 0; b < width; b++) out[b * n + k] = bytes[k * width + b];
  return out;
}

export const encodeBlock = (b: Block): string => Buffer.from(b.codec === "deflate" ? deflateSync(b.bytes, { level: 6 }) : b.bytes).toString("base64");

export interface Numbers {
  channel: number; // -1: time
  values: ArrayLike<number>;
}

// One table, one block: all columns of one type (time always f64).
export function encodeTable(blocks: Block[], kind: TableHead["kind"], columns: Numbers[], type: ColumnHead["type"], codec: Block["codec"], sourceRows: number): TableHead {
  const rows = columns[0].values.length, heads: ColumnHead[] = [];
  const put = (list: Numbers[], as: ColumnHead["type"]): void => {
    if (list.length === 0) return;
    const width = { f64: 8, f32: 4, q16: 2 }[as], bytes = new Uint8Array(list.length * rows * width);
    list.forEach((c, k) => {
      const offset = k * rows * width, head: ColumnHead = { channel: c.channel, type: as, block: blocks.length, offset };
      if (as === "f64") new Float64Array(bytes.buffer, offset, rows).set(Float64Array.from(c.values));
      else if (as === "f32") new Float32Array(bytes.buffer, offset, rows).set(Float32Array.from(c.values));
      else Object.assign(head, quantise(new Uint16Array(bytes.buffer, offset, rows), c.values, codec === "deflate"));
      heads.push(head);
    });
    const filter = codec === "raw" ? "" : as === "q16" ? "delta2" : (`shuffle${width}` as Block["filter"]);
    blocks.push({ bytes: filter === "" ? bytes : shuffle(bytes, width), codec, filter });
  };
  put(columns.filter((c) => c.channel < 0), "f64");
  put(columns.filter((c) => c.channel >= 0), type);
  return { kind, rows, source_rows: sourceRows, columns: heads };
}

function quantise(out: Uint16Array, values: ArrayLike<number>, delta: boolean): { bias: number; scale: number } {
  let low = Infinity, high = -Infinity;
  for (let k = 0; k < values.length; k++) {
    if (!Number.isFinite(values[k])) continue;
    low = Math.min(low, values[k]);
    high = Math.max(high, values[k]);
  }
  if (!Number.isFinite(low)) low = high = 0;
  const scale = high > low ? (high - low) / 65534 : 1;
  for (let k = 0; k < values.length; k++) out[k] = Number.isFinite(values[k]) ? Math.round((values[k] - low) / scale) : 65535;
  if (delta) for (let k = values.length - 1; k > 0; k--) out[k] = out[k] - out[k - 1];
  return { bias: low, scale };
}

// Smallest and largest of each bucket, in the order in which they occurred.
export function envelope(time: ArrayLike<number>, values: ArrayLike<number>, buckets: number): { time: number[]; values: number[] } {
  const out = { time: [] as number[], values: [] as number[] }, n = time.length;
  for (let b = 0; b < buckets; b++) {
    const first = Math.floor((n * b) / buckets), last = Math.floor((n * (b + 1)) / buckets) - 1;
    let low = first, high = first;
    for (let k = first; k <= last; k++) {
      if (values[k] < values[low]) low = k;
      if (values[k] > values[high]) high = k;
    }
    out.time.push(time[first], time[last]);
    out.values.push(values[Math.min(low, high)], values[Math.max(low, high)]);
  }
  return out;
}

export function page(template: string, head: Head, blocks: Block[]): string {
  const parts = template.split(PLACE);
  if (parts.length !== 2) throw new Error("the page has no place for data");
  const json = JSON.stringify(head).replaceAll("<", "\\u003c");
  const scripts = blocks.map((b) => `<script type="text/plain" class="flyball-block" data-codec="${b.codec}"${b.filter ? ` data-filter="${b.filter}"` : ""}>${encodeBlock(b)}</script>`);
  return [parts[0], `<script type="application/json" id="flyball-head">${json}</script>\n`, ...scripts.map((s) => `${s}\n`), parts[1]].join("");
}

export const headOf = (results: ResultHead[], title?: string): Head => ({ format: "flyball-page", version: 1, generator: "sample", ...(title ? { title } : {}), results });
