// The pixels of a PNG picture as browsers make them: 8 bits, RGB or RGBA, not interlaced.
import { inflateSync } from "node:zlib";

export interface Pixels {
  width: number;
  height: number;
  count(test: (r: number, g: number, b: number) => boolean): number;
  differs(other: Pixels): number; // pixels with a clearly different colour
  rgb: Uint8Array;
}

export function pixels(png: Buffer): Pixels {
  if (png.readUInt32BE(0) !== 0x89504e47) throw new Error("not a PNG file");
  const width = png.readUInt32BE(16), height = png.readUInt32BE(20), depth = png[24], type = png[25];
  if (depth !== 8 || (type !== 2 && type !== 6) || png[28] !== 0) throw new Error("a PNG file of an unexpected kind");
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; ) {
    const size = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(png.subarray(at + 8, at + 8 + size));
    at += size + 12;
  }
  const raw = inflateSync(Buffer.concat(parts)), step = type === 6 ? 4 : 3, line = width * step;
  const data = new Uint8Array(height * line), rgb = new Uint8Array(3 * width * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (line + 1)];
    for (let x = 0; x < line; x++) {
      const a = x >= step ? data[y * line + x - step] : 0, b = y > 0 ? data[(y - 1) * line + x] : 0, c = x >= step && y > 0 ? data[(y - 1) * line + x - step] : 0;
      const p = a + b - c, pa = Math.abs(p - a), pb = Math.abs(p - b), pc = Math.abs(p - c);
      const guess = [0, a, b, (a + b) >> 1, pa <= pb && pa <= pc ? a : pb <= pc ? b : c][filter];
      data[y * line + x] = raw[y * (line + 1) + 1 + x] + guess;
    }
    for (let x = 0; x < width; x++) for (let k = 0; k < 3; k++) rgb[3 * (y * width + x) + k] = data[y * line + x * step + k];
  }
  return {
    width,
    height,
    rgb,
    count: (test) => {
      let n = 0;
      for (let k = 0; k < rgb.length; k += 3) n += test(rgb[k], rgb[k + 1], rgb[k + 2]) ? 1 : 0;
      return n;
    },
    differs: (other) => {
      if (other.rgb.length !== rgb.length) throw new Error("pictures of different sizes");
      let n = 0;
      for (let k = 0; k < rgb.length; k += 3) n += Math.abs(rgb[k] - other.rgb[k]) + Math.abs(rgb[k + 1] - other.rgb[k + 1]) + Math.abs(rgb[k + 2] - other.rgb[k + 2]) > 60 ? 1 : 0;
      return n;
    },
  };
}
