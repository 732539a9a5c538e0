// Numbers and words for people: as many digits as are worth reading, exponents as powers of ten.

// A table of words that knows those it was given and no others: not `constructor`.
export const wordsOf = <T>(words: Record<string, T>): Record<string, T | undefined> => Object.assign(Object.create(null) as Record<string, T>, words);

export function formatNumber(x: number | null | undefined, digits = 4): string {
  if (x === null || x === undefined || !Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e-3 && size < 1e6) {
    const shown = Number(x.toPrecision(digits));
    return minus(Math.abs(shown) >= 1e5 ? shown.toFixed(0) : String(shown));
  }
  const [mantissa, exponent] = x.toExponential(digits - 1).split("e");
  const power = `10${superscript(Number(exponent))}`, factor = minus(String(Number(mantissa)));
  return factor === "1" ? power : factor === "−1" ? `−${power}` : `${factor}·${power}`;
}

export const formatWith = (x: number | null | undefined, unit: string, digits = 4): string =>
  unit === "" ? formatNumber(x, digits) : `${formatNumber(x, digits)} ${prettyUnit(unit)}`;

const minus = (text: string): string => text.replace("-", "−");

function superscript(n: number): string {
  return [...String(n)].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)])).join("");
}

// "kg m^2/s" as people write it.
export function prettyUnit(unit: string): string {
  return unit.replace(/\^(-?\d+)/g, (_, n: string) => superscript(Number(n))).replace(/ +/g, "·").replace(/·?\/·?/g, "/");
}

// A count with thin spaces.
export function formatCount(n: number | null | undefined): string {
  if (n === null || n === undefined || !Number.isFinite(n)) return "–";
  return String(Math.round(n)).replace(/\B(?=(\d{3})+(?!\d))/g, "\u2009");
}

// Seconds with as many decimals as the length of a run makes sensible.
export function formatTime(t: number, span: number): string {
  const decimals = Math.min(9, Math.max(0, 3 - Math.floor(Math.log10(Math.max(span, 1e-9)))));
  return minus(t.toFixed(decimals));
}

// Steps of 1, 2, 5 times a power of ten: the largest not above x.
export function niceBelow(x: number): number {
  if (!(x > 0) || !Number.isFinite(x)) return 1;
  const power = 10 ** Math.floor(Math.log10(x) + 1e-12);
  const factor = x / power;
  return power * (factor >= 5 * (1 - 1e-12) ? 5 : factor >= 2 * (1 - 1e-12) ? 2 : 1);
}
