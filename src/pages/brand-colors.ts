// Derives the vendor's colours: legible as text on each scheme's background, and as background of white or dark text.

/** Card backgrounds in the light and dark schemes, as in `tokens.css`. */
const LIGHT_PAPER = "#ffffff";
const DARK_PAPER = "#131c1f";
const DARK_INK = "#06171a";
/** Text contrast of WCAG 2.2 AA (4.5), plus a margin for backgrounds tinted with the colour itself. */
const MIN_CONTRAST = 5.8;
const STEP = 0.04;

type Rgb = [number, number, number];

const parse = (hex: string): Rgb => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as Rgb;
const write = (rgb: Rgb): string => `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;

/** Relative luminance (WCAG 2.2). */
function luminance(hex: string): number {
  const [r, g, b] = parse(hex).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Contrast ratio (WCAG 2.2), from 1 to 21. */
export function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

/** Moves the colour toward black or white until it is legible on `paper`. */
function legible(color: string, paper: string, toward: 0 | 255): string {
  for (let share = 0; share <= 1; share += STEP) {
    const moved = write(parse(color).map((part) => part + (toward - part) * share) as Rgb);
    if (contrast(moved, paper) >= MIN_CONTRAST) return moved;
  }
  return toward === 0 ? "#000000" : "#ffffff";
}

const inkOn = (color: string): string =>
  contrast("#ffffff", color) >= contrast(DARK_INK, color) ? "#ffffff" : DARK_INK;

/** CSS that overrides the style sheet's own colour. `color`: `#rrggbb`. */
export function brandColors(color: string): string {
  const [light, dark] = [legible(color, LIGHT_PAPER, 0), legible(color, DARK_PAPER, 255)];
  return `:root { --brand: light-dark(${light}, ${dark}); --on-brand: light-dark(${inkOn(light)}, ${inkOn(dark)}); }\n`;
}
