import { inLanguages } from "../../domain/channel/catalog.ts";
import type { Language } from "../../domain/language.ts";
import { wordsIn } from "../../domain/message/content.ts";
import type { ChannelEvent, Content } from "../../domain/message/message.ts";
import type { Writing } from "../../domain/text/markup.ts";
import { splitText } from "../../domain/text/split.ts";
import { pieceId } from "./pieces.ts";

// The gateway refuses a text without visible characters, and one that is longer than the channel has announced.

const WORDS = inLanguages(
  { blank: "[a message of blanks only]" },
  { es: { blank: "[un mensaje solo de espacios]" }, ru: { blank: "[сообщение из одних пробелов]" } },
);

/** White space, and what shows as nothing. */
const BLANK = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

interface Fitting {
  writing: Pick<Writing, "text" | "note">;
  /** Of the agents. */
  language: Language;
  /** Characters that come before the content's own. */
  before?: number;
}

/** A customer's content as the gateway takes it: what is too long follows as texts. */
export function fitted(content: Content, { writing, language, before = 0 }: Fitting): [Content, ...Content[]] {
  const words = wordsIn(content);
  if (content.type === "text" && BLANK.test(words.text)) return [{ type: "text", text: WORDS[language].blank }];
  const first = Math.max(1, ("files" in content ? writing.note : writing.text) - before);
  if (words.text.length <= first) return [content];
  const [head, ...rest] = splitText(words, writing.text, { first });
  const begun = "files" in content ? { note: head?.text } : { text: head?.text ?? "" };
  return [{ ...content, ...begun, marks: head?.marks } as Content, ...rest.map(asText)];
}

const asText = ({ text, marks }: { text: string; marks: Content["marks"] }): Content => ({ type: "text", text, marks });

type Message = Extract<ChannelEvent, { type: "message" }>;

/** The further pieces of a message; `numbers`: of each. */
export const following = (
  { quote: _, quoted: __, ...event }: Message,
  pieces: Content[],
  numbers = pieces.map((_content, n) => n),
): Message[] =>
  pieces.map((content, n) => ({
    ...event,
    content,
    messengerMessageId: pieceId(event.messengerMessageId, numbers[n] ?? n),
  }));
