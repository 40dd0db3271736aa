import { describe, expect, it } from "vitest";
import { TOKEN } from "../../../emulator/emulator.ts";
import { talking } from "../../talking.ts";

const HOUR_MS = 3_600_000;
const INT32 = 2 ** 31 - 1;

describe("a message's random_id", () => {
  it("is the same however often the step is sent, and another for each step of the chat: 500 in one second", async () => {
    const { send, calls, sent } = await talking();
    for (let n = 0; n < 500; n++) await send({ text: `text ${n}` }, `key ${n}`);
    await send({ text: "text 7" }, "key 7");
    const ids = calls("messages.send").map(({ request }) => (request as { random_id: number }).random_id);
    expect(new Set(ids).size).toBe(500);
    expect(ids.at(-1)).toBe(ids[7]);
    for (const id of ids) expect([Number.isInteger(id), id < 0 && id >= -INT32]).toEqual([true, true]);
    expect(sent()).toHaveLength(500);
  });

  it("goes on from the time when the chat's notes are gone: none of before comes again", async () => {
    const { send, calls, context, peer, later, sent } = await talking();
    await send({}, "before");
    later(1_000);
    await context.notes.set([{ key: `lastRandom:${peer}`, value: "" }]);
    await send({}, "after");
    const ids = calls("messages.send").map(({ request }) => (request as { random_id: number }).random_id);
    expect(ids[1]).toBeLessThan(ids[0] ?? 0);
    expect(sent()).toHaveLength(2);
  });

  it("is none that another program takes from the time: both messages arrive", async () => {
    const { send, sent, context, emulator, peer } = await talking();
    const random_id = String(Math.floor(context.clock.now() / 1_000));
    const body = new URLSearchParams({ access_token: TOKEN, v: "5.199", peer_id: peer, random_id, message: "theirs" });
    await emulator.site.request("/method/messages.send", { method: "POST", body });
    await send({ text: "ours" });
    expect(sent().map(({ text }) => text)).toEqual(["theirs", "ours"]);
  });

  it("is stored before the call, so that a repeat within an hour is no second message", async () => {
    const { emulator, send, sent } = await talking();
    for (const fault of [{ drop: "after" as const }, { when: "after" as const, status: 502, body: "html" as const }]) {
      emulator.core.faults.plan({ operation: "messages.send", ...fault });
      const key = JSON.stringify(fault);
      // Without a socket to cut, the kit's call sees the answer of a cut one.
      await send({ text: key }, key).catch(() => {});
      await send({ text: key }, key);
    }
    expect(sent().map(({ text }) => text)).toEqual(['{"drop":"after"}', '{"when":"after","status":502,"body":"html"}']);
  });
});

describe("a message that perhaps arrived", () => {
  it("is found in the chat's history after the hour for which VK knows its random_id, and not sent again", async () => {
    const { emulator, send, lookup, later, sent, idOf, context } = await talking();
    const since = context.clock.now();
    emulator.core.faults.plan({ operation: "messages.send", when: "after", status: 502, body: "html" });
    await expect(send({}, "lost")).rejects.toMatchObject({ verdict: { type: "unsure" } });
    later(3 * HOUR_MS);
    for (let n = 0; n < 30; n++) await send({ text: `later ${n}` }, `later ${n}`);
    expect(await lookup("lost", since)).toEqual({
      found: "arrived",
      parts: [{ messengerMessageId: idOf(2), holds: "text" }],
    });
    expect(sent()).toHaveLength(31);
    // VK itself would show it twice by now.
    await send({}, "lost");
    expect(sent()).toHaveLength(32);
  });

  it("is found, too, where the history gives its random_id without a sign", async () => {
    const { emulator, send, lookup, sent, idOf } = await talking();
    emulator.core.faults.plan({ operation: "messages.send", when: "after", status: 502, body: "html" });
    await expect(send({}, "lost")).rejects.toMatchObject({ verdict: { type: "unsure" } });
    const [message] = sent();
    if (message) message.randomId += 2 ** 32;
    expect(await lookup("lost")).toMatchObject({ found: "arrived", parts: [{ messengerMessageId: idOf(2) }] });
  });

  it("is absent where the history does not have it, and unknown where it does not go back so far", async () => {
    const { emulator, send, lookup, context, chat, later } = await talking();
    const since = context.clock.now();
    emulator.core.faults.plan({ operation: "messages.send", status: 502, body: "html" });
    await expect(send({}, "lost")).rejects.toMatchObject({ verdict: { type: "unsure" } });
    expect(await lookup("lost", since)).toEqual({ found: "absent" });
    expect(await lookup("never sent", since)).toEqual({ found: "absent" });
    later(60_000);
    for (let n = 0; n < 2_100; n++) await emulator.customers.says(chat, { text: "much" });
    expect(await lookup("lost", since)).toEqual({ found: "unknown" });
  });
});
