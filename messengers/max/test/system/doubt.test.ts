import { describe, expect, it } from "vitest";
import { handClock } from "../../../../test/support/clock.ts";
import { forward, openShop } from "./site.ts";

const MINUTE_MS = 60_000;

/** A shop whose customer has written. */
async function talking(switches: object = {}) {
  const clock = handClock(Date.now());
  const shop = await openShop({ clock }, { paced: false, notReady: 0, ...switches });
  await shop.max.customers.says(shop.dialog, { text: "hello" });
  await forward(clock, 5_000);
  expect(shop.inCrm()).toEqual(["hello"]);
  const acks = () => [...shop.sandbox.calls.entries()].filter(({ path }) => /\/ack$/.test(path));
  return { ...shop, acks, forward: (ms: number) => forward(clock, ms) };
}

describe("an agent's message whose answer is lost", () => {
  it.each([
    ["after it was taken", { status: 502, body: "html" as const, when: "after" as const }],
    ["after it was taken, by half", { body: "half" as const, when: "after" as const }],
    ["after it was taken, as nginx's welcome", { status: 200, body: "html" as const, when: "after" as const }],
    ["after MAX's own 500", { status: 500, body: "contract" as const, when: "after" as const }],
    ["before it was taken", { status: 502, body: "html" as const }],
    ["before it was taken, by a 500", { status: 500, body: "contract" as const }],
  ])("reaches the customer once, and in order: %s", async (_, fault) => {
    const { max, agentSays, seen, forward, errors } = await talking();
    max.plans.plan({ operation: "sendMessage", ...fault });
    for (const text of ["one", "two", "two", "three"]) await agentSays(text);
    await forward(MINUTE_MS);
    expect(seen()).toEqual(["one", "two", "two", "three"]);
    expect(errors()).toEqual([]);
  });

  it("is left to the channel's policy where MAX shows no dialog: sent once more, and no oftener", async () => {
    const { max, agentSays, seen, forward } = await talking({ history: "denied" });
    max.plans.plan({ operation: "sendMessage", status: 502, body: "html", when: "after" });
    await agentSays("one");
    await forward(MINUTE_MS);
    expect(seen()).toEqual(["one", "one"]);
  });

  it("is asked about, not repeated, while MAX is away", async () => {
    const { max, agentSays, seen, forward } = await talking();
    max.plans.plan({ operation: "sendMessage", status: 502, body: "html", when: "after" });
    max.plans.plan({ operation: "getMessages", status: 503, times: 3 });
    await agentSays("one");
    await forward(MINUTE_MS);
    expect(seen()).toEqual(["one"]);
    expect(max.journal.entries().filter(({ operation }) => operation === "sendMessage")).toHaveLength(1);
  });
});

it("a file that is not ready is waited for, arrives once and with one upload, and what follows stays behind it", async () => {
  const { max, sandbox, agentSays, forward, dialog, errors } = await talking({ notReady: 3 });
  const id = "11111111-1111-4111-8111-111111111111";
  sandbox.world.files.set(id, { id, name: "bill.pdf", mediaType: "application/pdf", bytes: Buffer.from("%PDF-1.4") });
  await agentSays("the bill", { type: "file", items: [{ id, caption: "", size: 8 }] });
  await agentSays("after it");
  await forward(6_000);
  expect(dialog.messages).toHaveLength(1);
  await forward(10_000);
  expect(dialog.messages.slice(1)).toMatchObject([
    { text: "the bill", attachments: [{ type: "file", filename: "bill.pdf" }] },
    { text: "after it" },
  ]);
  expect(errors()).toEqual([]);
  const uploads = max.journal.entries().filter(({ operation }) => operation === "upload");
  expect(uploads).toHaveLength(1);
});

it("files that are not ready in two chats hold up no third", async () => {
  const { max, sandbox, agentSays, forward, bot } = await talking({ notReady: 3 });
  const chats = [];
  for (const n of [1, 2, 3]) {
    max.world.people[n - 1] ??= { n, id: 123_456_780 + n, firstName: "Kim", locale: "en", phone: `7999000000${n}` };
    const person = max.world.people[n - 1];
    if (!bot || !person) throw new Error("The world is empty");
    const dialog = max.customers.dialog(bot, person);
    await max.customers.says(dialog, { text: "hi" });
    const chat = String(dialog.chatId);
    const seen = () => dialog.messages.filter(({ from }) => from === "bot").length;
    chats.push({ seen, at: { external_chat_id: chat, external_user_id: chat } });
  }
  await forward(5_000);
  const id = "11111111-1111-4111-8111-111111111111";
  sandbox.world.files.set(id, { id, name: "bill.pdf", mediaType: "application/pdf", bytes: Buffer.from("%PDF-1.4") });
  for (const { at } of chats.slice(0, 2))
    await agentSays("the bill", { type: "file", items: [{ id, caption: "", size: 8 }], ...at });
  // Both are refused for the third time by now, and wait for four seconds.
  await forward(4_000);
  await agentSays("hello", chats[2]?.at);
  await forward(1_000);
  expect(chats.map(({ seen }) => seen())).toEqual([0, 0, 1]);
  await forward(10_000);
  expect(chats.map(({ seen }) => seen())).toEqual([1, 1, 1]);
});

it("a subscription that MAX has ended is made again within the minute, and what customers write from then on comes", async () => {
  const { max, bot, forward, inCrm, dialog } = await talking();
  bot?.subscriptions.clear();
  await forward(MINUTE_MS);
  expect([...(bot?.subscriptions.values() ?? [])]).toMatchObject([{ secret: expect.stringMatching(/^[\w-]{43}$/) }]);
  await max.customers.says(dialog, { text: "still here?" });
  await forward(5_000);
  expect(inCrm()).toEqual(["hello", "still here?"]);
});
