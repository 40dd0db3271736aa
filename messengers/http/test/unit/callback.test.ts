import type { CallResult } from "gangway-messenger/call";
import { describe, expect, it } from "vitest";
import { besideApp, CHAT, fresh, step } from "../support.ts";

const { open } = besideApp();
const send = (session: Awaited<ReturnType<typeof open>>["session"], key = "one") =>
  session.send(step(), { chat: CHAT, key }, fresh());

const refusal = (message: string, code?: string) => JSON.stringify({ error: { message, code } });

describe("an app's answer", () => {
  it.each([
    [
      400,
      refusal("no such person", "customer_not_exists"),
      {},
      { type: "reject", code: "customer_not_exists", externalCode: "400" },
    ],
    [422, refusal("too rude"), {}, { type: "reject", code: "general", externalCode: "422" }],
    [403, refusal("blocked", "unheard of"), {}, { type: "reject", code: "general", externalCode: "403" }],
    [400, "<html>a proxy</html>", {}, { type: "retry" }],
    [401, "not signed", {}, { type: "retry" }],
    [404, "", {}, { type: "retry" }],
    [302, "", { location: "https://elsewhere.example" }, { type: "retry" }],
    [410, "", {}, { type: "reconnect" }],
    [429, "", { "retry-after": "7" }, { type: "retry", afterMs: 7_000 }],
    [503, "", { "retry-after": "9" }, { type: "retry", afterMs: 9_000 }],
    [503, "", {}, { type: "retry" }],
    [502, "", { "retry-after": "5" }, { type: "unsure", afterMs: 5_000 }],
    [504, "", {}, { type: "unsure" }],
    [500, refusal("broken"), {}, { type: "unsure" }],
    [200, "<!doctype html><p>Log in to the network", {}, { type: "unsure" }],
  ])("of %i %s is a verdict", async (status, body, headers, verdict) => {
    const { emulator, session } = await open();
    emulator.answers(status, body, headers as Record<string, string>);
    const error = await send(session).catch((thrown: unknown) => thrown);
    expect((error as { verdict: unknown }).verdict).toEqual(verdict);
  });

  it("that refuses is what the agent reads", async () => {
    const { emulator, session } = await open();
    emulator.answers(400, refusal("This customer has left"));
    await expect(send(session)).rejects.toThrow("This customer has left");
  });

  it.each([
    [204, ""],
    [200, "OK"],
    [201, "{}"],
    [200, '{"id":""}'],
    [200, '{"id":7}'],
  ])("of %i %s leaves the message with our id", async (status, body) => {
    const { emulator, session } = await open();
    emulator.answers(status, body);
    const { parts } = await send(session);
    expect(parts[0].messengerMessageId).toMatch(/^robin:msg_[\w-]{22}$/);
    expect(`robin:${emulator.events.at(-1)?.data.id}`).toBe(parts[0].messengerMessageId);
  });

  it.each(["blocked", "refused", "timeout", "reset"] as const)(
    "that does not come (%s) is said in the same words",
    async (reason) => {
      const { context, session } = await open();
      const failed: CallResult = {
        type: "failure",
        sent: reason === "blocked" ? "no" : "perhaps",
        reason,
        detail: "10.0.0.1",
      };
      context.call = async () => failed;
      const error = await send(session).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ message: "the app cannot be reached at its address" });
      const type = { blocked: "reject", refused: "unsure", timeout: "unsure", reset: "unsure" }[reason];
      expect(error).toMatchObject({ verdict: { type } });
    },
  );
});

describe("a repeat of a callback", () => {
  it("is the same event, with the same id, time and files, and one message to the customer", async () => {
    const { emulator, session } = await open();
    emulator.answers(504);
    await expect(send(session)).rejects.toMatchObject({ verdict: { type: "unsure" } });
    await send(session);
    await send(session);
    const told = emulator.events.filter(({ type }) => type === "message.created");
    expect(told).toHaveLength(3);
    expect(told[1]).toEqual(told[0]);
    expect(told[2]).toEqual(told[0]);
    expect(emulator.messages).toHaveLength(1);
  });
});
