import type { ChatId } from "gangway-messenger/ids";
import { describeChannel } from "gangway-messenger/kit/contract";
import { describeProof } from "gangway-messenger/kit/proof";
import { FILES } from "gangway-messenger/kit/sending";
import { expect, it } from "vitest";
import { expectSampleOfEach } from "../../../test/system/contract/kinds.ts";
import type { Saying } from "../emulator/customers.ts";
import { findMessage } from "../emulator/world.ts";
import { samples } from "../samples/samples.ts";
import { message, OWN } from "../samples/wire.ts";
import avito from "../src/index.ts";
import { oursKey } from "../src/notes.ts";
import { fresh, SECRET, seenOf, shop, webhook } from "./stage.ts";

const { settings, open } = shop();
const hello = JSON.stringify(message());

/** Of messages: the published document. */
const KINDS = "text image system item call link location deleted appCall file video voice".split(" ");

it("there is a sample of each kind of message that Avito names, with what becomes of it", () => {
  const told = { ...samples, system: { body: message({ type: "system" }), events: [{ type: "none", content: 0 }] } };
  expectSampleOfEach(KINDS, told);
  expect(samples["a message of Avito's chat bot"]?.events).toEqual([]);
});

const CHAT = "u2i-kit~1" as ChatId;

/** Its chat has the kit's id. Of that in the samples Avito knows nothing. */
async function inKit() {
  const all = await open();
  all.emulator.switches.set({ ownAfterMs: 0 });
  all.emulator.firstChat().id = CHAT;
  return all;
}

describeChannel({
  adapter: avito,
  settings,
  chat: CHAT,
  makeContext: inKit,
  genuine:
    async (_, { doorUrl }) =>
    () =>
      webhook(doorUrl, hello),
  forged: ({ doorUrl }) => [
    webhook(doorUrl, hello, ""),
    webhook(doorUrl, hello, "wrong"),
    webhook(doorUrl, hello, `${SECRET}/`),
    webhook(doorUrl, hello, SECRET.slice(1)),
    webhook(`${doorUrl}/${SECRET}`, hello, "x"),
    new Request(`${doorUrl}?${SECRET}`, { method: "POST", body: hello }),
    new Request(doorUrl),
  ],
  broken: async (_, { doorUrl }) => [
    ...["", "no json", "[]", "null", "{}", '{"payload":{}}', '{"payload":{"type":"message"}}'].map((body) =>
      webhook(doorUrl, body),
    ),
    webhook(doorUrl, JSON.stringify({ payload: { type: "tomorrow", value: {} } })),
    webhook(doorUrl, JSON.stringify(message({ chat_id: ".." }))),
    webhook(doorUrl, JSON.stringify(message({ id: null }))),
    new Request(`${doorUrl}/${SECRET}`),
    new Request(`${doorUrl}/${SECRET}`, { method: "DELETE" }),
  ],
  samples: Object.fromEntries(
    Object.entries(samples).flatMap(
      ([
        name,
        {
          body,
          events: [event, ...also],
        },
      ]) =>
        event
          ? [
              [
                name,
                {
                  request: async (_, { doorUrl }) => webhook(doorUrl, JSON.stringify(body)),
                  event: event as never,
                  also: also as never,
                },
              ],
            ]
          : [],
    ),
  ),
  async echoes(_, { doorUrl, notes }) {
    await notes.set([{ key: oursKey("m-1"), value: "k" }]);
    return [
      message({ id: "m-1", author_id: OWN }),
      ...Object.values(samples).flatMap(({ body, events }) => (events.length > 0 ? [] : [body])),
    ].map((body) => webhook(doorUrl, JSON.stringify(body)));
  },
});

const SAYS: Partial<Record<string, Saying>> = {
  text: { text: "hello" },
  image: { image: FILES.image.bytes },
  audio: { voice: FILES.audio.bytes },
};

describeProof({
  adapter: avito,
  settings,
  shown: new URL("../src/shown.ts", import.meta.url),
  async stage() {
    const { emulator, session, atGateway, after } = await open();
    emulator.switches.set({ ownAfterMs: 0 });
    await session.connect(fresh());
    const chat = emulator.firstChat();
    return {
      ...{ session, atGateway, chat: chat.id as ChatId },
      seen: async () => chat.messages.map((each) => seenOf(each, chat)),
      customer: {
        says: (kind, quote) =>
          after(async () =>
            emulator.customers.says(chat, {
              ...(SAYS[kind] ?? { type: "file", content: {} }),
              ...(quote && { quote }),
            }),
          ),
        deletes: (id) =>
          after(async () => {
            const found = findMessage(emulator.world, id);
            if (found) await emulator.customers.deletes(found.chat, found.message);
          }),
      },
    };
  },
});
