import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";
import type { Author, ChannelEvent, Content, Quote, Suggestion, TemplateUse } from "gangway-messenger/message";
import type { TemplateDraft } from "gangway-messenger/template";
import type { GatewayMessageId } from "./ids.ts";

export type EventOf<Type extends ChannelEvent["type"]> = Extract<ChannelEvent, { type: Type }>;
export type InboundMessage = EventOf<"message">;
export type LateFailure = EventOf<"failed">;
/** For the gateway. A failure is not: it ends a message of ours anew, and that message's ack tells the gateway. */
export type RelayedEvent = Exclude<ChannelEvent, LateFailure>;

/** Behind what came by itself. */
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

/** Only what was written counts as a message that waits or was not delivered, and a person decides on. */
export const countsAsMessage = (kind: string | null): boolean => kind !== null && WRITTEN[kind as Kind] === true;
export const MESSAGE_KINDS = (Object.keys(WRITTEN) as Kind[]).filter(countsAsMessage);

export type OutboundMessage = Extract<OutboundAct, { type: "message" }>;

/** What an agent did with a template. */
export type TemplateAct =
  | { do: "create"; draft: TemplateDraft }
  | { do: "edit"; code: string; draft: TemplateDraft }
  | { do: "delete"; code: string };

/** Whether customers read the same. The name is left out: the messenger may have changed it. */
export function sameWords(one: TemplateDraft, other: TemplateDraft): boolean {
  const words = ({ language, header, body, footer, buttons }: TemplateDraft) =>
    JSON.stringify([
      [language, header?.type, header?.text ?? "", body, footer ?? ""],
      buttons.map(({ type, title, url, phone }) => [type, title, url ?? "", phone ?? ""]),
    ]);
  return words(one) === words(other);
}
