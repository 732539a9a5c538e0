// Elements of the page in one line each.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined | ((e: never) => void)>;

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") e.addEventListener(name, value as EventListener);
    else e.setAttribute(name, value === true ? "" : String(value));
  }
  e.append(...children.filter((c): c is Node | string => c !== null && c !== undefined && c !== false));
  return e;
}

// A picture of 16 by 16 made of strokes, for buttons; it says nothing to screen readers, the button does.
export function icon(path: string, filled = false): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", filled ? "icon filled" : "icon");
  const p = document.createElementNS("http://www.w3.org/2000/svg", "path");
  p.setAttribute("d", path);
  svg.append(p);
  return svg;
}

export const ICONS = {
  play: "M4 2.5v11l9.5-5.5z",
  pause: "M4 2.5h3v11H4zM9 2.5h3v11H9z",
  back: "M12 3v10L5.5 8zM3.5 3h1.6v10H3.5z",
  next: "M4 3v10l6.5-5zM10.9 3h1.6v10h-1.6z",
  first: "M13 3v10L8 8zM8 3v10L3 8z",
  loop: "M4 5.5h7a2.5 2.5 0 0 1 0 5H5M6.5 8 4 10.5 6.5 13M12 5.5",
  close: "M4 4l8 8M12 4l-8 8",
  sun: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1v1.6M8 13.4V15M1 8h1.6M13.4 8H15M3 3l1.2 1.2M11.8 11.8 13 13M13 3l-1.2 1.2M4.2 11.8 3 13",
  help: "M5.7 6a2.3 2.3 0 1 1 3.4 2c-.8.4-1.1.9-1.1 1.8M8 12.4v.1",
  plus: "M8 3v10M3 8h10",
  fit: "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",
  camera: "M2 5h3l1.2-1.8h3.6L11 5h3v8H2zM8 6.6a2.2 2.2 0 1 0 0 4.4 2.2 2.2 0 0 0 0-4.4z",
  download: "M8 2v8M4.8 7 8 10.2 11.2 7M3 13.5h10",
  check: "M3 8.5l3.3 3.3L13 4.8",
  warning: "M8 2 1.5 13.5h13zM8 6.5v3.6M8 11.8v.1",
  cross: "M4 4l8 8M12 4l-8 8",
  eye: "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 6a2 2 0 1 0 0 4 2 2 0 0 0 0-4z",
} as const;

export function button(label: string, content: Node | string, onClick: () => void, extra: Attributes = {}): HTMLButtonElement {
  return h("button", { type: "button", "aria-label": label, title: label, click: onClick as () => void, ...extra }, content);
}

// For screen readers: what has just happened. Polite, and not the same thing twice a second.
let live: HTMLElement | null = null;
export function announce(text: string): void {
  live ??= document.getElementById("live");
  if (live) live.textContent = text;
}

export function download(name: string, data: Blob): void {
  const url = URL.createObjectURL(data);
  const a = h("a", { href: url, download: name });
  document.body.append(a);
  a.click();
  a.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export const fileName = (text: string): string => text.replace(/[^\w.-]+/g, "-").replace(/^-+|-+$/g, "") || "flyball";

export function toBlob(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => canvas.toBlob((b) => (b ? resolve(b) : reject(new Error("no picture could be made"))), "image/png"));
}
