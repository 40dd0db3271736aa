import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";
import { describeChannel, type Sample } from "gangway-messenger/kit/contract";
import { besideEmulator } from "gangway-messenger/kit/emulated";
import { describeProof, type Seen, type Stage } from "gangway-messenger/kit/proof";
import { FILES } from "gangway-messenger/kit/sending";
import { expect, it } from "vitest";
import { expectSampleOfEach } from "../../../test/system/contract/kinds.ts";
import { createEmulator, type VkEmulator } from "../emulator/emulator.ts";
import type { Chat, Message } from "../emulator/world.ts";
import { samples } from "../samples/samples.ts";
import { CUSTOMER, event, GROUP, newMessage, reply, SECRET, wireMessage } from "../samples/wire.ts";
import vk from "../src/index.ts";
import { oursKey } from "../src/notes.ts";

const { settings, open } = besideEmulator(vk, createEmulator, { webhookSecret: SECRET });
const CHAT = String(CUSTOMER) as ChatId;
const hello = newMessage({ text: "hello" });
const post = (doorUrl: string, body: unknown) =>
  new Request(doorUrl, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) });

/** Of messages: the published contract. */
const KINDS =
  "photo audio video video_playlist doc link market gift sticker wall wall_reply article poll podcasts call graffiti audio_message".split(
    " ",
  );

it("there is a sample of each kind of attachment that VK names, with what becomes of it", () => {
  const named = Object.fromEntries(
    Object.entries(samples).map(([name, { body, events }]) => [name, { body, events: [...events] }]),
  );
  expectSampleOfEach(KINDS, named);
  expect(Object.keys(named).length).toBeGreaterThan(40);
});

/** VK does not wait, and counts no calls: the kit's clock stands still. */
async function quick() {
  const all = await open();
  all.emulator.core.switches.set({ callsPerSecond: 0, echoAfterMs: 0 });
  return all;
}
/** With a customer who has written. */
async function opened() {
  const all = await quick();
  await all.emulator.customers.says(all.emulator.chat(), { text: "hello" });
  return all;
}

describeChannel({
  adapter: vk,
  settings,
  chat: CHAT,
  makeContext: opened,
  genuine:
    async (_, { doorUrl }) =>
    () =>
      post(doorUrl, hello),
  forged: ({ doorUrl }) => [
    post(doorUrl, { ...hello, secret: "" }),
    post(doorUrl, { ...hello, secret: undefined }),
    post(doorUrl, { ...hello, secret: `${SECRET.slice(1)}t` }),
    post(doorUrl, { ...hello, secret: [SECRET] }),
    post(doorUrl, { ...hello, group_id: GROUP + 1 }),
    post(doorUrl, { type: "confirmation", group_id: GROUP + 1 }),
    post(doorUrl, { type: "confirmation", group_id: GROUP, secret: "wrong" }),
    ...["type", "secret", "event_id"].map((name) =>
      post(doorUrl, { ...hello, secret: "", [name]: { length: { toString: 1 } } }),
    ),
    post(doorUrl, ""),
    post(doorUrl, "{"),
    post(doorUrl, "[".repeat(200)),
  ],
  broken: async (_, { doorUrl }) => [
    ...[{}, [], null, "x", 5, { message: {} }, { message: { text: "hello" } }].map((object) =>
      post(doorUrl, event("message_new", object as object)),
    ),
    post(doorUrl, newMessage({ text: "hello", conversation_message_id: 0 })),
    post(doorUrl, newMessage({ text: "hello", peer_id: 2_000_000_279 })),
    post(doorUrl, newMessage({ text: "hello", peer_id: -5 })),
    post(doorUrl, event("message_reply", {})),
    post(doorUrl, event("message_typing_state", { state: "typing", from_id: CUSTOMER, to_id: -GROUP })),
    post(doorUrl, event("message_allow", { user_id: CUSTOMER, key: "" })),
    post(doorUrl, event("event_of_tomorrow", {})),
    post(doorUrl, event("constructor", {})),
    post(
      doorUrl,
      event("message_event", { event_id: { length: { toString: 1 } }, user_id: CUSTOMER, peer_id: CUSTOMER }),
    ),
    post(doorUrl, event("message_read", { from_id: CUSTOMER, peer_id: CUSTOMER, read_message_id: 999_999 })),
    post(doorUrl, event("message_reaction_event", { reacted_id: -GROUP, peer_id: CUSTOMER, cmid: 41, reaction_id: 1 })),
    new Request(doorUrl),
  ],
  samples: Object.fromEntries(
    Object.entries(samples).map(
      ([
        name,
        {
          body,
          events: [first, ...also],
        },
      ]) => [
        name,
        {
          request: async (_, { doorUrl }) => post(doorUrl, body),
          event: first as Sample["event"],
          also: also as Sample["event"][],
        },
      ],
    ),
  ),
  async echoes(_, { doorUrl, notes }) {
    await notes.set([{ key: oursKey(CHAT, 55), value: "one" }]);
    return [
      post(doorUrl, reply({ random_id: 55 })),
      post(doorUrl, event("message_edit", wireMessage({ from_id: -GROUP, out: 1, text: "new", random_id: 55 }))),
      // Nobody's name, and no random_id: a program's.
      post(doorUrl, reply({ random_id: undefined })),
    ];
  },
});

const find = ({ messages }: Chat, id: string): Message => {
  const message = messages.find(({ cmid }) => `${CUSTOMER}:${cmid}` === id);
  if (!message) throw new Error(`there is no message ${id}`);
  return message;
};
const AS = { image: "photo", file: "doc", audio: "audio_message" } as const;
/** Of VK's reactions. */
const LIKE = 4;

function seenAs(message: Message, { readBy }: Chat): Seen {
  const { cmid, text, attachments, keyboard, reply: quote, editedAt, isDeleted, reactions, from } = message;
  return {
    id: `${CUSTOMER}:${cmid}` as MessengerMessageId,
    ...{ text, files: attachments.map(({ type }) => type), quotes: quote !== undefined },
    buttons: keyboard?.buttons.flat().map(({ action }) => String(action.label)) ?? [],
    ...{ edited: editedAt !== undefined, deleted: isDeleted === true },
    ...(reactions.community === LIKE && { reaction: "👍" }),
    ...(from === "customer" && readBy.community >= cmid && { status: "read" as const }),
  };
}

function stageOf({
  emulator,
  session,
  atGateway,
  after,
}: Awaited<ReturnType<typeof opened>> & { emulator: VkEmulator }): Stage {
  const { customers } = emulator;
  const chat = emulator.chat();
  return {
    ...{ session, atGateway, chat: CHAT },
    seen: async () => chat.messages.map((message) => seenAs(message, chat)),
    customer: {
      says(kind, quote) {
        const as = AS[kind as keyof typeof AS];
        const said = as ? { files: [{ as, ...FILES[kind as keyof typeof AS] }] } : { text: "hello" };
        return after(() => customers.says(chat, { ...said, ...(quote && { reply: find(chat, quote).cmid }) }));
      },
      edits: (_, id) => after(() => customers.edits(chat, find(chat, id), "mended")),
      reacts: (id) => after(() => customers.reacts(chat, find(chat, id), LIKE)),
      reads: (id) => after(() => customers.reads(chat, find(chat, id))),
    },
  };
}

describeProof({
  adapter: vk,
  settings,
  shown: new URL("../src/shown.ts", import.meta.url),
  emoji: "👍",
  async stage() {
    const all = await quick();
    await all.session.connect(new AbortController().signal);
    await all.emulator.customers.says(all.emulator.chat(), { text: "hello" });
    return stageOf(all);
  },
});
