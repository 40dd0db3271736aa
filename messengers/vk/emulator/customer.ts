import type { Core } from "./core.ts";
import { echoOf } from "./methods/sending.ts";
import { keptDoc, keptPhoto, keptVoice } from "./methods/uploads.ts";
import { CLIENT_INFO, foreignMessage, wireMessage } from "./wire.ts";
import { type Attachment, addMessage, byCmid, type Chat, type Message } from "./world.ts";

export interface SaidFile {
  as: "photo" | "doc" | "audio_message";
  name: string;
  mediaType: string;
  bytes: Uint8Array;
}
export interface Said {
  text?: string;
  files?: SaidFile[];
  /** Others, as VK writes them. */
  attachments?: Attachment[];
  /** Cmid of what is answered. */
  reply?: number;
  /** Cmids of what is forwarded. */
  forwards?: number[];
  geo?: object;
  payload?: string;
  ref?: string;
  refSource?: string;
  isCropped?: boolean;
}
/** What people do. Each resolves when the first tries of its events are over. */
export interface Customers {
  says(chat: Chat, said: Said): Promise<Message>;
  edits(chat: Chat, message: Message, text: string): Promise<void>;
  /** Undefined: takes it back. */
  reacts(chat: Chat, message: Message, reaction: number | undefined): Promise<void>;
  /** All of it, or up to a message. */
  reads(chat: Chat, upTo?: Message): Promise<void>;
  allows(chat: Chat): Promise<void>;
  denies(chat: Chat): Promise<void>;
  /** A button of a message: a text is said, a callback is an event. */
  presses(chat: Chat, message: Message, label: string): Promise<void>;
  /** Staff answers on VK's own page. */
  staffSays(chat: Chat, text: string): Promise<Message>;
  staffEdits(chat: Chat, message: Message, text: string): Promise<void>;
}

/** A member of the community's staff. */
const STAFF = 100_000_900;

export function createCustomers(core: Core): Customers {
  const { clock, courier } = core;
  const event = (chat: Chat, type: string, object: object) => courier.post(chat.community, type, object);
  const says: Customers["says"] = async (chat, { text = "", files = [], attachments = [], forwards, ...more }) => {
    const kept = files.map((file) => stored(core, chat.person.id, file));
    const quoted = forwards?.flatMap((cmid) => {
      const found = byCmid(chat, cmid);
      return found ? [foreignMessage(chat, found)] : [];
    });
    const message = addMessage(chat, {
      ...{ from: "customer", text, attachments: [...kept, ...attachments], at: clock.now(), ...more },
      ...(quoted && { forwarded: quoted }),
    });
    Object.assign(chat, { isAllowed: true, isExpired: false });
    const object = { client_info: CLIENT_INFO, message: wireMessage(chat, message, { isWhole: false }) };
    await event(chat, "message_new", object);
    return message;
  };
  return {
    says,
    async edits(chat, message, text) {
      Object.assign(message, { text, editedAt: clock.now() });
      await event(chat, "message_edit", wireMessage(chat, message));
    },
    async reacts(chat, message, reaction) {
      message.reactions.customer = reaction;
      const about = { reacted_id: chat.person.id, peer_id: chat.person.id, cmid: message.cmid };
      await event(chat, "message_reaction_event", {
        ...about,
        ...(reaction !== undefined && { reaction_id: reaction }),
      });
    },
    async reads(chat, upTo = chat.messages.findLast(({ from }) => from === "community")) {
      if (!upTo) return;
      chat.readBy.customer = Math.max(chat.readBy.customer, upTo.cmid);
      const about = { from_id: chat.person.id, peer_id: chat.person.id, read_message_id: upTo.id };
      const { readNames } = core.switches.values();
      await event(chat, "message_read", { ...about, ...(readNames && { conversation_message_id: upTo.cmid }) });
    },
    async allows(chat) {
      chat.isAllowed = true;
      await event(chat, "message_allow", { user_id: chat.person.id, key: "" });
    },
    async denies(chat) {
      chat.isAllowed = false;
      await event(chat, "message_deny", { user_id: chat.person.id });
    },
    async presses(chat, message, label) {
      const button = message.keyboard?.buttons.flat().find(({ action }) => action.label === label);
      if (!button) throw new Error("There is no such button");
      const { type, payload } = button.action;
      if (type === "text")
        return void (await says(chat, { text: label, ...(payload !== undefined && { payload: textOf(payload) }) }));
      if (type !== "callback") return;
      const about = { user_id: chat.person.id, peer_id: chat.person.id, event_id: String(core.random()).slice(2, 14) };
      await event(chat, "message_event", { ...about, payload: payload ?? {}, conversation_message_id: message.cmid });
    },
    async staffSays(chat, text) {
      const message = addMessage(chat, { from: "community", text, at: clock.now(), admin: STAFF });
      await echoOf(core, chat, message);
      return message;
    },
    async staffEdits(chat, message, text) {
      Object.assign(message, { text, editedAt: clock.now() });
      await event(chat, "message_edit", wireMessage(chat, message));
    },
  };
}

const textOf = (payload: unknown): string => (typeof payload === "string" ? payload : JSON.stringify(payload));

function stored(core: Core, owner: number, { as, ...file }: SaidFile): Attachment {
  const kept = core.shelf.add(file);
  if (as === "photo") return { type: "photo", photo: keptPhoto(core, owner, kept) };
  return (as === "doc" ? keptDoc(core, owner, kept) : keptVoice(core, owner, kept)) as Attachment;
}
