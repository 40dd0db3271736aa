import type { MessageKind } from "gangway-messenger/features";
import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";
import { describeChannel } from "gangway-messenger/kit/contract";
import { besideEmulator } from "gangway-messenger/kit/emulated";
import { describeProof, type Seen, type Stage } from "gangway-messenger/kit/proof";
import { FILES } from "gangway-messenger/kit/sending";
import { DEMO_APP } from "gangway-meta/emulator/demo-app";
import { SIGNATURE_HEADER, signatureOf } from "gangway-meta/signature";
import { it } from "vitest";
import { expectSampleOfEach } from "../../../test/system/contract/kinds.ts";
import * as acts from "../emulator/acts.ts";
import { createEmulator, type WhatsApp } from "../emulator/emulator.ts";
import { NUMBER_ID } from "../emulator/seed.ts";
import { type Review, review } from "../emulator/templates.ts";
import { type Chat, chatOf, type Message } from "../emulator/world.ts";
import { samples } from "../samples/samples.ts";
import { message, status } from "../samples/wire.ts";
import whatsapp from "../src/index.ts";

const { settings, open } = besideEmulator(whatsapp, createEmulator, { verifyToken: "v".repeat(43) });

const webhook = (doorUrl: string, body: string, signature = signatureOf(DEMO_APP.secret, body)) =>
  new Request(doorUrl, { method: "POST", body, headers: signature ? { [SIGNATURE_HEADER]: signature } : {} });
const hello = JSON.stringify(message({ type: "text", text: { body: "¡hola!" } }));

/** Of messages: the published contract. */
const KINDS =
  "text image video audio document sticker location contacts interactive button order voice reaction edit revoke system unsupported unknown".split(
    " ",
  );

it("there is a sample of each kind of message that WhatsApp names, with what becomes of it", () => {
  expectSampleOfEach(KINDS, samples);
});

describeChannel({
  adapter: whatsapp,
  settings,
  chat: "15550100042" as ChatId,
  makeContext: open,
  genuine:
    async (_, { doorUrl }) =>
    () =>
      webhook(doorUrl, hello),
  forged: ({ doorUrl }) => [
    webhook(doorUrl, hello, ""),
    webhook(doorUrl, hello, signatureOf("of-another-app", hello)),
    webhook(doorUrl, hello, signatureOf(DEMO_APP.secret, hello.replace("¡", "\\u00A1"))),
    webhook(doorUrl, hello, signatureOf(DEMO_APP.secret, `${hello}\n`)),
    webhook(doorUrl, hello, signatureOf(DEMO_APP.secret, hello).replace("sha256=", "")),
  ],
  broken: async (_, { doorUrl }) =>
    ["", "{", "[]", "null", "{}", '{"object":"page","entry":[]}', '{"object":1,"entry":[{}]}'].map((body) =>
      webhook(doorUrl, body),
    ),
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
          request: async (_, { doorUrl }) => webhook(doorUrl, JSON.stringify(body)),
          event: event ?? { type: "message" },
          also,
        },
      ],
    ),
  ),
  echoes: async (_, { doorUrl, channelId }) =>
    ["sent", "delivered"].map((name) =>
      webhook(doorUrl, JSON.stringify(status(name, { biz_opaque_callback_data: `gangway:${channelId}:one` }))),
    ),
});

describeProof({
  adapter: whatsapp,
  settings,
  shown: new URL("../src/sending/shown.ts", import.meta.url),
  emoji: "👍",
  stage,
});

const MEDIA: Partial<Record<MessageKind, acts.MediaKind>> = { image: "image", file: "document", audio: "voice" };

/** Robin, who has written to the shop's number. */
async function stage(): Promise<Stage> {
  const { emulator, session, atGateway, after } = await open();
  const { network } = emulator;
  await session.connect(new AbortController().signal);
  const chat = robinsChat(emulator);
  await emulator.says("hello");
  const found = (id: string): Message => {
    const message = network.world.messages.get(id)?.message;
    if (!message) throw new Error(`there is no message ${id}`);
    return message;
  };
  network.switches.set({ review: "hand" });
  return {
    session,
    atGateway,
    reviewers: reviewersOf(network),
    chat: chat.customer.userId as ChatId,
    seen: async () => chat.messages.map(seenOf),
    customer: {
      says: (kind, quote) =>
        after(async () => {
          const media = MEDIA[kind];
          const file = media && { ...FILES[kind as "image"], kind: media };
          await acts.write(network, chat, { quote, ...(file ? { media: file } : { text: "hello" }) });
        }),
      reacts: (id) => after(() => acts.react(network, chat, found(id), "👍")),
      reads: async (id) => {
        await network.idle();
        return (await after(() => acts.openChat(network, chat))).filter((event) => event.messengerMessageId === id);
      },
    },
  };
}

/** Meta's reviewers, and the reasons that they know. */
function reviewersOf(network: WhatsApp["network"]): Stage["reviewers"] {
  const decide = async (code: string, event: Review) => {
    for (const account of network.world.accounts.values())
      for (const template of account.templates.values())
        if (`${template.name}|${template.language}` === code) await review(network, account, template, event);
  };
  return {
    approve: (code) => decide(code, { event: "APPROVED" }),
    reject: (code, why) => decide(code, { event: "REJECTED", reason: why.toUpperCase() }),
  };
}

function robinsChat({ network: { world } }: WhatsApp): Chat {
  const number = world.numbers.get(NUMBER_ID);
  const [robin] = world.customers;
  if (!number || !robin) throw new Error("the emulator is empty");
  return chatOf(world, number, robin);
}

interface Interactive {
  type: string;
  body?: { text: string };
  header?: Record<string, { id?: string }> & { type: string };
  action: {
    buttons?: { reply: { title: string } }[];
    sections?: { rows: { title: string }[] }[];
    parameters?: { display_text: string };
  };
}

function seenOf({ id, content, medium, quote, status, reactions, isEdited, isRevoked }: Message): Seen {
  // A template's text stands beside it.
  const { type, interactive, text } = content as { type: string; interactive?: Interactive; text?: { body: string } };
  const part = content[type] as { body?: string; caption?: string; link?: string } | undefined;
  const { buttons = [], sections = [], parameters } = interactive?.action ?? {};
  const file = medium?.name ?? part?.link;
  return {
    id: id as MessengerMessageId,
    text: interactive?.body?.text ?? text?.body ?? part?.caption ?? "",
    files: file && type !== "text" ? [file] : [],
    buttons: [
      ...buttons.map(({ reply }) => reply.title),
      ...sections.flatMap(({ rows }) => rows.map(({ title }) => title)),
      ...(parameters ? [parameters.display_text] : []),
    ],
    ...(interactive?.type === "request_contact_info" && { asksFor: "phone" as const }),
    quotes: quote !== undefined,
    edited: isEdited,
    deleted: isRevoked,
    reaction: reactions.business,
    ...(status === "read" && { status }),
  };
}
