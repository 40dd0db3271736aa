import type { ChannelContext, ChannelSession } from "../../src/channels/port.ts";
import { webchat } from "../../src/channels/webchat/index.ts";
import { describeChannel } from "./channel.ts";

const ID = "6b1f0c52-7d0e-4a0c-9a57-1f5c8c1d2e3f";
type Context = ChannelContext<unknown>;

async function token(session: ChannelSession, context: Context): Promise<string> {
  const { reply } = await session.receive(new Request(`${context.doorUrl}/open`, { method: "POST", body: "{}" }));
  return ((await reply.json()) as { visitor: string }).visitor;
}
const post = (context: Context, body: string, authorization?: string, path = "messages") =>
  new Request(`${context.doorUrl}/${path}`, { method: "POST", body, headers: authorization ? { authorization } : {} });

describeChannel({
  adapter: webchat,
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
