import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";
import { describeChannel } from "gangway-messenger/kit/contract";
import { besideEmulator } from "gangway-messenger/kit/emulated";
import { describeProof, type Seen, type Stage } from "gangway-messenger/kit/proof";
import { FILES } from "gangway-messenger/kit/sending";
import { it } from "vitest";
import { expectSampleOfEach } from "../../../test/system/contract/kinds.ts";
import { createEmulator } from "../emulator/emulator.ts";
import type { Dialog, Message } from "../emulator/world.ts";
import { samples } from "../samples/samples.ts";
import { about, created, edited, messageOf, ours, written } from "../samples/wire.ts";
import max from "../src/index.ts";

const SECRET = "s".repeat(43);
const { settings, open } = besideEmulator(max, createEmulator, { webhookSecret: SECRET });

/** A bot whose emulator waits for nobody, with a customer who has started it. */
async function opened() {
  const all = await open();
  all.emulator.switches.set({ paced: false, notReady: 0 });
  // The emulator takes doors on this machine over http only.
  Object.assign(all.context, { doorUrl: "https://gangway.example/m/door" });
  const dialog = all.emulator.firstDialog();
  await all.session.connect(new AbortController().signal);
  await all.emulator.customers.starts(dialog);
  return { ...all, dialog };
}

const CHAT = "182184291" as ChatId;
const webhook = (doorUrl: string, body: string, secret: string | undefined = SECRET) =>
  new Request(doorUrl, { method: "POST", body, headers: secret ? { "x-max-bot-api-secret": secret } : {} });
const hello = written(created({ text: "hello" }));

/** Of messages: the published contract. */
const KINDS = "image video audio file sticker contact share location inline_keyboard data".split(" ");

it("there is a sample of each kind of message that MAX names, with what becomes of it", () => {
  const all = Object.entries(samples).map(([name, { body, event }]) => [name, { body, events: event ? [event] : [] }]);
  expectSampleOfEach(KINDS, Object.fromEntries(all));
});

describeChannel({
  adapter: max,
  settings,
  chat: CHAT,
  makeContext: opened,
  genuine:
    async (_, { doorUrl }) =>
    () =>
      webhook(doorUrl, hello),
  forged: ({ doorUrl }) => [
    webhook(doorUrl, hello, ""),
    webhook(doorUrl, hello, "t".repeat(43)),
    webhook(doorUrl, hello, `${SECRET}s`),
    webhook(doorUrl, hello, SECRET.slice(1)),
    new Request(doorUrl, { method: "POST", body: hello, headers: { authorization: SECRET } }),
  ],
  broken: async (_, { doorUrl }) =>
    [
      ...[
        "",
        "{",
        "[]",
        "null",
        "5",
        "{}",
        '{"update_type":"message_created"}',
        '{"update_type":"bot_flew","timestamp":1}',
      ],
      written({ ...created(), message: { ...messageOf(), body: {} } }),
      written(created({ text: "hi" }, { recipient: { chat_id: -5, chat_type: "chat" } })),
      written(created({ text: "hi" }, { sender: undefined })),
      ...["bot_added", "user_added", "dialog_muted", "dialog_cleared", "chat_title_changed"].map((type) =>
        written(about(type)),
      ),
      "[".repeat(200),
    ].map((body) => webhook(doorUrl, body)),
  samples: Object.fromEntries(
    Object.entries(samples).flatMap(([name, { body, event }]) =>
      event ? [[name, { request: async (_, { doorUrl }) => webhook(doorUrl, written(body)), event }]] : [],
    ),
  ),
  echoes: async (_, { doorUrl }) =>
    [
      { ...created(), message: ours() },
      { ...edited(), message: ours() },
    ].map((body) => webhook(doorUrl, written(body))),
});

const seenAs = (message: Message, { seenAt }: Dialog): Seen => {
  const { mid, text = "", attachments, link, isEdited, isDeleted, from, at } = message;
  const keys = attachments.flatMap(({ type, payload }) =>
    type === "inline_keyboard" ? ((payload?.buttons ?? []) as { text: string }[][]).flat() : [],
  );
  return {
    ...{ id: mid as MessengerMessageId, text },
    files: attachments.flatMap(({ type, filename }) => (type === "inline_keyboard" ? [] : String(filename ?? type))),
    buttons: keys.map((key) => key.text),
    ...{ quotes: link !== undefined, edited: isEdited, deleted: isDeleted },
    ...(from === "customer" && seenAt >= at && { status: "read" as const }),
  };
};

describeProof({
  adapter: max,
  settings,
  shown: new URL("../src/shown.ts", import.meta.url),
  async stage(): Promise<Stage> {
    const { session, atGateway, emulator, dialog, after } = await opened();
    const { customers } = emulator;
    const find = (id: string) => {
      const message = dialog.messages.find(({ mid }) => mid === id);
      if (!message) throw new Error(`there is no message ${id}`);
      return message;
    };
    return {
      ...{ session, atGateway, chat: String(dialog.chatId) as ChatId },
      seen: async () => dialog.messages.map((message) => seenAs(message, dialog)),
      customer: {
        says(kind, quote) {
          const reply = quote && { reply: find(quote) };
          if (kind === "text" || kind === "product" || kind === "order")
            return after(() => customers.says(dialog, { text: "hello", ...reply }));
          return after(() => customers.says(dialog, { files: [{ kind, ...FILES[kind] }], ...reply }));
        },
        edits: (_, id) => after(() => customers.edits(dialog, find(id), { text: "mended" })),
        deletes: (id) => after(() => customers.deletes(dialog, find(id))),
      },
    };
  },
});
