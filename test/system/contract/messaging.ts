import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";
import type { Seen, Stage } from "gangway-messenger/kit/proof";
import { FILES } from "gangway-messenger/kit/sending";
import type { ChannelEvent, OpenFile } from "gangway-messenger/message";
import type { ChannelSession } from "gangway-messenger/port";
import type { Messaging } from "gangway-meta/emulator/messaging/emulator";
import { type Chat, emailOf, type Message, phoneOf } from "gangway-meta/emulator/messaging/world";
import { SIGNATURE_HEADER } from "gangway-meta/signature";

// What the contract tests of Messenger and Instagram share.

export const webhook = (doorUrl: string, body: string, signature: string) =>
  new Request(doorUrl, { method: "POST", body, headers: signature ? { [SIGNATURE_HEADER]: signature } : {} });

/** Bodies that bring nothing. */
export const broken = (object: string) => [
  "",
  "{",
  "[]",
  "null",
  "{}",
  '{"object":"whatsapp_business_account","entry":[]}',
  `{"object":"${object}","entry":[{}]}`,
  `{"object":"${object}","entry":[{"id":"0","messaging":[{}]}]}`,
  `{"object":"${object}","entry":[{"id":"9","messaging":[{"sender":{"id":"1"},"recipient":{"id":"9"},"message":{"mid":"m","text":"x"}}]}]}`,
];

export function firstChat({ platform, customers }: Pick<Messaging, "platform" | "customers">): Chat {
  const [account] = platform.world.accounts;
  const [person] = platform.world.people;
  if (!account || !person) throw new Error("the emulator is empty");
  return customers.chat(account, person);
}

interface Opened {
  emulator: Messaging;
  chat: Chat;
  session: ChannelSession;
  atGateway: Map<string, () => OpenFile>;
  after(act: () => Promise<unknown>): Promise<ChannelEvent[]>;
}
const KIND: Partial<Record<string, string>> = { image: "image", file: "file", audio: "audio" };

/** A customer with the network's app, who has written. */
export function stageOf({ emulator, chat, session, atGateway, after }: Opened, files = FILES): Stage {
  const { customers } = emulator;
  const find = (id: string): Message => {
    const message = chat.messages.find(({ mid }) => mid === id);
    if (!message) throw new Error(`there is no message ${id}`);
    return message;
  };
  return {
    session,
    atGateway,
    chat: chat.scopedId as ChatId,
    seen: async () => chat.messages.map((message) => seenOf(message, chat)),
    customer: {
      says(kind, quote) {
        const type = KIND[kind];
        const replyTo = quote && { replyTo: { mid: quote } };
        const said = type ? { files: [{ type, ...files[kind as "image"] }] } : { text: "hello" };
        return after(() => customers.says(chat, { ...said, ...replyTo }));
      },
      // Only texts can be edited there.
      edits: async (kind, id) => (kind === "text" ? after(() => customers.edits(find(id), "mended")) : []),
      deletes: (id) => after(() => customers.unsends(find(id))),
      reacts: (id) => after(() => customers.reacts(find(id), { reaction: "love", emoji: "❤️" })),
      reads: () => after(() => customers.opens(chat)),
    },
  };
}

interface Template {
  text?: string;
  buttons?: { title: string }[];
}

export function seenOf(message: Message, chat: Chat): Seen {
  const { mid, text, attachments, choices, replyTo, edits, isDeleted, reactions, at, from } = message;
  const template = attachments.find(({ type }) => type === "template")?.payload as Template | undefined;
  const files = attachments.filter(({ type }) => type !== "template");
  const given = reactions.account?.reaction;
  const reaction = given === "love" ? "❤️" : given;
  // The phone shows the person's own number or address in place of a title.
  const own: Record<string, string> = { [phoneOf(chat.person)]: "press phone", [emailOf(chat.person)]: "press email" };
  return {
    id: mid as MessengerMessageId,
    text: text ?? template?.text ?? "",
    files: files.map(({ type }) => type),
    buttons: [...choices, ...(template?.buttons ?? [])].map(({ title }) => own[title] ?? title),
    quotes: replyTo !== undefined,
    edited: edits > 0,
    deleted: isDeleted,
    ...(reaction && { reaction }),
    ...(from === "customer" && chat.seenAt >= at && { status: "read" as const }),
  };
}
