import type { ChatId } from "gangway-messenger/ids";
import { describeChannel } from "gangway-messenger/kit/contract";
import { besideEmulator } from "gangway-messenger/kit/emulated";
import { describeProof } from "gangway-messenger/kit/proof";
import { DEMO_APP as APP } from "gangway-meta/emulator/demo-app";
import { signatureOf } from "gangway-meta/signature";
import { it } from "vitest";
import { expectSampleOfEach } from "../../../test/system/contract/kinds.ts";
import { broken, firstChat, stageOf, webhook } from "../../../test/system/contract/messaging.ts";
import { createEmulator, PAGE } from "../emulator/emulator.ts";
import { samples } from "../samples/samples.ts";
import { batch, echo, entryOf, message } from "../samples/wire.ts";
import facebook from "../src/index.ts";

const { settings, open } = besideEmulator(facebook, createEmulator, { verifyToken: "v".repeat(43) });
const hello = JSON.stringify(message({ text: "¡hola! 👋" }));
const signed = (doorUrl: string, body: string, signature?: string) =>
  webhook(doorUrl, body, signature ?? signatureOf(APP.secret, body));

/** Of messages: the published contract. */
const KINDS =
  "image video audio file location fallback template reel ig_reel sticker appointment_booking ig_post post".split(" ");

it("there is a sample of each kind of message that Messenger names, with what becomes of it", () => {
  expectSampleOfEach(KINDS, samples);
});

/** A page with a customer who has written. */
async function opened() {
  const all = await open();
  all.emulator.core.switches.set({ echoAfterMs: 0 });
  await all.session.connect(new AbortController().signal);
  const chat = firstChat(all.emulator);
  await all.emulator.customers.says(chat, { text: "hello" });
  return { ...all, chat };
}

/** The customer's id at the emulator differs with each world: the kit's `chat` is put there. */
const CHAT = "24500000000000017" as ChatId;
async function inKit() {
  const all = await open();
  all.emulator.core.switches.set({ echoAfterMs: 0 });
  const chat = firstChat(all.emulator);
  chat.scopedId = CHAT;
  await all.emulator.customers.says(chat, { text: "hello" });
  return all;
}

describeChannel({
  adapter: facebook,
  settings,
  chat: CHAT,
  makeContext: inKit,
  genuine:
    async (_, { doorUrl }) =>
    () =>
      signed(doorUrl, hello),
  forged: ({ doorUrl }) => [
    signed(doorUrl, hello, ""),
    signed(doorUrl, hello, signatureOf("0ther0a0p0p0000000000000000000ff", hello)),
    signed(doorUrl, hello, signatureOf(APP.secret, `${hello} `)),
    signed(doorUrl, hello, signatureOf(APP.secret, JSON.stringify(JSON.parse(hello), null, 1))),
  ],
  broken: async (_, { doorUrl }) => broken("page").map((body) => signed(doorUrl, body)),
  samples: Object.fromEntries(
    Object.entries(samples).map(
      ([
        name,
        {
          body,
          events: [event, ...also],
        },
      ]) => [
        name,
        {
          request: async (_, { doorUrl }) => signed(doorUrl, JSON.stringify(body)),
          event: event ?? { type: "message" },
          also,
        },
      ],
    ),
  ),
  echoes: async (_, { doorUrl, channelId }) =>
    [
      echo({ text: "hello", app_id: Number(APP.id), metadata: `gangway:${channelId}:one` }),
      echo({
        metadata: `gangway:${channelId}:two`,
        attachments: [{ type: "image", payload: { url: "https://x.example/" } }],
      }),
      batch(
        entryOf({
          sender: { id: PAGE.id },
          recipient: { id: CHAT },
          reaction: { mid: "m", action: "react", emoji: "👍" },
        }),
      ),
    ].map((body) => signed(doorUrl, JSON.stringify(body))),
});

describeProof({
  adapter: facebook,
  settings,
  shown: new URL("../src/shown.ts", import.meta.url),
  emoji: "👍",
  stage: async () => stageOf(await opened()),
});
