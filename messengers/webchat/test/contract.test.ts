import { randomUUID } from "node:crypto";
import type { HostedContext } from "gangway-messenger/hosted";
import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";
import { describeChannel, type Sample } from "gangway-messenger/kit/contract";
import { describeProof, type Seen } from "gangway-messenger/kit/proof";
import { FILES, HELLO, sendMessage } from "gangway-messenger/kit/sending";
import type { ChannelSession } from "gangway-messenger/port";
import { expect } from "vitest";
import { channelContext } from "../../../test/support/channel-context.ts";
import webchat from "../src/index.ts";
import type { Entry } from "../src/wire.ts";

const ID = "6b1f0c52-7d0e-4a0c-9a57-1f5c8c1d2e3f";
type Context = HostedContext<unknown>;
const fresh = () => new AbortController().signal;

async function token(session: ChannelSession, context: Context): Promise<string> {
  const { reply } = await session.receive(new Request(`${context.doorUrl}/open`, { method: "POST", body: "{}" }));
  return ((await reply.json()) as { visitor: string }).visitor;
}
const post = (context: Context, body: string, authorization?: string, path = "messages") =>
  new Request(`${context.doorUrl}/${path}`, { method: "POST", body, headers: authorization ? { authorization } : {} });

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const PDF = [0x25, 0x50, 0x44, 0x46];
const OGG = [0x4f, 0x67, 0x67, 0x53];
async function upload(context: Context, session: ChannelSession, authorization: string, name = "a.png") {
  const type = name.endsWith(".ogg") ? "audio/ogg" : "image/png";
  const headers = { authorization, "content-type": type, "x-file-name": name };
  const bytes = Uint8Array.from(name.endsWith(".pdf") ? PDF : name.endsWith(".ogg") ? OGG : PNG);
  const { reply } = await session.receive(
    new Request(`${context.doorUrl}/files`, { method: "POST", body: new Blob([bytes]), headers }),
  );
  return ((await reply.json()) as { id: string }).id;
}

const answer = (answers: string, text: string, customer: object): Sample => ({
  request: async (session, context) =>
    post(context, JSON.stringify({ id: ID, text, answers }), `Bearer ${await token(session, context)}`),
  event: { type: "message", content: { type: "text", text }, customer },
});

const kept = (name: string, mediaType: string, size = 8) => ({
  file: { at: "messenger", ref: expect.stringMatching(/^[\w-]{22}$/) },
  ...{ name, mediaType, size },
});

describeChannel({
  // With the real journal and files.
  makeContext: channelContext,
  adapter: webchat,
  samples: {
    "a text": {
      async request(session, context) {
        return post(context, JSON.stringify({ id: ID, text: "hello" }), `Bearer ${await token(session, context)}`);
      },
      event: { type: "message", originator: "customer", content: { type: "text", text: "hello" } },
    },
    "a picture": {
      async request(session, context) {
        const proof = `Bearer ${await token(session, context)}`;
        const files = [{ id: await upload(context, session, proof) }];
        return post(context, JSON.stringify({ id: ID, files }), proof);
      },
      event: { type: "message", content: { type: "image", files: [kept("a.png", "image/png")] } },
    },
    "a picture beside a document": {
      async request(session, context) {
        const proof = `Bearer ${await token(session, context)}`;
        const files = [];
        for (const name of ["offer.pdf", "a.png"]) files.push({ id: await upload(context, session, proof, name) });
        return post(context, JSON.stringify({ id: ID, text: "look", files }), proof);
      },
      event: { type: "message", content: { type: "image", note: "look", files: [kept("a.png", "image/png")] } },
      also: [{ type: "message", content: { type: "file", files: [kept("offer.pdf", "application/pdf", 4)] } }],
    },
    "a voice message": {
      async request(session, context) {
        const proof = `Bearer ${await token(session, context)}`;
        const files = [{ id: await upload(context, session, proof, "voice.ogg") }];
        return post(context, JSON.stringify({ id: ID, files }), proof);
      },
      event: { type: "message", content: { type: "audio", files: [kept("voice.ogg", "audio/ogg", 4)] } },
    },
    "a phone number that was asked for": answer("phone", " +356 2123-4567 ", { phone: "+35621234567" }),
    "an e-mail address that was asked for": answer("email", "robin@shop.example", { email: "robin@shop.example" }),
    "where the customer comes from": {
      async request(session, context) {
        const utm = { source: "newsletter", campaign: "spring" };
        const body = JSON.stringify({ id: ID, text: "hello", utm });
        return post(context, body, `Bearer ${await token(session, context)}`);
      },
      event: { type: "message", customer: { utm: { source: "newsletter", campaign: "spring" } } },
    },
    "a read mark": {
      async request(session, context) {
        const visitor = await token(session, context);
        const chat = visitor.split(".")[0] as ChatId;
        const [part] = await sendMessage(
          { adapter: webchat, settings: {}, session },
          { chat, content: HELLO },
          "key",
          fresh(),
        );
        return post(context, JSON.stringify({ id: part?.messengerMessageId }), `Bearer ${visitor}`, "read");
      },
      event: { type: "read", messengerMessageId: "a.key" },
    },
  },
  settings: {},
  async genuine(session, context) {
    const visitor = await token(session, context);
    return () => post(context, JSON.stringify({ id: ID, text: "hello" }), `Bearer ${visitor}`);
  },
  forged(context) {
    const body = JSON.stringify({ id: ID, text: "hello" });
    const forgedId = `${"a".repeat(22)}.${"b".repeat(43)}`;
    return [undefined, "Bearer ", "Bearer x", `Bearer ${forgedId}`, `Bearer ${forgedId}.`].map((proof) =>
      post(context, body, proof),
    );
  },
  async broken(session, context) {
    const proof = `Bearer ${await token(session, context)}`;
    const bodies = [
      "",
      "{",
      "[]",
      "null",
      "{}",
      '{"id":"x","text":"y"}',
      `{"id":"${ID}"}`,
      `{"id":"${ID}","text":"  "}`,
    ];
    return [
      ...bodies.map((body) => post(context, body, proof)),
      post(context, "{}", proof, "nowhere"),
      new Request(`${context.doorUrl}/files/unknown/x`),
      post(context, JSON.stringify({ id: ID, text: "x".repeat(4097) }), proof),
      post(context, JSON.stringify({ id: ID, files: [{ id: "not-a-kept-file-000" }] }), proof),
    ];
  },
});

/** A visitor who makes the widget's calls, and sees what the journal contains. */
describeProof({
  adapter: webchat,
  settings: {},
  shown: new URL("../src/shown.ts", import.meta.url),
  async stage() {
    const { context, commit, atGateway } = await channelContext<unknown>(webchat.settings.parse({}));
    const session = webchat.open(context);
    const visitor = await token(session, context);
    const chat = visitor.split(".")[0] as ChatId;
    const headers = { authorization: `Bearer ${visitor}` };
    const ask = async (path: string, body: object) => {
      const receipt = await session.receive(post(context, JSON.stringify(body), headers.authorization, path));
      await commit(receipt);
      return receipt.events;
    };
    const bring = async ({ bytes, mediaType, name }: (typeof FILES)["image"]) => {
      const own = { ...headers, "content-type": mediaType, "x-file-name": encodeURIComponent(name) };
      const init = { method: "POST", body: new Blob([new Uint8Array(bytes)]), headers: own };
      const { reply } = await session.receive(new Request(`${context.doorUrl}/files`, init));
      return (await reply.json()) as { id: string };
    };
    return {
      session,
      atGateway,
      chat,
      seen: async () =>
        seenIn(
          (await context.journal.latest(chat, { entries: 200, bytes: 1024 ** 2 })).map(({ entry }) => entry as Entry),
        ),
      customer: {
        async says(kind, quote) {
          const said = { id: randomUUID(), quote };
          if (kind === "image" || kind === "file" || kind === "audio")
            return ask("messages", { ...said, files: [await bring(FILES[kind])] });
          return ask("messages", { ...said, text: "hello" });
        },
        reads: (id) => ask("read", { id }),
      },
    };
  },
});

function seenIn(entries: Entry[]): Seen[] {
  const seen = new Map<string, Seen>();
  for (const entry of entries) {
    const known = seen.get(entry.id);
    if (entry.type === "message")
      seen.set(entry.id, {
        id: entry.id as MessengerMessageId,
        text: entry.text ?? "",
        files: entry.files.map(({ name }) => name),
        buttons: entry.suggestions?.map(({ title }) => title) ?? [],
        quotes: entry.quote !== undefined,
        edited: false,
        deleted: false,
      });
    else if (known && entry.type === "edited") Object.assign(known, { text: entry.text, edited: true });
    else if (known && entry.type === "deleted") known.deleted = true;
    else if (known && (entry.type === "read" || entry.type === "delivered")) known.status = entry.type;
  }
  return [...seen.values()];
}
