import { paintPng } from "gangway-messenger/kit/emulator/picture";
import type { SendStep } from "gangway-messenger/plan";
import { describe, expect, it, vi } from "vitest";
import { fresh, talking } from "../stage.ts";

type Talking = Awaited<ReturnType<typeof talking>>;

/** A message whose call had no answer, and of which no webhook has come. */
async function inDoubt(fault: object, more: Partial<SendStep> = {}) {
  const all = await talking();
  all.emulator.switches.set({ withheld: 1 });
  const since = all.context.clock.now();
  all.emulator.faults.plan({ operation: more.kind === "image" ? "postSendImageMessage" : "postSendMessage", ...fault });
  await expect(all.send(more, "doubt")).rejects.toMatchObject({ verdict: { type: "unsure" } });
  const look = (key = "doubt", step = more) =>
    all.session.lookup?.(all.step(step), { ...all.target(key), since }, fresh());
  return { ...all, since, look };
}
const LOST = { status: 502, body: "html", when: "after" };
const NEVER = { status: 502, body: "html", when: "before" };
const says = ({ chat }: Talking, text: string, at: number) =>
  chat.messages.push({
    id: `staff-${chat.messages.length}`,
    author: chat.account.id,
    at,
    type: "text",
    content: { text },
  });

describe("a message that perhaps arrived", () => {
  it("is found in its chat by what it says, and is nobody else's from then on", async () => {
    const { look, sent, calls, context } = await inDoubt(LOST);
    const [message] = sent();
    expect(await look()).toEqual({ found: "arrived", parts: [{ messengerMessageId: message?.id, holds: "text" }] });
    expect(calls("getMessagesV3")).toHaveLength(1);
    expect(await context.notes.get(`ours:${message?.id}`)).toBe("doubt");
    // Asked again, it is known.
    expect(await look()).toMatchObject({ found: "arrived" });
    expect(calls("getMessagesV3")).toHaveLength(1);
  });

  it("as a picture is found as one", async () => {
    const all = await talking();
    all.emulator.switches.set({ withheld: 1 });
    const bytes = paintPng(4, 4, [1, 2, 3]);
    const file = () => ({
      body: new Blob([Uint8Array.from(bytes)]).stream(),
      mediaType: "image/png",
      name: "a.png",
      size: bytes.length,
    });
    all.atGateway.set("f1", file);
    const picture: Partial<SendStep> = {
      kind: "image",
      text: "",
      files: [{ file: { at: "gateway", id: "f1" as never } }],
    };
    all.emulator.faults.plan({ operation: "postSendImageMessage", drop: "after", status: 500, when: "after" });
    await expect(all.send(picture, "doubt")).rejects.toMatchObject({ verdict: { type: "unsure" } });
    const target = { ...all.target("doubt"), since: all.context.clock.now() };
    expect(await all.session.lookup?.(all.step(picture), target, fresh())).toMatchObject({
      found: "arrived",
      parts: [{ messengerMessageId: all.sent()[0]?.id, holds: "media" }],
    });
  });

  it("is asked about again for a quarter of a minute, then it is not there", async () => {
    const { look, later, send, sent } = await inDoubt(NEVER);
    expect(await look()).toEqual({ found: "unknown", askAgainMs: 5_000 });
    later(14_000);
    expect(await look()).toEqual({ found: "unknown", askAgainMs: 5_000 });
    later(1_000);
    expect(await look()).toEqual({ found: "absent" });
    await send({}, "doubt");
    expect(sent()).toHaveLength(1);
  });

  it("is settled by its webhook, without a call", async () => {
    const all = await inDoubt(LOST);
    const [message] = all.sent();
    all.emulator.switches.set({ withheld: 0 });
    expect(await all.after(() => all.emulator.courier.bring(all.chat, message as never))).toEqual([]);
    expect(await all.look()).toMatchObject({ found: "arrived" });
    expect(all.calls("getMessagesV3")).toEqual([]);
  });

  it("that never left is not there, and Avito is not asked", async () => {
    const { session, step, target, calls } = await talking();
    expect(await session.lookup?.(step(), { ...target("never"), since: 0 }, fresh())).toEqual({ found: "absent" });
    expect(calls("getMessagesV3")).toEqual([]);
  });

  it("is not one that says the same and was sent before, by us or by staff", async () => {
    const all = await talking();
    await all.send({}, "before");
    all.later(60_000);
    says(all, "hello", all.context.clock.now() - 45_000);
    all.emulator.switches.set({ withheld: 1 });
    all.emulator.faults.plan({ operation: "postSendMessage", ...NEVER } as never);
    const since = all.context.clock.now();
    await all.send({}, "doubt").catch(() => {});
    all.later(20_000);
    expect(await all.session.lookup?.(all.step(), { ...all.target("doubt"), since }, fresh())).toEqual({
      found: "absent",
    });
  });

  it.each([
    [-4_000, "arrived"],
    [25_000, "arrived"],
    // It may be of staff.
    [-25_000, "unknown"],
  ])("is found by an Avito whose clock is behind or ahead by little (%i ms: %s)", async (clockMs, found) => {
    const all = await talking();
    all.emulator.switches.set({ withheld: 1, clockMs });
    const since = all.context.clock.now();
    all.emulator.faults.plan({ operation: "postSendMessage", ...LOST } as never);
    await all.send({}, "doubt").catch(() => {});
    expect(await all.session.lookup?.(all.step(), { ...all.target("doubt"), since }, fresh())).toMatchObject({
      found,
    });
  });

  it("is waited for from the end of its last call, however long that took", async () => {
    const all = await talking();
    all.emulator.switches.set({ withheld: 1, listedAfterMs: 40_000 });
    const since = all.context.clock.now() - 600_000;
    const call: typeof all.context.call = async (request) => {
      const answer = await all.context.call(request);
      if (!request.url.endsWith("/messages")) return answer;
      all.later(30_000);
      return { type: "failure", sent: "perhaps", reason: "timeout", detail: "" };
    };
    await all
      .again({ call })
      .send(all.step(), all.target("doubt"), fresh())
      .catch(() => {});
    const look = () => all.session.lookup?.(all.step(), { ...all.target("doubt"), since }, fresh());
    expect(await look()).toEqual({ found: "unknown", askAgainMs: 5_000 });
    all.later(10_000);
    expect(await look()).toMatchObject({ found: "arrived" });
  });

  it("is waited for as long as its call may have run, where nobody saw the end", async () => {
    const all = await talking();
    const call: typeof all.context.call = (request) =>
      request.url.endsWith("/messages") ? new Promise(() => {}) : all.context.call(request);
    void all.again({ call }).send(all.step(), all.target("crash"), fresh());
    await vi.waitFor(async () => expect(await all.context.notes.get("trying:crash")).toBeDefined(), 60_000);
    const look = () => all.session.lookup?.(all.step(), { ...all.target("crash"), since: 0 }, fresh());
    all.later(44_000);
    expect(await look()).toMatchObject({ found: "unknown" });
    all.later(1_000);
    expect(await look()).toEqual({ found: "absent" });
  });

  it("is not one of staff that came by webhook, although it says the same at the same time", async () => {
    const all = await inDoubt(NEVER);
    all.emulator.switches.set({ withheld: 0 });
    // Too far from the call for its webhook to be ours.
    all.emulator.switches.set({ clockMs: 180_000 });
    await all.after(() => all.emulator.customers.staffSays(all.chat, "hello"));
    all.emulator.switches.set({ clockMs: 0 });
    all.later(20_000);
    expect(await all.look()).toEqual({ found: "absent" });
  });

  it("is unknown where a message that may be it cannot be read", async () => {
    const all = await inDoubt(NEVER);
    const unreadable = (at: number) =>
      all.chat.messages.push({ id: "..", author: all.chat.account.id, at, type: "text", content: {} });
    all.later(60_000);
    unreadable(all.since - 60_000);
    expect(await all.look()).toEqual({ found: "absent" });
    unreadable(all.since);
    expect(await all.look()).toEqual({ found: "unknown" });
  });

  it.each(["array", "object"] as const)(
    "is found behind many newer ones, also where the oldest come first (%s)",
    async (messages) => {
      for (const order of ["newest", "oldest"]) {
        const all = await inDoubt(LOST);
        all.emulator.switches.set({ messages, order });
        for (let n = 0; n < 250; n++) says(all, `newer ${n}`, all.context.clock.now() + n);
        expect(await all.look()).toMatchObject({ found: "arrived" });
      }
    },
  );

  it("is unknown beyond what Avito lists: the channel's policy decides", async () => {
    const all = await inDoubt(NEVER);
    for (let n = 0; n < 1_150; n++) says(all, `newer ${n}`, all.context.clock.now() + n);
    all.later(60_000);
    expect(await all.look()).toEqual({ found: "unknown" });
  });

  it("is asked about later while the list cannot be had", async () => {
    const all = await inDoubt(LOST);
    all.emulator.faults.plan({ operation: "getMessagesV3", status: 500 });
    await expect(all.look()).rejects.toMatchObject({ verdict: { type: "retry" } });
    expect(await all.look()).toMatchObject({ found: "arrived" });
  });
});
