import type { WireReaction } from "./wire.ts";

/** Emoji of Meta's named reactions, for webhooks that give the name only. */
const NAMED = new Map(
  Object.entries({ smile: "😆", angry: "😠", sad: "😢", wow: "😮", love: "❤", like: "👍", dislike: "👎" }),
);

/** The emoji; null: taken back. */
export const reactionOf = ({ action, emoji, reaction }: WireReaction): string | null =>
  action === "unreact" ? null : emoji || (NAMED.get(reaction ?? "") ?? "❤");
