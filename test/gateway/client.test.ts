import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import type { Call, CallResult } from "../../src/domain/call.ts";
import type { Features } from "../../src/domain/channel.ts";
import { systemClock } from "../../src/domain/clock.ts";
import { DeliveryError, type Verdict } from "../../src/domain/delivery.ts";
import type {
  ChatId,
  GatewayChannelId,
  GatewayFileId,
  GatewayMessageId,
  MessengerMessageId,
} from "../../src/domain/ids.ts";
import { createGateway } from "../../src/gateway/client.ts";
import { createPermits } from "../../src/gateway/limiter.ts";
import { createJudge } from "../../src/sandbox/judge.ts";
import { callFrom } from "../support/call.ts";
import { customerSays } from "../support/events.ts";

const signal = new AbortController().signal;
const channel = "9007199254740993" as GatewayChannelId;
const hello = customerSays("m1", "hello") as Extract<ReturnType<typeof customerSays>, { type: "message" }>;
const judge = createJudge();

function gatewayOn(call: Call, renew: (dead: string) => Promise<string | undefined> = async () => undefined) {
  let token = "old";
  const access = {
    url: () => "https://gateway.example/api/transport/v1",
    token: () => token,
    renew: async (dead: string) => {
      token = (await renew(dead)) ?? token;
      return token === dead ? undefined : token;
    },
  };
  return createGateway({ call, clock: systemClock, permits: createPermits(systemClock), access });
}
const answering =
  (status: number, body: unknown = {}, headers: Record<string, string> = {}): Call =>
  async () => ({
    type: "answer",
    status,
    headers,
    bytes: new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body)),
  });
const verdictOf = async (act: Promise<unknown>): Promise<Verdict | "ok"> =>
  act.then(
    () => "ok" as const,
    (error: unknown) => (error instanceof DeliveryError ? error.verdict : Promise.reject(error)),
  );
const send = (call: Call) => verdictOf(gatewayOn(call).sendMessage(channel, hello, [], signal));
const failing =
  (failure: Partial<Extract<CallResult, { type: "failure" }>>): Call =>
  async () => ({
    type: "failure",
    sent: "perhaps",
    reason: "timeout",
    detail: "gateway.example",
    ...failure,
  });

describe("a failure at the gateway becomes a verdict", () => {
  it.each<[string, Call, Verdict | "ok"]>([
    ["an accepted message", answering(200, { message_id: 5, time: "2026-01-01T00:00:00Z" }), "ok"],
    ["201", answering(201, { message_id: 5, time: "2026-01-01T00:00:00Z" }), "ok"],
    ["a repeated external_id", answering(400, { errors: ["Message with passed external_id already exists"] }), "ok"],
    ["the same in capitals", answering(400, { errors: ["MESSAGE WITH PASSED EXTERNAL_ID ALREADY EXISTS"] }), "ok"],
    ["429", answering(429, { errors: ["x"] }), { type: "retry", afterMs: 1000 }],
    ["429 with Retry-After", answering(429, {}, { "retry-after": "7" }), { type: "retry", afterMs: 7000 }],
    ["500 with an empty body", answering(500, ""), { type: "retry" }],
    ["502 as HTML", answering(502, "<html>"), { type: "retry" }],
    ["503 with Retry-After", answering(503, "", { "retry-after": "3" }), { type: "retry", afterMs: 3000 }],
    ["401", answering(401, { errors: ["Unauthorized"] }), { type: "reconnect" }],
    [
      "another 400",
      answering(400, { errors: ["Channel not found"] }),
      { type: "reject", code: "general", externalCode: "400" },
    ],
    ["a success that is not as agreed", answering(200, "<html>"), { type: "unsure" }],
    ["a timeout", failing({}), { type: "unsure" }],
    ["a refused connection", failing({ sent: "no", reason: "refused" }), { type: "retry" }],
    ["a forbidden address", failing({ sent: "no", reason: "blocked" }), { type: "reject", code: "general" }],
  ])("%s", async (_, call, verdict) => {
    expect(await send(call)).toEqual(verdict);
  });

  it("and its words never hold a control character or more than 300 letters", async () => {
    const call = answering(422, { errors: [`bad\n\u0000${"x".repeat(1000)}`] });
    const error = await gatewayOn(call)
      .sendMessage(channel, hello, [], signal)
      .catch((e: Error) => e);
    expect((error as Error).message).toMatch(/^gateway answered 422: bad x{290,300}$/);
  });
});

describe("a dead token", () => {
  it("is renewed once for all requests that it was refused to, and they go on", async () => {
    let renewals = 0;
    const app = new Hono().all("*", (c) =>
      c.req.header("x-transport-token") === "new"
        ? c.json({ message_id: 5, time: "t" })
        : c.json({ errors: ["no"] }, 401),
    );
    const gateway = gatewayOn(callFrom(app), async () => {
      renewals += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return "new";
    });
    await Promise.all(Array.from({ length: 5 }, () => gateway.sendMessage(channel, hello, [], signal)));
    expect(renewals).toBe(1);
  });

  it("stops the lanes when the CRM has no other", async () => {
    expect(await send(answering(403, { errors: ["no"] }))).toEqual({ type: "reconnect" });
  });
});

describe("a message with a quote that the gateway does not know", () => {
  it("goes without the quote rather than not at all", async () => {
    const bodies: { quote?: unknown }[] = [];
    const app = new Hono().post("*", async (c) => {
      const body = await c.req.json();
      bodies.push(body);
      return body.quote ? c.json({ errors: ["Quoted message not found"] }, 400) : c.json({ message_id: 5, time: "t" });
    });
    await gatewayOn(callFrom(app)).sendMessage(channel, { ...hello, quote: "gone" as MessengerMessageId }, [], signal);
    expect(bodies.map((body) => body.quote !== undefined)).toEqual([true, false]);
  });
});

describe("every request the client writes", () => {
  const features: Features = {
    type: "consultant",
    text: { creating: "both", editing: "outbound", quoting: "both", deleting: "outbound", maxLength: 4096 },
    image: { creating: "both", maxCount: 10, maxSize: 1000, maxNote: 1024 },
    audio: { creating: "outbound", maxCount: 1, maxSize: 1000 },
    product: { creating: "outbound" },
    delivered: "both",
    read: "inbound",
    suggestions: { text: "outbound" },
    reactions: { dictionary: ["👍"], maxCount: 1 },
    firstContact: "no",
    afterReplyTimeout: "no",
  };
  const at = { chat: "c" as ChatId, messengerMessageId: "m1" as MessengerMessageId, key: "k", at: 0 };
  const file = "0b5a3c1e-6f0b-4a53-9c0e-0d9d5f5a7f11" as GatewayFileId;
  const picture = {
    ...hello,
    content: { type: "image" as const, files: [{ file: { at: "gateway" as const, id: file } }], note: "look" },
  };
  const error = { code: "general" as const, message: "no", externalCode: "x".repeat(200) };
  it.each<[string, (gateway: ReturnType<typeof gatewayOn>) => Promise<unknown>]>([
    ["activateChannel", (g) => g.activateChannel({ name: "n".repeat(200), externalId: "e", features }, signal)],
    ["updateChannel", (g) => g.updateChannel(channel, { name: "Shop", features }, signal)],
    ["deactivateChannel", (g) => g.deactivateChannel(channel, signal)],
    [
      "sendMessage",
      (g) =>
        g.sendMessage(
          channel,
          { ...hello, page: "https://shop.example/a", quote: "q" as MessengerMessageId },
          [],
          signal,
        ),
    ],
    ["sendMessage", (g) => g.sendMessage(channel, picture, [file], signal)],
    ["editMessage", (g) => g.editMessage(channel, { ...at, type: "edited", text: "new" }, signal)],
    ["deleteMessage", (g) => g.deleteMessage(channel, at, signal)],
    ["markMessageRead", (g) => g.markRead(channel, { ...at, gatewayMessageId: "77" as GatewayMessageId }, signal)],
    ["addMessageReaction", (g) => g.setReaction(channel, { ...at, type: "reaction", reaction: "👍" }, signal)],
    ["deleteMessageReaction", (g) => g.setReaction(channel, { ...at, type: "reaction", reaction: null }, signal)],
    [
      "ackMessage",
      (g) =>
        g.ack(
          channel,
          { gatewayMessageId: "77" as GatewayMessageId, messengerMessageId: at.messengerMessageId },
          signal,
        ),
    ],
    ["ackMessage", (g) => g.ack(channel, { gatewayMessageId: "77" as GatewayMessageId, error }, signal)],
  ])("%s is as the contract wants it, long ids included", async (id, act) => {
    const seen: { operation?: string; faults: string[]; text: string }[] = [];
    const app = new Hono().all("*", async (c) => {
      const text = await c.req.text();
      const operation = judge.operation("gateway", c.req.method, c.req.path.replace("/api/transport/v1", ""));
      seen.push({
        operation: operation?.id,
        faults: operation ? judge.request(operation, text ? JSON.parse(text) : undefined) : ["?"],
        text,
      });
      return c.json({ id: 1, message_id: 1, time: "t", activated_at: "2026-01-01T00:00:00Z" });
    });
    await act(gatewayOn(callFrom(app)));
    expect(seen).toMatchObject([{ operation: id, faults: [] }]);
    const named = seen[0]?.text.includes("channel");
    if (named && id !== "activateChannel" && id !== "updateChannel") expect(seen[0]?.text).toContain(`:${channel},`);
  });
});
