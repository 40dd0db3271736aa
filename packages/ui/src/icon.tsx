/** Names of Lucide icons. The sprite contains only these. */
export const ICONS = [
  "activity",
  "chevron-right",
  "circle-check",
  "clock",
  "inbox",
  "info",
  "list",
  "menu",
  "message-circle",
  "plus",
  "search",
  "settings",
  "shield",
  "triangle-alert",
  "zap",
] as const;

export type IconName = (typeof ICONS)[number];

/** A line icon from the sprite, in the colour of the surrounding text. Decorative: the words beside it say the same. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" aria-hidden="true" width="18" height="18">
    <use href={`/icons.svg#${name}`} />
  </svg>
);
