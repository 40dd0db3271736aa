import type { Child } from "hono/jsx";

/** A state: shown by colour, and always in words, too. */
export type Tone = "success" | "info" | "warning" | "danger" | "neutral";

/** A dot and a word. */
export const State = ({ tone, children }: { tone: Tone; children: Child }) => (
  <span class={`badge ${tone}`}>{children}</span>
);
