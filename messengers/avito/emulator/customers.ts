import { pictureSize } from "gangway-messenger/kit/emulator/picture";
import { sniff } from "gangway-messenger/kit/emulator/sniff";
import type { Platform } from "./platform.ts";
import { post, takeBack } from "./sending.ts";
import { type Account, type Chat, chatOf, type Item, type Message, type Person, sizesOf } from "./world.ts";

/** What a customer says: a text, or one of the other kinds. */
export interface Saying {
  text?: string;
  /** Bytes of a picture or of a voice message. */
  image?: Uint8Array;
  voice?: Uint8Array;
  /** Any other type with its content; `{}` for those that the API does not pass on. */
  type?: string;
  content?: Record<string, unknown>;
  /** Id of the message that is quoted. */
  quote?: string;
}

/** What people do in Avito. */
export interface Customers {
  chat(account: Account, person: Person, item?: Item): Chat;
  says(chat: Chat, saying: Saying): Promise<Message>;
  /** Takes a message of their own back. */
  deletes(chat: Chat, message: Message): Promise<void>;
  /** Reads what the account wrote. */
  reads(chat: Chat): void;
  /** The account's staff write in Avito itself. */
  staffSays(chat: Chat, text: string): Promise<Message>;
  staffDeletes(chat: Chat, message: Message): Promise<void>;
  /** Avito itself writes, in a chat of an account or in its own with that account. */
  avitoSays(account: Account, text: string, chat?: Chat): Promise<Message>;
}

/** Avito itself, as author. */
const AVITO = 1;

export function createCustomers(platform: Platform): Customers {
  const { world, clock, courier } = platform;
  const add = async (chat: Chat, message: Omit<Message, "id" | "at">): Promise<Message> => {
    const whole = { id: world.newId(), at: clock.now(), ...message };
    chat.messages.push(whole);
    chat.updatedAt = whole.at;
    await courier.bring(chat, whole);
    return whole;
  };
  return {
    chat: (account, person, item) => chatOf(world, clock.now(), { account, person, item }),
    says(chat, saying) {
      const quote = chat.messages.find(({ id }) => id === saying.quote);
      return add(chat, { author: chat.person.id, ...contentOf(platform, chat, saying), ...(quote && { quote }) });
    },
    deletes: (chat, message) => takeBack(platform, chat, message),
    reads({ messages, account }) {
      for (const each of messages) if (each.author === account.id) each.readAt ??= clock.now();
    },
    staffSays: (chat, text) => post(platform, chat, { type: "text", content: { text } }),
    staffDeletes: (chat, message) => takeBack(platform, chat, message),
    async avitoSays(account, text, chat) {
      const content = { text, flow_id: "seller_audience_discount" };
      if (chat) return add(chat, { author: AVITO, type: "system", content });
      const person = { n: 0, id: AVITO, name: "Avito", hasFace: false };
      const at = clock.now();
      const own: Chat = {
        ...{ id: `a2u-${world.newId().slice(0, 20)}`, type: "a2u", account, person },
        ...{ createdAt: at, updatedAt: at, messages: [], isBlocked: false },
      };
      world.chats.push(own);
      return add(own, { author: AVITO, type: "text", content: { text } });
    },
  };
}

function contentOf({ world, origin }: Platform, chat: Chat, saying: Saying): Pick<Message, "type" | "content"> {
  const { text, image, voice, type = "text", content } = saying;
  if (image) {
    const id = `${chat.person.id}.${world.newId()}`;
    world.bytes.put(id, image);
    const size = pictureSize(image) ?? { width: 640, height: 480 };
    world.pictures.set(id, { id, owner: chat.person.id, mediaType: sniff(image), ...size });
    return { type: "image", content: { image: { sizes: sizesOf(origin(), id) } } };
  }
  if (voice) {
    const id = world.newId();
    world.bytes.put(id, voice);
    world.voices.set(id, { chat });
    return { type: "voice", content: { voice: { voice_id: id } } };
  }
  return { type, content: content ?? { text: text ?? "" } };
}
