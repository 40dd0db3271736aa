import { createExplain } from "gangway-messenger/explanations";
import { describe, expect, it } from "vitest";
import vk from "../../src/index.ts";
import { TABLE } from "../../src/verdict.ts";
import { fresh, talking } from "../talking.ts";

const reject = (code: string, ...codes: number[]) =>
  codes.map((each): [number, object] => [each, { type: "reject", code, externalCode: String(each) }]);
/** By the published errors. */
const VERDICTS: [number, object][] = [
  [6, { type: "retry", afterMs: 1_000 }],
  [9, { type: "retry", afterMs: 60_000 }],
  ...[1, 10, 36].map((code): [number, object] => [code, { type: "unsure" }]),
  // The key works for another call: one refusal proves nothing.
  ...[2, 5, 27, 28, 1117, 3610].map((code): [number, object] => [code, { type: "retry" }]),
  ...reject("reply_timed_out", 950),
  ...reject("customer_not_exists", 18, 39, 113, 177, 936),
  ...reject("access_restricted", 7, 15, 30, 37, 203, 900, 901, 902, 917, 922, 925, 927, 932, 935, 945, 946, 947, 962),
  ...reject("access_restricted", 985, 987, 988, 1012),
  ...reject("spam_suspicion", 14, 29, 601, 940, 944, 1105),
  ...reject("general", 3, 8, 100, 104, 105, 118, 121, 122, 129, 909, 910, 911, 912, 913, 914, 920, 921, 924, 943, 949),
  ...reject("general", 969, 1009, 1010, 1011, 1150, 2000, 4242),
];

describe("what a refusal of VK means, although it comes with HTTP 200", () => {
  it.each(VERDICTS)("%i is %o", async (code, verdict) => {
    const { emulator, send, sent } = await talking();
    emulator.core.faults.plan({ operation: "messages.send", code });
    await expect(send()).rejects.toMatchObject({ verdict });
    expect(sent()).toEqual([]);
  });

  it.each(VERDICTS.filter(([code]) => [900, 901, 936, 950, 10, 914].includes(code)))(
    "%i in the list of an answer that succeeds is %o",
    async (code, verdict) => {
      const { emulator, send, sent } = await talking();
      emulator.core.faults.plan({ operation: "messages.send", code, inside: true });
      await expect(send()).rejects.toMatchObject({ verdict });
      expect(sent()).toEqual([]);
    },
  );

  it("is a wait, once, where VK takes a message for spam", async () => {
    const { emulator, send, sent } = await talking();
    emulator.core.faults.plan({ operation: "messages.send", code: 9, times: 3 });
    await expect(send({}, "one")).rejects.toMatchObject({ verdict: { type: "retry", afterMs: 60_000 } });
    await expect(send({}, "two")).rejects.toMatchObject({ verdict: { type: "retry" } });
    await expect(send({}, "one")).rejects.toMatchObject({ verdict: { type: "reject", code: "spam_suspicion" } });
    await send({}, "two");
    expect(sent()).toHaveLength(1);
  });

  it("is a wait for a call that is no message, when the day's calls are used up", async () => {
    const { emulator, session } = await talking();
    emulator.core.faults.plan({ operation: "messages.getConversations", code: 29 });
    await expect(session.list?.(0, undefined, fresh())).rejects.toMatchObject({
      verdict: { type: "retry", afterMs: 3_600_000 },
    });
  });

  it("has a row for every code that is no plain refusal", () => {
    const known = VERDICTS.map(([code]) => code);
    expect([...TABLE.keys()].filter((code) => !known.includes(code))).toEqual([983]);
  });

  it("waits with a harmless call for the next second", async () => {
    const { emulator, session, context, peer, idOf, chat } = await talking();
    const after = (_: number, run: () => void) => {
      setImmediate(run);
      return () => {};
    };
    Object.assign(context, { clock: { ...context.clock, after } });
    emulator.core.faults.plan({ operation: "messages.markAsRead", code: 6, times: 3 });
    await session.readMarks?.read({ chat: peer, messengerMessageId: idOf(1) }, fresh());
    expect(chat.readBy.community).toBe(1);
  });
});

describe("what the agent reads of a refusal", () => {
  const explain = createExplain(vk.explanations ?? []);

  it("is in words, in each language: the time for an answer is over", async () => {
    const { chat, send } = await talking();
    chat.isExpired = true;
    const error = await send().catch((thrown: Error) => thrown);
    const { message } = error as Error;
    expect(message).toBe(
      "the customer has not written for too long: VK lets the community answer only after their next message. VK: Can't send message, reply timed out (950, messages.send)",
    );
    expect(explain(message, "ru")).toMatch(/^клиент слишком давно не писал.*\(950, messages\.send\)$/);
    expect(explain(message, "es")).toMatch(/^el cliente lleva demasiado tiempo sin escribir/);
  });

  it("never has the key in it", async () => {
    const { settings, context } = await talking();
    const { token } = settings as { token: string };
    const body = JSON.stringify({
      error: { error_code: 100, error_msg: `bad key ${token}\u0000 of vk1.a.${"x".repeat(70)}` },
    });
    Object.assign(context, {
      call: async () => ({ type: "answer", status: 200, headers: {}, bytes: new TextEncoder().encode(body) }),
    });
    const error = await vk
      .open(context)
      .identify?.(fresh())
      .catch((thrown: Error) => thrown);
    expect(String(error)).toContain("bad key");
    expect(String(error)).not.toContain(token);
    expect(String(error)).not.toContain("vk1.a.");
  });
});
