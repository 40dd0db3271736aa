import { button, el } from "./dom.ts";
import { strings } from "./strings.ts";

const EMOJI = [..."😀😂😊😍😉😎🤔😢😅🙏👍👎👌👋💪🎉🔥✨✅❌⭐🎁📦🚚💳📷📞📅⏰🏠💡🙂"];

export function createEmoji(choose: (emoji: string) => void): HTMLElement {
  const about = { class: "emojis", hidden: true, role: "group", "aria-label": strings.emoji };
  return el("div", about, ...EMOJI.map((emoji) => button({}, emoji, () => choose(emoji), emoji)));
}
