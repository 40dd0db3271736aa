import type { Child } from "hono/jsx";

/** How something is: by colour, and always in words, too. */
export type Tone = "success" | "info" | "warning" | "danger" | "neutral";

/** A dot and a word. `class` names what the word stands for. */
export const State = ({ tone, class: name = "", children }: { tone: Tone; class?: string; children: Child }) => (
  <span class={`badge ${tone} ${name}`.trimEnd()}>{children}</span>
);
