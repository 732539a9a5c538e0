import { describe, expect, it } from "vitest";
import { decodeBlock, fromBase64, unshuffle } from "../src/data/blocks";
import { decimate, rowsIn } from "../src/data/decimate";
import type { Head } from "../src/data/format";
import { readRecord } from "../src/data/record";
import { decodePage, interpolate, Quantised, rowBefore, valueOf, type Series } from "../src/data/result";
import { type Block, encodeBlock, encodeTable, envelope, headOf, page, PLACE, shuffle } from "../sample/encode";
import { RECORD, sliderCrank, thinned, withTables } from "../sample/models";

const texts = (blocks: Block[]): { text: string; codec: string; filter: string }[] => blocks.map((b) => ({ text: encodeBlock(b), codec: b.codec, filter: b.filter }));
const series = (values: number[], time = values.map((_, k) => k)): Series => ({ time: Float64Array.from(time), values: Float64Array.from(values), kind: "samples", sourceRows: values.length });

describe("base64", () => {
  it("gives the bytes back, with line breaks and without", () => {
    for (let n = 0; n < 70; n++) {
      const bytes = Uint8Array.from({ length: n }, (_, k) => (k * 37 + n) & 255), text = Buffer.from(bytes).toString("base64");
      expect(fromBase64(text)).toEqual(bytes);
      expect(fromBase64(text.replace(/(.{10})/g, "$1\n"))).toEqual(bytes);
    }
  });
  it("refuses what is not base64", () => {
    expect(() => fromBase64("AAAA<AAA")).toThrow("character 5");
  });
});

describe("blocks", () => {
  const bytes = Uint8Array.from({ length: 48 }, (_, k) => (k * k) & 255);
  it("undoes the order of bytes", () => {
    for (const width of [2, 4, 8]) expect(unshuffle(shuffle(bytes, width), width)).toEqual(bytes);
  });
  it("inflates", async () => {
    const b: Block = { bytes: shuffle(bytes, 8), codec: "deflate", filter: "shuffle8" };
    expect(await decodeBlock({ text: encodeBlock(b), codec: b.codec, filter: b.filter })).toEqual(bytes);
  });
  it("says what is damaged", async () => {
    const good = encodeBlock({ bytes, codec: "deflate", filter: "" });
    await expect(decodeBlock({ text: good.slice(0, 20), codec: "deflate", filter: "" })).rejects.toThrow("damaged");
    await expect(decodeBlock({ text: good, codec: "zip", filter: "" })).rejects.toThrow('codec "zip"');
    await expect(decodeBlock({ text: "", codec: "raw", filter: "xor" })).rejects.toThrow('filter "xor"');
  });
});

describe("a page", () => {
  it("gives exact results back bit by bit", async () => {
    const blocks: Block[] = [], x = sliderCrank(0, 101);
    const { results } = await decodePage(headOf([withTables(blocks, x, "exact")]), texts(blocks));
    x.data.channels.forEach((c, k) => {
      const got = results[0].byName.get(c.name);
      expect(got?.unit).toBe(c.unit);
      expect(Array.from({ length: 101 }, (_, i) => valueOf(got!.samples!.values, i))).toEqual(x.data.values[k]);
      expect(got?.exact).toBe(true);
    });
    expect([...results[0].time]).toEqual(x.data.time);
  });

  it("keeps 16 bits to half a step of the range", async () => {
    const blocks: Block[] = [], x = sliderCrank(0, 301);
    const { results } = await decodePage(headOf([withTables(blocks, x, "q16")]), texts(blocks));
    x.data.values.forEach((v, k) => {
      const column = results[0].channels[k].samples!.values, range = Math.max(...v) - Math.min(...v);
      expect(column).toBeInstanceOf(Quantised);
      v.forEach((y, i) => expect(Math.abs(valueOf(column, i) - y)).toBeLessThanOrEqual(range / 65534 / 2 + 1e-12 * Math.abs(y)));
    });
  });

  it("means NaN by 65535", () => {
    const blocks: Block[] = [];
    encodeTable(blocks, "samples", [{ channel: 0, values: [1, NaN, 3] }], "q16", "raw", 3);
    const q = new Quantised(new Uint16Array(blocks[0].bytes.buffer), 1, 2 / 65534);
    expect([q.at(0), q.at(1), q.at(2)]).toEqual([1, NaN, 3]);
  });

  it("plots envelopes, animates samples, and says that it was thinned out", async () => {
    const blocks: Block[] = [], x = sliderCrank(0, 2001);
    const { results } = await decodePage(headOf([thinned(blocks, x)]), texts(blocks));
    const c = results[0].byName.get("stroke")!;
    expect(c.plotted?.kind).toBe("envelope");
    expect(c.samples?.time.length).toBe(201);
    expect(c.samples?.sourceRows).toBe(2001);
    expect(results[0].notes.join(" ")).toContain("2001 rows, of which 201");
    expect(c.exact).toBe(false);
  });

  it("is refused in plain words if it is cut, foreign or of another version", async () => {
    const blocks: Block[] = [], head = headOf([withTables(blocks, sliderCrank(0, 11), "exact")]);
    expect((await decodePage(head, [])).results[0].faults.numbers[0]).toContain("the page is incomplete");
    await expect(decodePage({ ...head, version: 2 } as unknown as Head, texts(blocks))).rejects.toThrow("version 2");
    await expect(decodePage({ hello: 1 } as unknown as Head, [])).rejects.toThrow("not of flyball");
    await expect(decodePage(headOf([]), [])).rejects.toThrow("no result");
  });

  it("holds text of a model that looks like HTML", () => {
    const blocks: Block[] = [], r = withTables(blocks, sliderCrank(0, 11), "exact");
    r.record = { ...RECORD, message: "</script><!-- <b>" };
    const html = page(`a${PLACE}b`, headOf([r]), blocks), json = /id="flyball-head">(.*?)<\/script>/s.exec(html)?.[1] ?? "";
    expect((JSON.parse(json) as Head).results[0].record).toMatchObject({ message: "</script><!-- <b>" });
    expect(html.split("</script>").length).toBe(blocks.length + 2);
    expect(readRecord((JSON.parse(json) as Head).results[0].record).message).toBe("</script><!-- <b>");
  });
});

describe("rows", () => {
  const time = [0, 1, 2, 4, 8];
  it("finds the row an interval starts with, whatever the hint", () => {
    for (const hint of [0, 1, 2, 3, -1, 99])
      expect([-1, 0, 0.5, 1, 3.9, 4, 8, 9].map((t) => rowBefore(time, t, hint))).toEqual([0, 0, 0, 1, 2, 3, 3, 3]);
  });
  it("interpolates between rows and knows nothing outside", () => {
    const s = series([0, 10, 20, 40, 0], time);
    expect([0, 0.5, 3, 6, 8].map((t) => interpolate(s, t))).toEqual([0, 5, 30, 20, 0]);
    expect(interpolate(s, -0.1)).toBeNaN();
    expect(interpolate(s, 8.1)).toBeNaN();
  });
  it("takes one row more on either side of a range", () => {
    expect(rowsIn(time, 1.5, 3)).toEqual([1, 3]);
    expect(rowsIn(time, 0, 8)).toEqual([0, 4]);
  });
});

describe("decimation", () => {
  it("keeps peaks of one sample", () => {
    const values = Array.from({ length: 100000 }, (_, k) => Math.sin(k / 3000));
    values[31234] = 55;
    values[77777] = -44;
    const p = decimate(series(values), 0, 100000, 300);
    expect(p.x.length).toBeLessThanOrEqual(2 * 300 + 2);
    expect(p.y[p.x.indexOf(31234)]).toBe(55);
    expect(p.y[p.x.indexOf(77777)]).toBe(-44);
    expect(p.x).toEqual([...p.x].sort((a, b) => a - b));
    expect([p.x[0], p.x.at(-1)]).toEqual([0, 99999]);
  });
  it("leaves few points alone and looks only where it is asked to", () => {
    const s = series([1, 2, 3, 4, 5, 6]);
    expect(decimate(s, 0, 5, 300)).toEqual({ x: [0, 1, 2, 3, 4, 5], y: [1, 2, 3, 4, 5, 6] });
    expect(decimate(s, 2.5, 3.5, 300).x).toEqual([2, 3, 4]);
  });
  it("leaves a gap where there is no number", () => {
    const values = Array.from({ length: 5000 }, (_, k) => k);
    values[2500] = NaN;
    const p = decimate(series(values), 0, 5000, 100);
    expect(p.y[p.x.indexOf(2500)]).toBeNull();
    expect(decimate(series([NaN, 1]), 0, 1, 10).y).toEqual([null, 1]);
  });
  it("writes extremes of a bucket in the order in which they occurred", () => {
    expect(envelope([0, 1, 2, 3, 4, 5], [0, 9, -9, 5, -1, 2], 2)).toEqual({ time: [0, 2, 3, 5], values: [9, -9, 5, -1] });
  });
});

describe("errors over time", () => {
  const read = async (errors: unknown): Promise<(number | null)[]> => {
    const blocks: Block[] = [], head = headOf([{ ...withTables(blocks, sliderCrank(0, 11), "exact"), errors }]);
    const { results } = await decodePage(head as Head, texts(blocks));
    const c = results[0].byName.get("stroke")!;
    return [-1, 0.05, 9].map((t) => (c.error ? c.errorAt(t) : null));
  };
  it("make a band about a channel, held beyond their ends", async () => {
    expect(await read({ time: [0, 0.1], channels: [{ name: "stroke", largest: [1, 3] }, { name: "nobody", largest: [1, 2] }] })).toEqual([1, 2, 3]);
  });
  it("that do not fit are left out", async () => {
    for (const x of [null, 7, {}, { time: [0, null], channels: [] }, { time: [0, 1], channels: [null, { name: "stroke", largest: [1] }] }, { time: [0], channels: 3 }]) expect(await read(x)).toEqual([null, null, null]);
  });
});
