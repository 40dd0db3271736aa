import { hash } from "node:crypto";
import { type ChatId, fingerprint, type MessengerMessageId } from "gangway-messenger/ids";
import { inLanguages, type Language } from "gangway-messenger/language";
import type { Author, ChannelEvent, Content, Quote, Suggestion, TemplateUse } from "gangway-messenger/message";
import type { TemplateDraft } from "gangway-messenger/template";
import { splitText, wordsIn } from "gangway-messenger/text";
import type { GatewayMessageId } from "./ids.ts";
import type { Writing } from "./markdown.ts";

export type EventOf<Type extends ChannelEvent["type"]> = Extract<ChannelEvent, { type: Type }>;
export type InboundMessage = EventOf<"message">;
export type LateFailure = EventOf<"failed">;
/**
 * Events relayed to the gateway. Failures are not: they change the outcome of our own message, whose ack tells the
 * gateway.
 */
export type RelayedEvent = Exclude<ChannelEvent, LateFailure>;

/** Whether an event leaves after those that came by themselves. */
export const leavesLast = (event: RelayedEvent): boolean =>
  event.type === "message" && (event.recovered ?? event.past) === true;

/** An agent's action that the messenger must carry out. */
export type OutboundAct =
  | {
      type: "message";
      gatewayMessageId: GatewayMessageId;
      chat: ChatId;
      content: Content;
      quote?: Quote;
      suggestions: Suggestion[];
      author?: Author;
      /** Sent in place of the content where the channel has templates. */
      template?: TemplateUse;
    }
  | {
      type: "edited";
      chat: ChatId;
      messengerMessageId: MessengerMessageId;
      content: Content;
      suggestions: Suggestion[];
    }
  | { type: "deleted"; chat: ChatId; messengerMessageId: MessengerMessageId }
  | { type: "read"; chat: ChatId; messengerMessageId: MessengerMessageId }
  | { type: "reaction"; chat: ChatId; messengerMessageId: MessengerMessageId; reaction: string | null };

/** Whether an agent or a customer wrote it. */
const WRITTEN: Record<RelayedEvent["type"] | OutboundAct["type"], boolean> = {
  ...{ message: true, edited: true, deleted: true },
  ...{ read: false, "read-until": false, reaction: false, note: false, unchanged: false },
};
type Kind = keyof typeof WRITTEN;

/** Whether it counts as a message: waiting, undelivered or for a person to decide on. Reactions and the like do not. */
export const countsAsMessage = (kind: string | null): boolean => kind !== null && WRITTEN[kind as Kind] === true;
export const MESSAGE_KINDS = (Object.keys(WRITTEN) as Kind[]).filter(countsAsMessage);

export type OutboundMessage = Extract<OutboundAct, { type: "message" }>;

/** What an agent did with a template. */
export type TemplateAct =
  | { do: "create"; draft: TemplateDraft }
  | { do: "edit"; code: string; draft: TemplateDraft }
  | { do: "delete"; code: string };

/** Whether two templates read the same. Ignores the name, which the messenger may have changed. */
export function sameWords(one: TemplateDraft, other: TemplateDraft): boolean {
  const words = ({ language, header, body, footer, buttons }: TemplateDraft) =>
    JSON.stringify([
      [language, header?.type, header?.text ?? "", body, footer ?? ""],
      buttons.map(({ type, title, url, phone }) => [type, title, url ?? "", phone ?? ""]),
    ]);
  return words(one) === words(other);
}

// A message at the gateway: its chat's id has a bound, and so has its text.

/** Maximum characters of `external_chat_id` and `customer.external_id` at the gateway (contract). */
const GATEWAY_ID_LENGTH = 64;

/** The id as sent to the gateway: unchanged if it fits, else `h:` + base64url(sha256). */
export function fitGatewayId(id: string): string {
  if (id.length <= GATEWAY_ID_LENGTH || [...id].length <= GATEWAY_ID_LENGTH) return id;
  return `h:${hash("sha256", id, "base64url")}`;
}

/** Our own id of a further piece: the messenger knows only the whole message. */
export const pieceId = (message: MessengerMessageId, n: number): MessengerMessageId =>
  `piece:${fingerprint(`${message} ${n}`)}` as MessengerMessageId;

/** Whether an agent's act is about a further piece. */
export const isOnPiece = (act: OutboundAct): boolean =>
  (act.type === "message" ? act.quote?.messengerMessageId : act.messengerMessageId)?.startsWith("piece:") === true;

/** The gateway refuses a text without visible characters. */
const WORDS = inLanguages(
  { blank: "[a message of blanks only]" },
  { es: { blank: "[un mensaje solo de espacios]" }, ru: { blank: "[сообщение из одних пробелов]" } },
);

/** White space, and what shows as nothing. */
const BLANK = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

interface Fitting {
  writing: Pick<Writing, "text" | "note">;
  /** Of the agents. */
  language(): Language;
  /** Characters that come before the content's own. */
  before?: number;
}

/** A customer's content as the gateway takes it: what is too long follows as texts. */
export function fitted(content: Content, { writing, language, before = 0 }: Fitting): [Content, ...Content[]] {
  const words = wordsIn(content);
  if (content.type === "text" && BLANK.test(words.text)) return [{ type: "text", text: WORDS[language()].blank }];
  const first = Math.max(1, ("files" in content ? writing.note : writing.text) - before);
  if (words.text.length <= first) return [content];
  const [head, ...rest] = splitText(words, writing.text, { first });
  const begun = "files" in content ? { note: head?.text } : { text: head?.text ?? "" };
  return [{ ...content, ...begun, marks: head?.marks } as Content, ...rest.map(asText)];
}

const asText = ({ text, marks }: { text: string; marks: Content["marks"] }): Content => ({ type: "text", text, marks });
