// Contrast by relative luminance, WCAG 2.

type Rgb = [number, number, number];

const parse = (colour: string) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)) as Rgb;
const format = (rgb: Rgb) => `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
const luminance = (rgb: Rgb) => {
  const [r = 0, g = 0, b = 0] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
export function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(parse(one)), luminance(parse(other))].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** White or near-black, whichever is more readable on the colour. */
export const inkOn = (colour: string): string =>
  contrast(colour, "#ffffff") >= contrast(colour, "#10191d") ? "#ffffff" : "#10191d";

/** Minimum contrast of text (WCAG 2, AA). */
const READABLE = 4.5;

/** The colour, mixed with white or black until it is readable on the background. */
export function readableOn(colour: string, background: string): string {
  const toward: Rgb = inkOn(background) === "#ffffff" ? [255, 255, 255] : [0, 0, 0];
  const from = parse(colour);
  for (let share = 0; share < 1; share += 0.1) {
    const mixed = format(from.map((part, n) => part + ((toward[n] ?? 0) - part) * share) as Rgb);
    if (contrast(mixed, background) >= READABLE) return mixed;
  }
  return format(toward);
}
