/** A messenger's sign: white lines on its brand colour. */
export interface GlyphShape {
  /** `#rrggbb`. */
  color: string;
  /** SVG path data in a box of 24 × 24. */
  path: string;
}

const PLAIN: GlyphShape = { color: "#5f7278", path: "M4 5h16v11H10l-4 4v-4H4z" };

/** Drawn with attributes only: without styles a strict content security policy allows it. */
export const Glyph = ({ shape: { color, path } = PLAIN }: { shape?: GlyphShape }) => (
  <svg class="glyph" aria-hidden="true" width="40" height="40" viewBox="0 0 40 40">
    <rect width="40" height="40" rx="10" fill={color} />
    <g transform="translate(8 8)" fill="none" stroke="#fff" stroke-width="1.75">
      <path d={path} stroke-linecap="round" stroke-linejoin="round" />
    </g>
  </svg>
);
