import { wordsIn } from "../../domain/message/content.ts";
import type { ChannelEvent, Content, FilePart } from "../../domain/message/message.ts";
import { joinTexts, marksOf } from "../../domain/text/markup.ts";

type InboundMessage = Extract<ChannelEvent, { type: "message" }>;
type Part = Pick<InboundMessage, "messengerMessageId" | "content">;

/** Files per message at the gateway (contract). */
const MAX_FILES = 20;
const numeric = new Intl.Collator("en", { numeric: true });

/** The album with one more part, in the messenger's order; undefined when it is full. */
export function addToAlbum(album: InboundMessage, part: InboundMessage): InboundMessage | undefined {
  const parts = [...partsOf(album), part].sort((a, b) => numeric.compare(a.messengerMessageId, b.messengerMessageId));
  const [first] = parts;
  if (!first || parts.length > MAX_FILES) return undefined;
  return {
    ...album,
    messengerMessageId: first.messengerMessageId,
    quote: album.quote ?? part.quote,
    quoted: album.quoted ?? part.quoted,
    at: Math.min(album.at, part.at),
    content: mergeContents(parts.map(({ content }) => content)),
    pieces: parts.map(({ messengerMessageId, content }) => ({ messengerMessageId, content })),
  };
}

const partsOf = (event: InboundMessage): Part[] =>
  event.pieces ?? [{ messengerMessageId: event.messengerMessageId, content: event.content }];

function mergeContents(contents: Content[]): Content {
  const files: FilePart[] = contents.flatMap((content) => ("files" in content ? content.files : []));
  const words = joinTexts(contents.map(wordsIn), "\n");
  if (files.length === 0) return { type: "text", text: words.text, ...marksOf(words) };
  const types = new Set(contents.flatMap((content) => ("files" in content ? [content.type] : [])));
  const [type = "file"] = types.size === 1 ? types : [];
  return { type, files, note: words.text || undefined, ...marksOf(words) };
}
