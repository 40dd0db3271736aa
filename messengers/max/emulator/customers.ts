import { randomText } from "gangway-messenger/kit/emulator/random";
import { sniff } from "gangway-messenger/kit/emulator/sniff";
import { photoId } from "./body-shape.ts";
import { addUpload } from "./operations.ts";
import type { Platform } from "./platform.ts";
import { messageView, pictured } from "./views.ts";
import {
  type Attachment,
  addMessage,
  type Bot,
  type Dialog,
  dialogOf,
  type Markup,
  type Message,
  type Person,
  vcardOf,
} from "./world.ts";

export interface Said {
  text?: string;
  markup?: Markup[];
  /** `kind`: image, video, audio or file; absent: by its bytes. */
  files?: { kind?: string; name: string; mediaType?: string; bytes: Uint8Array }[];
  /** As on the wire. */
  attachments?: Attachment[];
  /** A message that it answers, or passes on. */
  reply?: Message;
  forward?: { message: Message; sender: Person };
}

/** What people do. Each resolves when the webhook's first try is over; throws an Error for a person's mistake. */
export interface Customers {
  dialog(bot: Bot, person: Person): Dialog;
  /** By the button, or a link with a payload. */
  starts(dialog: Dialog, payload?: string): Promise<void>;
  stops(dialog: Dialog): Promise<void>;
  says(dialog: Dialog, said: Said): Promise<Message>;
  edits(dialog: Dialog, message: Message, change: Pick<Said, "text" | "files">): Promise<void>;
  deletes(dialog: Dialog, message: Message): Promise<void>;
  /** A callback's payload, of a button below the bot's message. */
  presses(dialog: Dialog, message: Message, payload: string): Promise<void>;
  sharesContact(dialog: Dialog): Promise<Message>;
}

export function createCustomers(platform: Platform): Customers {
  const { world, clock, origin } = platform;
  const post = (dialog: Dialog, type: string, more: object) => {
    const update = { update_type: type, timestamp: clock.now(), ...more };
    return platform.courier.post(dialog.bot, update);
  };
  const aboutMessage = (dialog: Dialog, type: string, message: Message) =>
    post(dialog, type, {
      message: messageView(dialog, message, clock.now()),
      ...(type === "message_created" && { user_locale: dialog.person.locale }),
    });
  const aboutDialog = (dialog: Dialog, type: string, more: object = {}) =>
    post(dialog, type, {
      chat_id: dialog.chatId,
      user: pictured(dialog.person, origin(), clock.now()),
      user_locale: dialog.person.locale,
      ...more,
    });
  const own = (message: Message) => {
    if (message.from !== "customer" || message.isDeleted) throw new Error("This message cannot be changed");
  };
  const says: Customers["says"] = async (dialog, said) => {
    if (dialog.status === "suspended") throw new Error("The person has stopped the bot");
    // Who writes has pressed Start before.
    dialog.status = "active";
    const message = addMessage(dialog, clock.now(), { from: "customer", ...shownOf(platform, dialog, said) });
    await aboutMessage(dialog, "message_created", message);
    return message;
  };
  return {
    dialog: (bot, person) => dialogOf(world, bot, person),
    async starts(dialog, payload) {
      dialog.status = "active";
      await aboutDialog(dialog, "bot_started", payload === undefined ? {} : { payload });
    },
    async stops(dialog) {
      dialog.status = "suspended";
      await aboutDialog(dialog, "bot_stopped");
    },
    says,
    async edits(dialog, message, { text, files }) {
      own(message);
      message.isEdited = true;
      if (text !== undefined) Object.assign(message, { text, markup: [] });
      if (files) message.attachments = attachmentsOf(platform, { files });
      await aboutMessage(dialog, "message_edited", message);
    },
    async deletes(dialog, message) {
      own(message);
      message.isDeleted = true;
      await post(dialog, "message_removed", {
        ...{ message_id: message.mid, chat_id: dialog.chatId, user_id: dialog.person.id },
      });
    },
    async presses(dialog, message, payload) {
      const { locale } = dialog.person;
      const {
        last_activity_time,
        avatar_url: _,
        full_avatar_url: __,
        ...user
      } = pictured(dialog.person, "", clock.now());
      const callback = {
        ...{ timestamp: clock.now(), callback_id: randomText(100, platform.random), payload },
        user: { ...user, last_activity_time },
      };
      const view = messageView(dialog, message, clock.now());
      if (platform.switches().callbackChatId === "zero") view.recipient.chat_id = 0;
      await post(dialog, "message_callback", { callback, message: view, user_locale: locale });
    },
    sharesContact: (dialog) => {
      const { id, firstName } = dialog.person;
      const max_info = { user_id: id, first_name: firstName, is_bot: false, last_activity_time: clock.now() };
      return says(dialog, {
        attachments: [{ type: "contact", payload: { vcf_info: vcardOf(dialog.person), max_info } }],
      });
    },
  };
}

function shownOf(platform: Platform, dialog: Dialog, said: Said): Partial<Message> {
  const { text, markup = [], reply, forward } = said;
  const sender = reply?.from === "bot" ? dialog.bot : dialog.person;
  return {
    ...(text !== undefined && { text }),
    markup,
    attachments: attachmentsOf(platform, said),
    ...(reply && { link: { type: "reply" as const, message: reply, sender } }),
    ...(forward && { link: { type: "forward" as const, ...forward } }),
  };
}

const KINDS = ["image", "video", "audio"];

function attachmentsOf(platform: Platform, { files = [], attachments = [] }: Pick<Said, "files" | "attachments">) {
  const made = files.map(({ kind, name, mediaType, bytes }): Attachment => {
    const type = mediaType ?? sniff(bytes);
    const [family = ""] = type.split("/");
    const as = kind ?? (KINDS.includes(family) ? family : "file");
    const { token, medium } = addUpload(platform, { kind: as, name, mediaType: type, bytes }, undefined, true);
    const payload = { url: `${platform.origin()}/files/${medium}`, token };
    if (as === "image") return { type: as, payload: { photo_id: photoId(medium), ...payload } };
    return as === "file" ? { type: as, payload, filename: name, size: bytes.byteLength } : { type: as, payload };
  });
  return [...made, ...attachments];
}
