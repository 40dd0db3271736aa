import type { ChannelContext, ChannelSession } from "../../src/channels/port.ts";
import { webchat } from "../../src/channels/webchat/index.ts";
import type { ChatId, GatewayMessageId } from "../../src/domain/ids.ts";
import { describeChannel } from "./channel.ts";

const ID = "6b1f0c52-7d0e-4a0c-9a57-1f5c8c1d2e3f";
type Context = ChannelContext<unknown>;

async function token(session: ChannelSession, context: Context): Promise<string> {
  const { reply } = await session.receive(new Request(`${context.doorUrl}/open`, { method: "POST", body: "{}" }));
  return ((await reply.json()) as { visitor: string }).visitor;
}
const post = (context: Context, body: string, authorization?: string, path = "messages") =>
  new Request(`${context.doorUrl}/${path}`, { method: "POST", body, headers: authorization ? { authorization } : {} });

async function upload(context: Context, session: ChannelSession, authorization: string): Promise<string> {
  const headers = { authorization, "content-type": "image/png", "x-file-name": "a.png" };
  const bytes = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const { reply } = await session.receive(
    new Request(`${context.doorUrl}/files`, { method: "POST", body: new Blob([bytes]), headers }),
  );
  return ((await reply.json()) as { id: string }).id;
}

describeChannel({
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
      event: { type: "message", content: { type: "image", files: [{ name: "a.png", mediaType: "image/png" }] } },
    },
    "a read mark": {
      async request(session, context) {
        const visitor = await token(session, context);
        const message = {
          type: "message" as const,
          gatewayMessageId: "1" as GatewayMessageId,
          chat: visitor.split(".")[0] as ChatId,
          content: { type: "text" as const, text: "hi" },
          suggestions: [],
        };
        const { messengerMessageIds } = await session.send(message, "key", new AbortController().signal);
        return post(context, JSON.stringify({ id: messengerMessageIds[0] }), `Bearer ${visitor}`, "read");
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
