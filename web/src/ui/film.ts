// The animation as a film or a picture, left in the page for whoever asked (flyball render): frame by frame, as slow as drawing is.
import { WebmWriter } from "./webm";
import type { App } from "./app";
import { h } from "./dom";
import type { Wishes } from "./hash";

export async function film(app: App, w: Wishes): Promise<void> {
  const out = h("pre", { id: "flyball-film", hidden: true });
  try {
    const made: Record<string, () => string | Promise<string>> = {
      png: () => picture(prepare(app, w), w),
      webm: async () => base64(await webm(app, w)),
      frames: () => frames(app, w),
    };
    const make = made[w.record ?? ""];
    if (!make) throw new Error(`"${w.record ?? ""}" is no kind of film: webm, frames or png`);
    out.textContent = await make();
    out.dataset.status = "ok";
  } catch (e) {
    out.textContent = e instanceof Error ? e.message : String(e);
    out.dataset.status = "failed";
  }
  document.body.append(out);
}

function prepare(app: App, w: Wishes): NonNullable<App["stage"]> {
  if (!app.stage) throw new Error("there is nothing to animate");
  const host = app.stage.view.host;
  Object.assign(host.style, { position: "fixed", inset: "auto", left: "0", top: "0", width: `${w.size[0]}px`, height: `${w.size[1]}px` });
  app.stage.view.resize();
  app.stage.view.fit();
  return app.stage;
}

// At once, in base64: a browser without a window looks at the page when no script is waiting for time, and does not wait for blobs.
const picture = (stage: NonNullable<App["stage"]>, w: Wishes): string => stage.view.picture(...w.size).toDataURL("image/png").replace(/^[^,]*,/, "");

// The times of a film's frames: as long as asked for, or as the page would play it.
function timesOf({ clock: player }: App, w: Wishes): number[] {
  const seconds = w.seconds ?? Math.min(30, Math.max(1, player.span / player.speed)), count = Math.max(2, Math.round(seconds * w.fps));
  return Array.from({ length: count }, (_, k) => player.start + (player.span * k) / (count - 1));
}

// Pictures of a film, one a line: for whoever encodes it himself.
function frames(app: App, w: Wishes): string {
  const stage = prepare(app, w), lines: string[] = [];
  for (const t of timesOf(app, w)) {
    app.clock.seek(t);
    lines.push(picture(stage, w));
  }
  return lines.join("\n");
}

async function webm(app: App, w: Wishes): Promise<Uint8Array> {
  if (typeof VideoEncoder === "undefined") throw new Error("this browser cannot encode films (it has no WebCodecs)");
  const stage = prepare(app, w), { clock: player } = app;
  const times = timesOf(app, w);
  const [width, height] = w.size;
  const codec = (await VideoEncoder.isConfigSupported({ codec: "vp09.00.31.08", width, height })).supported ? "vp9" : "vp8";
  const writer = new WebmWriter(width, height, codec);
  let failure: Error | null = null;
  const encoder = new VideoEncoder({
    output: (chunk) => {
      const data = new Uint8Array(chunk.byteLength);
      chunk.copyTo(data);
      writer.add(data, Math.round(chunk.timestamp / 1000), chunk.type === "key");
    },
    error: (e) => (failure = e),
  });
  encoder.configure({ codec: codec === "vp9" ? "vp09.00.31.08" : "vp8", width, height, bitrate: Math.round(width * height * w.fps * 0.12), framerate: w.fps });
  for (const [k, t] of times.entries()) {
    player.seek(t);
    const frame = new VideoFrame(stage.view.picture(width, height), { timestamp: Math.round((1e6 * k) / w.fps), duration: Math.round(1e6 / w.fps) });
    encoder.encode(frame, { keyFrame: k % (4 * w.fps) === 0 });
    frame.close();
    if (encoder.encodeQueueSize > 4) await new Promise((r) => setTimeout(r, 0));
    if (failure) throw failure as Error;
  }
  await encoder.flush();
  encoder.close();
  return writer.finish((1000 * times.length) / w.fps);
}

function base64(bytes: Uint8Array): string {
  let text = "";
  for (let k = 0; k < bytes.length; k += 0x6000) text += btoa(String.fromCharCode(...bytes.subarray(k, k + 0x6000)));
  return text;
}
