// Blocks of bytes as they stand in the page: base64, perhaps compressed, perhaps with the bytes of numbers reordered.

export interface BlockText {
  text: string;
  codec: string; // raw, deflate
  filter: string; // "", shuffle2, shuffle4, shuffle8, delta2
}

export async function decodeBlock(block: BlockText): Promise<Uint8Array> {
  let bytes = fromBase64(block.text);
  if (block.codec === "deflate") bytes = await inflate(bytes);
  else if (block.codec !== "raw") throw new Error(`unknown codec "${block.codec}" of a block`);
  if (block.filter === "") return bytes;
  const width = { shuffle2: 2, shuffle4: 4, shuffle8: 8, delta2: 2 }[block.filter];
  if (width === undefined) throw new Error(`unknown filter "${block.filter}" of a block`);
  return unshuffle(bytes, width);
}

const DIGITS = new Uint8Array(128).fill(255);
for (let k = 0; k < 64; k++)
  DIGITS["ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".charCodeAt(k)] = k;

// Not atob: its string of a hundred million characters would have to be copied once more.
export function fromBase64(text: string): Uint8Array {
  let out = new Uint8Array(Math.floor((text.length * 3) / 4) + 3);
  let n = 0, held = 0, bits = 0;
  for (let k = 0; k < text.length; k++) {
    const code = text.charCodeAt(k);
    const digit = code < 128 ? DIGITS[code] : 255;
    if (digit === 255) {
      if (code === 61 || code === 10 || code === 13 || code === 32 || code === 9) continue;
      throw new Error(`a block is not base64 at character ${k + 1}`);
    }
    held = (held << 6) | digit;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out[n++] = (held >> bits) & 255;
    }
  }
  return out.subarray(0, n);
}

export async function inflate(bytes: Uint8Array): Promise<Uint8Array> {
  if (typeof DecompressionStream === "undefined")
    throw new Error("this browser is too old for compressed results (it has no DecompressionStream)");
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream("deflate"));
  try {
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch {
    throw new Error("a compressed block of the page is damaged");
  }
}

// All first bytes, then all second bytes, ... back to numbers of some bytes.
export function unshuffle(bytes: Uint8Array, width: number): Uint8Array {
  const count = Math.floor(bytes.length / width);
  const out = new Uint8Array(bytes.length);
  for (let byte = 0; byte < width; byte++) {
    const from = byte * count;
    for (let k = 0, at = byte; k < count; k++, at += width) out[at] = bytes[from + k];
  }
  return out;
}

// Sums of differences modulo 2^16, in place.
export function undelta(column: Uint16Array): void {
  for (let k = 1; k < column.length; k++) column[k] = column[k] + column[k - 1];
}
