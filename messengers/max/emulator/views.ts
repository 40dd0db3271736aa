import type { Attachment, Bot, Dialog, Message, Person } from "./world.ts";
import { nameOf } from "./world.ts";

// What the API and webhooks show. A `seq` has more digits than a double holds: it goes through JSON as a text.

const SEQ = "seq:";

/** JSON with `seq` as the number that it is. */
export const written = (body: unknown): string => JSON.stringify(body).replace(/"seq:(\d+)"/g, "$1");

const userView = (who: Person | Bot, now: number) => {
  const isBot = "token" in who;
  const name = isBot ? who.name : nameOf(who);
  return {
    user_id: who.id,
    first_name: isBot ? who.name : who.firstName,
    ...(!isBot && who.lastName && { last_name: who.lastName }),
    ...(who.username && { username: who.username }),
    is_bot: isBot,
    last_activity_time: now,
    name,
  };
};

/** In events of a bot and a dialog people have a picture. */
export const pictured = (person: Person, origin: string, now: number) => ({
  ...userView(person, now),
  avatar_url: `${origin}/avatars/${person.id}`,
  full_avatar_url: `${origin}/avatars/${person.id}`,
});

export const botView = (bot: Bot, now: number) => ({ ...userView(bot, now), description: "A bot of the sandbox" });

/** What parts a token from the mark of the view that showed it. */
const VIEW = "~";
let views = 0;

/** The upload's own token, of one that a view has shown. */
export const bareToken = (token: string): string => token.split(VIEW)[0] ?? token;

/** (u): pictures and files have another token in each view. */
function shownAnew(attachment: Attachment): Attachment {
  const { type, payload } = attachment;
  if ((type !== "image" && type !== "file") || typeof payload?.token !== "string") return attachment;
  views += 1;
  return { ...attachment, payload: { ...payload, token: `${payload.token}${VIEW}${views}` } };
}

export const bodyView = ({ mid, seq, text, attachments, markup }: Message) => ({
  mid,
  seq: `${SEQ}${seq}`,
  ...(text !== undefined && { text }),
  ...(attachments.length > 0 && { attachments: attachments.map(shownAnew) }),
  ...(markup.length > 0 && { markup }),
});

export function messageView(dialog: Dialog, message: Message, now: number) {
  const isOfBot = message.from === "bot";
  const { link } = message;
  return {
    recipient: {
      chat_id: dialog.chatId,
      chat_type: "dialog",
      user_id: isOfBot ? dialog.person.id : dialog.bot.id,
    },
    timestamp: message.at,
    body: bodyView(message),
    sender: userView(isOfBot ? dialog.bot : dialog.person, now),
    ...(link && {
      link: {
        type: link.type,
        message: bodyView(link.message),
        ...(link.sender && { sender: userView(link.sender, now) }),
        chat_id: dialog.chatId,
      },
    }),
  };
}

export const chatView = (dialog: Dialog, origin: string, now: number) => ({
  chat_id: dialog.chatId,
  type: "dialog",
  status: dialog.status === "suspended" ? "suspended" : "active",
  last_event_time: dialog.messages.at(-1)?.at ?? now,
  participants_count: 2,
  is_public: false,
  dialog_with_user: pictured(dialog.person, origin, now),
});
