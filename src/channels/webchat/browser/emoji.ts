import { button, el } from "./dom.ts";
import { words } from "./strings.ts";

const EMOJI = [..."😀😂😊😍😉😎🤔😢😅🙏👍👎👌👋💪🎉🔥✨✅❌⭐🎁📦🚚💳📷📞📅⏰🏠💡🙂"];

/** A small picker; `choose` is given one emoji. */
export function createEmoji(choose: (emoji: string) => void): HTMLElement {
  const about = { class: "emojis", hidden: true, role: "group", "aria-label": words.emoji };
  return el("div", about, ...EMOJI.map((emoji) => button({}, emoji, () => choose(emoji), emoji)));
}
