import { cutText } from "../../../domain/text/split.ts";
import { wordsOf } from "./content.ts";
import type { Lines } from "./lines.ts";
import { originName, titleOf } from "./people.ts";
import type { TelegramMessage } from "./update.ts";

/** Longest quote above a reply, code points. */
const MAX_QUOTED = 300;

/** Quote lines above a reply. `always` is false if the gateway's own quote can replace them. */
export interface Quoted {
  head: string;
  always: boolean;
}

/** Quotes what the message replies to: selected text, another chat's message, a story, or a message of this chat. */
export function quotedIn(message: TelegramMessage, lines: Lines): Quoted | undefined {
  const { quote, external_reply: elsewhere, reply_to_story: story, reply_to_message: reply } = message;
  if (story) {
    const whose = story.chat && titleOf(story.chat);
    return { head: `${whose ? lines.repliedToStoryOf({ whose }) : lines.repliedToStory}\n`, always: true };
  }
  if (elsewhere) {
    const text = quote?.text || wordsOf(elsewhere, lines);
    return {
      head: `${lines.repliedTo({ who: originName(elsewhere.origin) ?? lines.hidden })}\n${cited(text)}`,
      always: true,
    };
  }
  if (!reply || Number(reply.message_id) === message.message_thread_id) return undefined;
  if (quote?.is_manual && quote.text.trim()) return { head: cited(quote.text), always: true };
  const text = wordsOf(reply, lines);
  return text ? { head: cited(text), always: false } : undefined;
}

/** Plain-text quote: `> ` before each line. */
function cited(text: string): string {
  const whole = text.trim();
  const kept = cutText(whole, MAX_QUOTED);
  const short = kept === whole ? whole : `${kept.trimEnd()}…`;
  return short ? `${short.replace(/^/gm, "> ")}\n` : "";
}
