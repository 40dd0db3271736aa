import type { ChatId, CustomerId, MessengerMessageId } from "gangway-messenger/ids";
import { describe, expect, it } from "vitest";
import { chatting, type Received, until } from "../../../sandbox/test/spec/account.ts";
import type { GatewayChannelId, GatewayMessageId } from "../../../src/domain/ids.ts";
import type { RelayedEvent } from "../../../src/domain/message.ts";
import { customerSays } from "../../support/events.ts";
import { gatewayOn } from "../../support/gateway-client.ts";

const { signal } = new AbortController();
const START = Date.parse("2026-05-01T10:00:00Z");
const HOUR = 3_600_000;
const later = ({ path }: Received) => (path === "/hook" ? { async: true } : {});
type Message = Extract<RelayedEvent, { type: "message" }>;

/** Our client on the sandbox's gateway, with a chat whose customer is `u1`. */
async function connected(settings: object = {}) {
  const scene = await chatting(settings, {}, later);
  const id = String(scene.channel) as GatewayChannelId;
  const gateway = gatewayOn(scene);
  const says = (name: string, more: Partial<Message> = {}, customer: Partial<Message["customer"]> = {}) => {
    const event = { ...(customerSays(name, name, "chat-1") as Message), at: START, ...more };
    const by = { ...event.customer, id: "u1" as CustomerId, ...customer };
    return gateway.sendMessage(id, { event: { ...event, customer: by }, files: [] }, signal);
  };
  /** An agent's message, with our ack for it. */
  const answered = async (text: string) => {
    const said = await scene.say(text);
    const gatewayMessageId = String(said.body.message_id) as GatewayMessageId;
    const ack = (result: object) => gateway.ack(id, { gatewayMessageId, ...result }, signal);
    await until(() => scene.message(gatewayMessageId)?.status === "sent");
    const status = () => scene.message(gatewayMessageId)?.status;
    return { id: gatewayMessageId, ack, status, error: () => scene.message(gatewayMessageId)?.error };
  };
  const ids = (...names: string[]) => names.map((name) => name as CustomerId);
  return { ...scene, gateway, id, says, answered, ids };
}

describe("the window in which a customer's message may be answered", () => {
  it.each([
    ["no", "Time to reply is over"],
    ["template", "Time to reply is over, only a template can be sent"],
  ])("is closed for agents by a deadline in the past, if the channel's policy is %s", async (policy, words) => {
    const { says, say } = await connected({ sending_policy: { after_reply_timeout: policy } });
    await says("old", { replyUntil: START - HOUR });
    expect(await say("too late")).toMatchObject({ status: 400, body: { errors: [expect.stringContaining(words)] } });
    await says("new", { replyUntil: START + HOUR });
    expect((await say("in time")).status).toBe(200);
  });

  it("stays open without a deadline, and under a policy that allows answers after it", async () => {
    const strict = await connected({ sending_policy: { after_reply_timeout: "no" } });
    await strict.says("no window");
    expect((await strict.say("at any time")).status).toBe(200);
    const open = await connected({});
    await open.says("old", { replyUntil: START - HOUR });
    expect((await open.say("at any time")).status).toBe(200);
  });
});

describe("a customer of several ids", () => {
  it("stays one customer of one chat, whichever id comes first", async () => {
    const { says, world, ids } = await connected();
    await says("by number", {}, { id: "34600000000" as CustomerId, otherIds: ids("u1") });
    await says("by account", {}, { id: "ES.1234" as CustomerId, otherIds: ids("34600000000") });
    expect([world.customers.size, world.chats.size, world.messages.length]).toEqual([1, 1, 3]);
  });
});

describe("a read mark up to a time", () => {
  const readBy = (customer: string, at: number) => ({
    ...{ type: "read-until" as const, key: "r", chat: "chat-1" as ChatId, at },
    ...{ messengerMessageId: "w" as MessengerMessageId, customer: customer as CustomerId },
  });

  it("marks what was sent until then, of that customer only, also by their other id", async () => {
    const { gateway, id, answered, wait, says, ids } = await connected();
    await says("hello", {}, { otherIds: ids("34600000000") });
    const messages = [];
    for (const text of ["a", "b"]) {
      const message = await answered(text);
      await message.ack({ messengerMessageId: `w-${text}` });
      messages.push(message);
      wait(10_000);
    }
    await gateway.markReadUntil(id, readBy("34600000000", START + 5_000), signal);
    expect(messages.map(({ status }) => status())).toEqual(["seen", "received"]);
    await expect(gateway.markReadUntil(id, readBy("a stranger", START + HOUR), signal)).rejects.toMatchObject({
      verdict: { type: "reject" },
    });
    expect(messages.map(({ status }) => status())).toEqual(["seen", "received"]);
  });
});

it("an ack with an error after one without makes the agent's message undelivered, and one after it delivered again", async () => {
  const { answered } = await connected();
  const { ack, status, error } = await answered("hello");
  await ack({ messengerMessageId: "w-1" });
  expect(status()).toBe("received");
  await ack({ messengerMessageId: "w-1", error: { code: "customer_not_exists", message: "no such number" } });
  expect([status(), error()]).toEqual(["failed", { code: "customer_not_exists", message: "no such number" }]);
  await ack({ messengerMessageId: "w-2" });
  expect([status(), error()]).toEqual(["received", undefined]);
});
