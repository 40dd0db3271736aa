import { paintPng } from "gangway-messenger/kit/emulator/picture";
import type { Message } from "../../../emulator/wire.ts";
import { begun, HARBOUR, posted, ROBIN, staged, WREN } from "../stage.ts";

export const PICTURE = Buffer.from(paintPng(200, 100, [10, 90, 160]));
export const BYTES = Buffer.from("some bytes");
export const CAPTION = { caption: "a <b>word</b>", parse_mode: "HTML" as const };
export const PLACE = { latitude: 59.9, longitude: 30.3 };
export const APP = { type: "web_app" as const, text: "Shop", web_app: { url: "https://shop.example/" } };
export const KEYS = { inline_keyboard: [[{ text: "One", callback_data: "one" }]] };

export type Scene = Awaited<ReturnType<typeof createScene>>;

/**
 * A world where every method works: Robin has written to the bot, it administers a group of Robin and Wren, and Wren
 * connected it to the chat with Robin.
 */
export async function createScene() {
  const set = begun(await staged());
  const { phone, call, origin, control } = set;
  const group = phone.makeGroup({ title: "Crew", people: [ROBIN, WREN], bot: HARBOUR, admin: true });
  const [inGroup = 0] = phone.send(ROBIN, group, { text: "hello, crew" });
  const [asked = 0] = phone.send(ROBIN, WREN, { text: "Open?" });
  const rights = { can_reply: true, can_read_messages: true, can_delete_all_messages: true };
  const made = await control("business", "POST", { bot: HARBOUR, owner: WREN, rights });
  const { id: connection } = (await made.json()) as { id: string };
  const sent = async (method: string, more: object) =>
    (await call<Message>(method, { chat_id: ROBIN, ...more })).result.message_id;
  const words = (more: object = {}) => sent("sendMessage", { text: "before", ...more });
  const photo = async () => {
    const parts = { chat_id: String(ROBIN), photo: new Blob([Uint8Array.from(PICTURE)]), caption: "before" };
    return (await posted<Message>(origin, "sendPhoto", parts)).result.message_id;
  };
  return {
    ...set,
    group,
    inGroup,
    connection,
    asked,
    words,
    photo,
    live: () => sent("sendLocation", { ...PLACE, live_period: 900 }),
    poll: () => sent("sendPoll", { question: "Tea?", options: ["Yes", "No"] }),
    async pinned() {
      const message_id = await words();
      await call("pinChatMessage", { chat_id: ROBIN, message_id });
      return message_id;
    },
    /** The id of an unanswered callback query. */
    async pressed(): Promise<string> {
      phone.press(ROBIN, HARBOUR, await words({ reply_markup: KEYS }), "one");
      return [...set.world.rooms.values()].flatMap(({ callbacks }) => [...callbacks.keys()]).at(-1) ?? "";
    },
    /** The id of a file that Robin sent. */
    async file(): Promise<string> {
      const { key } = set.world.files.add({ name: "sea.png", mediaType: "image/png", bytes: PICTURE });
      phone.send(ROBIN, HARBOUR, { media: [{ kind: "photo", file: key }] });
      const [heard] = (await set.updates({ offset: -1 })) as { message: Message }[];
      return heard?.message.photo?.at(-1)?.file_id ?? "";
    },
  };
}
