import { afterEach, describe, expect, it } from "vitest";
import { listening } from "../../../../../test/support/listening.ts";
import { HARBOUR_BOT_TOKEN } from "../../../emulator/telegram.ts";
import { UPDATE_KINDS, type Update } from "../../../emulator/wire.ts";
import { HARBOUR, kindsOf, opened, ROBIN, until, WREN } from "../stage.ts";
import { CLIENTS } from "./clients.ts";
import { KEYS, PICTURE } from "./scene.ts";

type Set = Awaited<ReturnType<typeof opened>>;

/** People's actions and the updates they cause. */
const ACTIONS: readonly { what: string; kind: string; does(set: Set): unknown; heard: object }[] = [
  {
    what: "writes",
    kind: "message",
    does: ({ phone }) =>
      phone.send(ROBIN, HARBOUR, { text: "spring #1", marks: [{ type: "bold", offset: 0, length: 6 }] }),
    heard: { text: "spring #1", entities: [{ type: "bold", offset: 0, length: 6 }], from: { id: ROBIN } },
  },
  {
    what: "sends a photo",
    kind: "message",
    does: ({ phone, world }) => {
      const { key } = world.files.add({ name: "sea.png", mediaType: "image/png", bytes: PICTURE });
      phone.send(ROBIN, HARBOUR, { text: "The sea", media: [{ kind: "photo", file: key }] });
    },
    heard: { caption: "The sea", photo: [{ width: 90 }, { width: 200 }] },
  },
  {
    what: "quotes",
    kind: "message",
    does: ({ phone }) => phone.send(ROBIN, HARBOUR, { text: "this", replyTo: 1, quote: { text: "ell" } }),
    heard: { reply_to_message: { text: "hello" }, quote: { text: "ell", position: 1, is_manual: true } },
  },
  {
    what: "changes a message",
    kind: "edited_message",
    does: ({ phone }) => phone.edit(ROBIN, HARBOUR, 1, "changed"),
    heard: { message_id: 1, text: "changed", edit_date: expect.any(Number) },
  },
  {
    what: "presses a button",
    kind: "callback_query",
    async does({ phone, text }) {
      const { result } = await text("Choose", { reply_markup: KEYS });
      phone.press(ROBIN, HARBOUR, result.message_id, "one");
    },
    heard: { data: "one", from: { id: ROBIN }, message: { text: "Choose", reply_markup: KEYS } },
  },
  {
    what: "reacts",
    kind: "message_reaction",
    does: ({ phone }) => phone.react(ROBIN, HARBOUR, 1, "👍"),
    heard: { message_id: 1, user: { id: ROBIN }, old_reaction: [], new_reaction: [{ type: "emoji", emoji: "👍" }] },
  },
  {
    what: "gives something",
    kind: "message",
    does: ({ phone }) => phone.send(ROBIN, HARBOUR, { gift: { stars: 5 } }),
    heard: { gift: { gift: { star_count: 5 } } },
  },
  {
    what: "lets the bot in",
    kind: "business_connection",
    does: ({ control }) => control("business", "POST", { bot: HARBOUR, owner: WREN }),
    heard: { user: { id: WREN }, is_enabled: true, rights: { can_reply: true } },
  },
  {
    what: "writes to the one who let it in",
    kind: "business_message",
    does: ({ phone }) => phone.send(ROBIN, WREN, { text: "Open?" }),
    heard: { text: "Open?", chat: { id: ROBIN }, business_connection_id: expect.any(String) },
  },
  {
    what: "takes it back",
    kind: "deleted_business_messages",
    does: ({ phone }) => phone.erase(ROBIN, WREN, 1),
    heard: { message_ids: [1], chat: { id: ROBIN } },
  },
  {
    what: "posts in a channel",
    kind: "channel_post",
    async does({ control }) {
      const made = await control("channels", "POST", { title: "News", bot: HARBOUR });
      const { id } = (await made.json()) as { id: number };
      await control(`channels/${id}/posts`, "POST", { text: "news" });
    },
    heard: { text: "news", sender_chat: { title: "News" } },
  },
  {
    what: "blocks the bot",
    kind: "my_chat_member",
    does: ({ phone }) => phone.block(ROBIN, HARBOUR, true),
    heard: { old_chat_member: { status: "member" }, new_chat_member: { status: "kicked" } },
  },
];

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

describe.each(CLIENTS)("$name", ({ make }) => {
  async function connected() {
    const set = await opened();
    await set.call("deleteWebhook", { drop_pending_updates: true });
    const heard: Update[] = [];
    const hear = (update: Update) => void heard.push(update);
    const client = make({ token: HARBOUR_BOT_TOKEN, apiRoot: set.origin });
    return { ...set, client, heard, hear };
  }

  async function does(set: Awaited<ReturnType<typeof connected>>) {
    for (const { what, kind, does, heard } of ACTIONS) {
      const before = set.heard.length;
      await does(set);
      await until(() => set.heard.length > before);
      expect(set.heard[before]?.[kind as "message"], what).toMatchObject(heard);
    }
    expect(kindsOf(set.heard)).toEqual(ACTIONS.map(({ kind }) => kind));
    const { entries } = set.telegram.calls.list();
    expect(entries.flatMap(({ faults }) => faults)).toEqual([]);
  }

  it("receives all actions of people by polling", async () => {
    const set = await connected();
    ending.push(await set.client.poll(UPDATE_KINDS, set.hear));
    await does(set);
  });

  it("receives all actions of people by a webhook with a secret", async () => {
    const set = await connected();
    const site = await listening(set.client.hook("/hook", "s3cret_-", set.hear));
    const parameters = { secret_token: "s3cret_-", allowed_updates: UPDATE_KINDS, drop_pending_updates: true };
    await set.call("setWebhook", { url: `${site}/hook`, ...parameters });
    await does(set);
  });

  it("answers in the webhook's answer", async () => {
    const set = await connected();
    const site = await listening(set.client.hook("/hook", "s3cret_-", set.hear, "yes"));
    await set.call("setWebhook", { url: `${site}/hook`, secret_token: "s3cret_-", drop_pending_updates: true });
    set.phone.send(ROBIN, HARBOUR, { text: "are you there?" });
    await until(() => set.shown().at(-1)?.text === "yes");
    expect(set.shown().at(-1)?.from).toBe("bot");
  });

  it("fetches a file that a person sent", async () => {
    const { world, phone, updates, client } = await connected();
    const { key } = world.files.add({ name: "sea.png", mediaType: "image/png", bytes: PICTURE });
    phone.send(ROBIN, HARBOUR, { media: [{ kind: "document", file: key }] });
    const [heard] = (await updates({ offset: -1 })) as { message: { document: { file_id: string } } }[];
    expect((await client.file(heard?.message.document.file_id ?? "")).equals(PICTURE)).toBe(true);
  });
});
