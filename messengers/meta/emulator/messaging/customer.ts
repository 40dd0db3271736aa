import { randomInt } from "node:crypto";
import { addMessage, chatOf } from "./chats.ts";
import { announce, fromCustomer, post, read } from "./events.ts";
import type { Platform } from "./network.ts";
import { type Said, says, wrote } from "./saying.ts";
import { type Account, type Chat, type Comment, findMessage, type Message, type Person } from "./world.ts";

/** How long after its sending a message can be edited, and how often. */
const EDIT_WITHIN_MS = 15 * 60_000;
const MAX_EDITS = 5;

/** What the people of a network do. Each resolves when the webhook's first try is over; throws an Error for a person's mistake. */
export interface Customers {
  chat(account: Account, person: Person): Chat;
  says(chat: Chat, said: Said): Promise<Message>;
  edits(message: Message, text: string): Promise<void>;
  unsends(message: Message): Promise<void>;
  /** `undefined` takes the reaction back. */
  reacts(message: Message, reaction: { reaction: string; emoji?: string } | undefined): Promise<void>;
  /** A button's payload; `mid` of the message that has it. */
  presses(chat: Chat, postback: { title?: string; payload: string; referral?: object }): Promise<void>;
  /** By a link with `ref`, or an ad, into a chat that exists. */
  arrives(chat: Chat, referral: object): Promise<void>;
  opens(chat: Chat): Promise<void>;
  comments(account: Account, person: Person, text: string): Promise<Comment>;
}

export function createCustomers(platform: Platform): Customers {
  const { core, network, world } = platform;
  const own = (message: Message): Chat => {
    const found = findMessage(world, message.mid);
    if (!found || message.from !== "customer" || message.isDeleted) throw new Error("This message cannot be changed");
    return found.chat;
  };
  return {
    chat: (account, person) => chatOf(platform, account, person),
    says: (chat, said) => says(platform, chat, said),
    async edits(message, text) {
      const chat = own(message);
      if (message.edits >= MAX_EDITS) throw new Error("This message has been edited five times");
      if (core.clock.now() - message.at > EDIT_WITHIN_MS) throw new Error("This message is too old to be edited");
      message.edits += 1;
      message.text = text;
      const message_edit = { mid: message.mid, text, num_edit: message.edits };
      await announce(platform, chat, network.events.edit, fromCustomer(platform, chat, { message_edit }));
    },
    async unsends(message) {
      const chat = own(message);
      message.isDeleted = true;
      const gone = { mid: message.mid, is_deleted: true };
      await announce(platform, chat, network.events.message, fromCustomer(platform, chat, { message: gone }));
    },
    async reacts(message, reaction) {
      const found = findMessage(world, message.mid);
      if (!found) throw new Error("There is no such message");
      const { mid } = message;
      if (reaction) message.reactions.customer = reaction;
      else delete message.reactions.customer;
      const change = reaction ? { mid, action: "react", ...reaction } : { mid, action: "unreact" };
      await announce(
        platform,
        found.chat,
        network.events.reaction,
        fromCustomer(platform, found.chat, { reaction: change }),
      );
    },
    async presses(chat, { title, payload, referral }) {
      wrote(platform, chat);
      const pressed = { from: "customer" as const, at: core.clock.now(), text: title, isDelivered: true };
      const postback = {
        // Its title stands in the chat, as a message.
        mid: title === undefined ? network.newMid(core.random) : addMessage(platform, chat, pressed).mid,
        ...(title && { title }),
        payload,
        ...(referral && { referral }),
      };
      await announce(platform, chat, network.events.postback, fromCustomer(platform, chat, { postback }));
    },
    async arrives(chat, referral) {
      wrote(platform, chat);
      await announce(platform, chat, network.events.referral, fromCustomer(platform, chat, { referral }));
    },
    opens: (chat) => read(platform, chat),
    comments: (account, person, text) => comments(platform, account, person, text),
  };
}

async function comments(platform: Platform, account: Account, person: Person, text: string): Promise<Comment> {
  const { core, world } = platform;
  const id = `178${randomInt(10 ** 11, 10 ** 12)}00`;
  const comment: Comment = { id, account, person, text, at: core.clock.now(), hasReply: false };
  world.comments.set(id, comment);
  const { scopedId } = chatOf(platform, account, person);
  const value = {
    id,
    from: { id: scopedId, username: person.username },
    media: { id: "17900000000000001", media_product_type: "FEED" },
    text,
  };
  await post(platform, account, (_, fields) =>
    fields.has("comments") ? { changes: [{ field: "comments", value }] } : undefined,
  );
  return comment;
}
