import { wordsIn } from "../../../domain/content.ts";
import { joinTexts, marksOf } from "../../../domain/markup.ts";
import type { ChannelEvent, Content, FilePart } from "../../../domain/message.ts";

type InboundMessage = Extract<ChannelEvent, { type: "message" }>;
type Part = Pick<InboundMessage, "messengerMessageId" | "content">;

/** Most files of one message at the gateway (contract). */
const MOST_PARTS = 20;
const numeric = new Intl.Collator("en", { numeric: true });

/** An album and one more part of it as one message, parts in the messenger's order; undefined when it is full. */
export function gathered(whole: InboundMessage, part: InboundMessage): InboundMessage | undefined {
  const parts = [...partsOf(whole), part].sort((a, b) => numeric.compare(a.messengerMessageId, b.messengerMessageId));
  const [first] = parts;
  if (!first || parts.length > MOST_PARTS) return undefined;
  return {
    ...whole,
    messengerMessageId: first.messengerMessageId,
    quote: whole.quote ?? part.quote,
    quoted: whole.quoted ?? part.quoted,
    at: Math.min(whole.at, part.at),
    content: joined(parts.map(({ content }) => content)),
    pieces: parts.map(({ messengerMessageId, content }) => ({ messengerMessageId, content })),
  };
}

const partsOf = (event: InboundMessage): Part[] =>
  event.pieces ?? [{ messengerMessageId: event.messengerMessageId, content: event.content }];

/** One content of many: the words of all, the files of all. */
function joined(contents: Content[]): Content {
  const files: FilePart[] = contents.flatMap((content) => ("files" in content ? content.files : []));
  const words = joinTexts(contents.map(wordsIn), "\n");
  if (files.length === 0) return { type: "text", text: words.text, ...marksOf(words) };
  const types = new Set(contents.flatMap((content) => ("files" in content ? [content.type] : [])));
  const [type = "file"] = types.size === 1 ? types : [];
  return { type, files, note: words.text || undefined, ...marksOf(words) };
}
