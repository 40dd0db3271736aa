import type { Child } from "hono/jsx";

interface Props {
  href: string;
  glyph: Child;
  title: string;
  promise?: Child;
}

/** One of several choices. */
export const Tile = ({ href, glyph, title, promise }: Props) => (
  <a class="tile card" href={href}>
    {glyph}
    <span class="tile-title">{title}</span>
    {promise && <span class="tile-promise">{promise}</span>}
  </a>
);
