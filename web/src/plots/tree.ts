// The tree of channels: search, arrow keys, a click or Enter plots, dragging chooses the panel. Built as far as it is opened.
import { prettyUnit } from "../data/units";
import { announce, h } from "../ui/dom";
import { type Entry, type Group, matcher, type Section } from "./catalogue";

export interface TreeActions {
  toggle(channel: string): void;
  colorsOf(channel: string): string[]; // of the curves in which it is plotted
  select(element: string): void; // a group was chosen
}

const MOST_FOUND = 400;
const TYPE = "text/x-flyball-channel";
export const draggedChannel = (e: DragEvent): string => e.dataTransfer?.getData(TYPE) ?? "";
export const dragsChannel = (e: DragEvent): boolean => e.dataTransfer?.types.includes(TYPE) ?? false;

export class ChannelTree {
  readonly host: HTMLElement;
  private readonly list = h("ul", { role: "tree", "aria-label": "Channels", class: "tree" });
  private readonly search: HTMLInputElement;
  private readonly count = h("span", { class: "count", "aria-live": "polite" });
  private readonly open = new Set<string>();
  private focused: HTMLElement | null = null;

  constructor(
    private readonly sections: Section[],
    private readonly actions: TreeActions,
  ) {
    const all = sections.reduce((n, s) => n + s.groups.reduce((k, g) => k + g.entries.length, 0), 0);
    this.search = h("input", {
      type: "search", placeholder: `Search ${all} channels`, "aria-label": "Search channels", autocomplete: "off", spellcheck: "false", id: "channel-search",
    });
    this.search.addEventListener("input", () => this.render());
    this.search.addEventListener("keydown", (e) => {
      if (e.key === "ArrowDown") {
        e.preventDefault();
        this.focus(this.items()[0]);
      } else if (e.key === "Enter") this.items().find((i) => i.dataset.channel)?.click();
      else if (e.key === "Escape" && this.search.value !== "") {
        e.stopPropagation();
        this.search.value = "";
        this.render();
      }
    });
    this.host = h("div", { class: "channels" }, h("div", { class: "search" }, this.search, this.count), this.list);
    this.list.addEventListener("keydown", (e) => this.key(e));
    for (const s of sections) this.open.add(s.title);
    const few = sections.flatMap((s) => s.groups).filter((g) => g.name !== "");
    if (few.length <= 2) for (const s of sections) for (const g of s.groups) this.open.add(`${s.title}/${g.name}`);
    this.render();
  }

  focusSearch(): void {
    this.search.focus();
    this.search.select();
  }

  // Opens the group of an element and brings it into view.
  reveal(element: string): void {
    for (const s of this.sections)
      for (const g of s.groups)
        if (g.name === element) {
          this.search.value = "";
          this.open.add(s.title);
          this.open.add(`${s.title}/${g.name}`);
          this.render();
          this.list.querySelector(`[data-group="${CSS.escape(g.name)}"]`)?.scrollIntoView({ block: "nearest" });
        }
  }

  // Colours of what is plotted have changed.
  refresh(): void {
    for (const item of this.list.querySelectorAll<HTMLElement>("[data-channel]")) this.mark(item);
  }

  private mark(item: HTMLElement): void {
    const colors = this.actions.colorsOf(item.dataset.channel ?? "");
    item.setAttribute("aria-selected", String(colors.length > 0));
    const swatch = item.querySelector<HTMLElement>(".swatch");
    if (swatch) swatch.style.background = colors[0] ?? "";
  }

  private render(): void {
    const had = this.focused?.dataset.key;
    const query = this.search.value.trim();
    this.list.replaceChildren();
    this.focused = null;
    if (query === "") {
      this.count.textContent = "";
      for (const s of this.sections) this.list.append(this.section(s));
    } else this.renderFound(query);
    const items = this.items();
    const again = items.find((i) => i.dataset.key === had) ?? items[0];
    if (again) again.tabIndex = 0;
    this.focused = again ?? null;
  }

  private renderFound(query: string): void {
    const fits = matcher(query);
    let found = 0;
    for (const s of this.sections)
      for (const g of s.groups)
        for (const e of g.entries) {
          if (!fits(g, e)) continue;
          if (++found <= MOST_FOUND) this.list.append(this.entry(e, e.name, 1));
        }
    this.count.textContent = found === 1 ? "1 found" : found > MOST_FOUND ? `first ${MOST_FOUND} of ${found}` : `${found} found`;
    if (found === 0) this.list.append(h("li", { class: "nothing", role: "none" }, "No channel has all these words."));
  }

  private section(s: Section): HTMLElement {
    const many = s.flat ? s.groups.reduce((n, g) => n + g.entries.length, 0) : s.groups.length;
    const children = (): HTMLElement[] => (s.flat ? s.groups.flatMap((g) => g.entries.map((e) => this.entry(e, e.short, 2))) : s.groups.map((g) => this.group(s, g)));
    return this.branch(s.title, [h("span", { class: "section-title" }, s.title), h("span", { class: "dim" }, String(many))], 1, children);
  }

  private group(s: Section, g: Group): HTMLElement {
    const label = [h("span", { class: "group-name" }, g.name), h("span", { class: "dim" }, g.type)];
    const item = this.branch(`${s.title}/${g.name}`, label, 2, () => g.entries.map((e) => this.entry(e, e.short, 3)), () => this.actions.select(g.name));
    item.dataset.group = g.name;
    return item;
  }

  private branch(key: string, label: Node[], level: number, children: () => HTMLElement[], onOpen?: () => void): HTMLElement {
    const inner = h("ul", { role: "group" });
    const item = h("li", { role: "treeitem", "aria-expanded": "false", "aria-level": level, tabindex: -1, class: "branch" }, h("div", { class: "row", style: `--level:${level}` }, h("span", { class: "twist", "aria-hidden": "true" }), ...label), inner);
    item.dataset.key = key;
    const show = (on: boolean): void => {
      item.setAttribute("aria-expanded", String(on));
      if (on) {
        this.open.add(key);
        inner.replaceChildren(...children());
        this.refresh();
      } else {
        this.open.delete(key);
        inner.replaceChildren();
      }
    };
    item.addEventListener("click", (e) => {
      e.stopPropagation();
      const on = item.getAttribute("aria-expanded") !== "true";
      show(on);
      if (on) onOpen?.();
      this.focus(this.items().find((i) => i.dataset.key === key)); // the list may have been made anew
    });
    if (this.open.has(key)) show(true);
    return item;
  }

  private entry(e: Entry, text: string, level: number): HTMLElement {
    const item = h(
      "li",
      { role: "treeitem", "aria-selected": "false", "aria-level": level, tabindex: -1, class: "leaf", draggable: "true", title: e.description || e.name },
      h("div", { class: "row", style: `--level:${level}` }, h("span", { class: "swatch", "aria-hidden": "true" }), h("span", { class: "leaf-name" }, text), h("span", { class: "unit" }, prettyUnit(e.unit))),
    );
    item.dataset.key = item.dataset.channel = e.name;
    item.addEventListener("click", (event) => {
      event.stopPropagation();
      this.actions.toggle(e.name);
      const on = this.actions.colorsOf(e.name).length > 0;
      announce(`${e.name} ${on ? "plotted" : "taken out of the plots"}`);
      this.focus(item);
    });
    item.addEventListener("dragstart", (event) => {
      event.stopPropagation();
      event.dataTransfer?.setData(TYPE, e.name);
      event.dataTransfer?.setData("text/plain", e.name);
    });
    this.mark(item);
    return item;
  }

  // ---------------------------------------------------------------------------------------- keys

  private items(): HTMLElement[] {
    return [...this.list.querySelectorAll<HTMLElement>('[role="treeitem"]')];
  }

  private focus(item: HTMLElement | undefined): void {
    if (!item) return;
    if (this.focused) this.focused.tabIndex = -1;
    this.focused = item;
    item.tabIndex = 0;
    item.focus({ preventScroll: false });
  }

  private key(e: KeyboardEvent): void {
    const item = (e.target as HTMLElement).closest<HTMLElement>('[role="treeitem"]');
    if (!item || e.ctrlKey || e.metaKey || e.altKey) return;
    const items = this.items(), k = items.indexOf(item), expanded = item.getAttribute("aria-expanded");
    switch (e.key) {
      case "ArrowDown": this.focus(items[k + 1]); break;
      case "ArrowUp":
        if (k === 0) this.search.focus();
        else this.focus(items[k - 1]);
        break;
      case "ArrowRight":
        if (expanded === "false") item.click();
        else if (expanded === "true") this.focus(items[k + 1]);
        break;
      case "ArrowLeft":
        if (expanded === "true") item.click();
        else this.focus(item.parentElement?.closest<HTMLElement>('[role="treeitem"]') ?? undefined);
        break;
      case "Home": this.focus(items[0]); break;
      case "End": this.focus(items[items.length - 1]); break;
      case "Enter":
      case " ": item.click(); break;
      default: return;
    }
    e.preventDefault();
    e.stopPropagation();
  }
}
