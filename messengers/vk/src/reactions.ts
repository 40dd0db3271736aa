import type { Server } from "./wire.ts";

/** Emoji of VK's reactions, by number. VK lists them only for users' keys (messages.getReactionsAssets). */
const KNOWN = "1=❤️,2=🔥,3=😂,4=👍,5=💩,6=❓,7=😭,8=😡,9=👎,10=👌,11=😃,12=🤔,13=🙏,14=😘,15=😍,16=🎉";
/** Takes the place of a reaction that is not in the list. */
const OTHER = "✨";

const pairs = (list: string): [number, string][] =>
  list
    .split(",")
    .filter(Boolean)
    .map((pair) => {
      const [id, emoji = ""] = pair.split("=");
      return [Number(id), emoji];
    });
/** Keyboards add a variation selector to a heart. */
const bare = (emoji: string): string => emoji.replaceAll("\ufe0f", "");

/** Maps numbers to emoji and back; the operator's list takes precedence. Emoji offered to agents keep their number. */
export function reactionsOf({ VK_REACTIONS: own = "" }: Partial<Server>) {
  const all = [...pairs(KNOWN), ...pairs(own)];
  const byId = new Map(all);
  const byEmoji = new Map(all.map(([id, emoji]) => [bare(emoji), id]));
  return {
    emojiOf: (id: number): string => byId.get(id) ?? OTHER,
    idOf: (emoji: string): number | undefined => byEmoji.get(bare(emoji)),
  };
}

/** Reactions offered to agents. */
export const DICTIONARY = pairs(KNOWN).map(([, emoji]) => emoji);
