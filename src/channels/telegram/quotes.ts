import { wordsOf } from "./content.ts";
import type { Lines } from "./lines.ts";
import { originName, titleOf } from "./people.ts";
import type { TelegramMessage } from "./update.ts";

/** Longest piece of another message that stands above an answer, in code points: agents want the answer. */
const MOST_QUOTED = 300;

/** Lines of what a message answers; `always` is false where the gateway's own quote says it. */
export interface Quoted {
  head: string;
  always: boolean;
}

/** What is answered, in words: chosen ones, those of another chat or a story, or of a message the CRM may not know. */
export function quotedIn(message: TelegramMessage, lines: Lines): Quoted | undefined {
  const { quote, external_reply: elsewhere, reply_to_story: story, reply_to_message: reply } = message;
  if (story) return { head: `${lines.repliedToStory(story.chat && titleOf(story.chat))}\n`, always: true };
  if (elsewhere) {
    const words = quote?.text || wordsOf(elsewhere, lines);
    return { head: `${lines.repliedTo(originName(elsewhere.origin) ?? lines.hidden)}\n${cited(words)}`, always: true };
  }
  if (!reply || Number(reply.message_id) === message.message_thread_id) return undefined;
  if (quote?.is_manual && quote.text.trim()) return { head: cited(quote.text), always: true };
  const words = wordsOf(reply, lines);
  return words ? { head: cited(words), always: false } : undefined;
}

/** Each line marked, as everybody writes a quote in plain text. */
function cited(words: string): string {
  const letters = [...words.trim()];
  const short =
    letters.length > MOST_QUOTED ? `${letters.slice(0, MOST_QUOTED).join("").trimEnd()}…` : letters.join("");
  return short ? `${short.replace(/^/gm, "> ")}\n` : "";
}
