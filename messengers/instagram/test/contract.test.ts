import type { ChatId } from "gangway-messenger/ids";
import { describeChannel } from "gangway-messenger/kit/contract";
import { besideEmulator } from "gangway-messenger/kit/emulated";
import { describeProof } from "gangway-messenger/kit/proof";
import { FILES, textStep } from "gangway-messenger/kit/sending";
import type { SendStep } from "gangway-messenger/plan";
import { signatureOf } from "gangway-meta/signature";
import { describe, expect, it } from "vitest";
import { expectSampleOfEach } from "../../../test/system/contract/kinds.ts";
import { broken, firstChat, stageOf, webhook } from "../../../test/system/contract/messaging.ts";
import { ACCOUNT, APP, createEmulator } from "../emulator/emulator.ts";
import { samples } from "../samples/samples.ts";
import { batch, comment, echo, entryOf, event, message, ROBIN } from "../samples/wire.ts";
import instagram from "../src/index.ts";

const { settings, open } = besideEmulator(instagram, createEmulator, { verifyToken: "v".repeat(43), comments: true });
const hello = JSON.stringify(message({ text: "¡hola! 👋" }));
const signed = (doorUrl: string, body: string, signature?: string) =>
  webhook(doorUrl, body, signature ?? signatureOf(APP.secret, body));
const fresh = () => new AbortController().signal;

/** Of messages: the published contract. */
const KINDS =
  "image video audio file share story_mention ig_post ig_reel reel ephemeral animated_media like_heart template unsupported_type story appointment_booking ig_story".split(
    " ",
  );

it("there is a sample of each kind of message that Instagram names, with what becomes of it", () => {
  expectSampleOfEach(KINDS, samples);
});

/** An account whose app calls the channel's door, and a customer who has written. */
async function opened() {
  const all = await open();
  const { emulator, context, session } = all;
  emulator.core.switches.set({ echoAfterMs: 0 });
  const app = emulator.core.apps.find(APP.id);
  if (app) app.webhook = { url: context.doorUrl, verifyToken: "v".repeat(43) };
  const chat = firstChat(emulator);
  chat.scopedId = ROBIN;
  await session.connect(fresh());
  await emulator.customers.says(chat, { text: "hello" });
  return { ...all, chat };
}

describeChannel({
  adapter: instagram,
  settings,
  chat: ROBIN as ChatId,
  makeContext: opened,
  genuine:
    async (_, { doorUrl }) =>
    () =>
      signed(doorUrl, hello),
  forged: ({ doorUrl }) => [
    signed(doorUrl, hello, ""),
    signed(doorUrl, hello, signatureOf("of-another-app", hello)),
    signed(doorUrl, hello, signatureOf(APP.secret, `${hello} `)),
    signed(doorUrl, hello, signatureOf(APP.secret, JSON.stringify(JSON.parse(hello), null, 1))),
  ],
  broken: async (_, { doorUrl }) =>
    [
      ...broken("instagram"),
      // The console's button "Test".
      JSON.stringify(
        batch({
          id: "0",
          time: 1_661_141_837_537,
          messaging: [
            {
              sender: { id: "12334" },
              recipient: { id: "23245" },
              timestamp: "1527459824",
              message: { mid: "random_mid", text: "random_text" },
            },
          ],
        }),
      ),
      // An app in development reports new messages as edits, too.
      JSON.stringify(event({ message_edit: { mid: "aWd1", text: "hello", num_edit: 0 } })),
      JSON.stringify(comment({ text: "thanks", from: { id: ACCOUNT.id, username: ACCOUNT.username } })),
    ].map((body) => signed(doorUrl, body)),
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
          request: async (_, { doorUrl }) => signed(doorUrl, JSON.stringify(body)),
          event: first ?? { type: "message" },
          also,
        },
      ],
    ),
  ),
  async echoes(session, { doorUrl }) {
    const { parts } = await session.send(textStep(instagram, settings), { chat: ROBIN as ChatId, key: "one" }, fresh());
    const mid = parts[0].messengerMessageId;
    return [
      echo({ mid, text: "hello" }),
      batch(entryOf({ sender: { id: ACCOUNT.id }, recipient: { id: ROBIN }, reaction: { mid: "m", action: "react" } })),
    ].map((body) => signed(doorUrl, JSON.stringify(body)));
  },
});

const PDF = { bytes: Buffer.from("%PDF-1.4 terms"), mediaType: "application/pdf", name: "Условия.pdf" };
const SOUND = { bytes: Buffer.from("OggS voice"), mediaType: "audio/ogg", name: "voice.ogg" };
const files = { image: FILES.image, file: PDF, audio: SOUND };

describeProof({
  adapter: instagram,
  settings,
  shown: new URL("../src/shown.ts", import.meta.url),
  emoji: "❤️",
  files,
  stage: async () => stageOf(await opened(), files),
});

describe("a message of ours on Instagram", () => {
  it("is known by what it says when its echo comes before the answer, and staff's same words later are not", async () => {
    const { session, chat, emulator, after: eventsAfter } = await opened();
    const step: SendStep = { ...textStep(instagram, settings), text: "in stock" };
    const sent = await eventsAfter(() => session.send(step, { chat: ROBIN as ChatId, key: "k" }, fresh()));
    expect(sent).toEqual([]);
    const found = await session.lookup?.(step, { chat: ROBIN as ChatId, key: "k", since: 0 }, fresh());
    expect(found).toMatchObject({ found: "arrived", parts: [{ messengerMessageId: chat.messages.at(-1)?.mid }] });
    const staff = await eventsAfter(() => emulator.staffSays(chat, "in stock"));
    expect(staff).toMatchObject([{ originator: "channel", content: { text: "in stock" } }]);
  });

  it("has texts of at most 1,000 bytes, cut between graphemes", async () => {
    const { textUnit, text } = instagram.capabilities(instagram.settings.parse(settings));
    expect([textUnit, text]).toEqual(["bytes", 1_000]);
  });

  it("answers a comment in private, once, and whatever the window", async () => {
    const { session, chat, emulator, after: eventsAfter } = await opened();
    chat.wroteAt = 0;
    const { account, person } = chat;
    const [event] = await eventsAfter(() => emulator.customers.comments(account, person, "Price?"));
    expect(event).toMatchObject({ type: "message", content: { text: "Comment on your post:\nPrice?" } });
    const step: SendStep = { ...textStep(instagram, settings), text: "3 euros" };
    await session.send(step, { chat: ROBIN as ChatId, key: "k" }, fresh());
    expect([...emulator.platform.world.comments.values()].map(({ hasReply }) => hasReply)).toEqual([true]);
    await expect(session.send(step, { chat: ROBIN as ChatId, key: "k2" }, fresh())).rejects.toMatchObject({
      verdict: { type: "reject", code: "reply_timed_out" },
    });
  });
});
