// A WebM file (EBML, Matroska): header, one video track, clusters of frames. Only what players need.

const text = (s: string): number[] => [...s].map((c) => c.charCodeAt(0));

function uint(x: number): number[] {
  const out: number[] = [];
  do {
    out.unshift(x % 256);
    x = Math.floor(x / 256);
  } while (x > 0);
  return out;
}

function float64(x: number): number[] {
  const b = new DataView(new ArrayBuffer(8));
  b.setFloat64(0, x);
  return [...new Uint8Array(b.buffer)];
}

// Sizes in eight bytes: any length, no thinking.
function sizeOf(n: number): number[] {
  const bytes = uint(n);
  return [0x01, ...new Array<number>(7 - bytes.length).fill(0), ...bytes];
}

type Piece = Uint8Array;

const join = (pieces: Piece[]): Piece => {
  const out = new Uint8Array(pieces.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const p of pieces) {
    out.set(p, at);
    at += p.length;
  }
  return out;
};

function element(id: number, ...content: (number[] | Piece)[]): Piece {
  const body = join(content.map((c) => (c instanceof Uint8Array ? c : Uint8Array.from(c))));
  return join([Uint8Array.from(uint(id)), Uint8Array.from(sizeOf(body.length)), body]);
}

export class WebmWriter {
  private readonly clusters: Piece[] = [];
  private blocks: Piece[] = [];
  private clusterTime = 0;

  constructor(
    private readonly width: number,
    private readonly height: number,
    private readonly codec: "vp8" | "vp9",
  ) {}

  // Time in milliseconds, ascending. A cluster starts with each key frame.
  add(data: Uint8Array, time: number, key: boolean): void {
    if (key || time - this.clusterTime > 30000) this.close(time);
    const offset = time - this.clusterTime;
    this.blocks.push(element(0xa3, [0x81, (offset >> 8) & 255, offset & 255, key ? 0x80 : 0x00], data)); // SimpleBlock of track 1
  }

  private close(next: number): void {
    if (this.blocks.length > 0) this.clusters.push(element(0x1f43b675, element(0xe7, uint(this.clusterTime)), ...this.blocks));
    this.blocks = [];
    this.clusterTime = next;
  }

  finish(duration: number): Piece {
    this.close(0);
    const header = element(
      0x1a45dfa3, element(0x4286, [1]), element(0x42f7, [1]), element(0x42f2, [4]), element(0x42f3, [8]), element(0x4282, text("webm")), element(0x4287, [2]), element(0x4285, [2]),
    );
    const info = element(0x1549a966, element(0x2ad7b1, uint(1000000)), element(0x4489, float64(duration)), element(0x4d80, text("flyball")), element(0x5741, text("flyball")));
    const track = element(
      0xae, element(0xd7, [1]), element(0x73c5, [1]), element(0x83, [1]), element(0x86, text(this.codec === "vp9" ? "V_VP9" : "V_VP8")), element(0xe0, element(0xb0, uint(this.width)), element(0xba, uint(this.height))),
    );
    return join([header, element(0x18538067, info, element(0x1654ae6b, track), ...this.clusters)]);
  }
}
