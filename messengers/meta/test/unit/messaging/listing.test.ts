import facebook from "gangway-facebook";
import { createEmulator as createFacebook } from "gangway-facebook/emulator/emulator";
import instagram from "gangway-instagram";
import { createEmulator as createInstagram } from "gangway-instagram/emulator/emulator";
import { FILES } from "gangway-messenger/kit/sending";
import type { ChannelEvent } from "gangway-messenger/message";
import { beforeEach, describe, expect, it } from "vitest";
import { addPerson } from "../../../emulator/messaging/chats.ts";
import type { Said } from "../../../emulator/messaging/saying.ts";
import { fresh, talking } from "../talking.ts";

const page = () => talking(facebook, createFacebook);
const account = () => talking(instagram, createInstagram);
type Talking = Awaited<ReturnType<typeof page>>;

const contentsOf = (events: ChannelEvent[] = []) =>
  events.map((event) => (event.type === "message" ? event.content : undefined));

/** The list to its end; the network's own limit of calls is lifted. */
async function whole({ session, emulator }: Pick<Talking, "session" | "emulator">, since = 0) {
  const events: ChannelEvent[] = [];
  const complete: number[] = [];
  let calls = 0;
  for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
    emulator.core.rates.clear();
    const listed = await session.list?.(since, cursor, fresh());
    calls += 1;
    events.push(...(listed?.events ?? []));
    if (listed?.completeFrom !== undefined) complete.push(listed.completeFrom);
    cursor = listed?.next;
  }
  return { events, calls, complete };
}

const url = expect.stringMatching(/^https:\/\/network\.example\//);
const file = (type: string, name: string, media: string): Said => ({
  files: [{ type, ...FILES.image, name, mediaType: media }],
});

describe("a message in the list of conversations", () => {
  it.each<[string, Said, object]>([
    ["a text", { text: "ahoy" }, { type: "text", text: "ahoy" }],
    ["a picture", file("image", "rope.png", "image/png"), { type: "image", files: [{ file: { ref: url } }] }],
    ["a video", file("video", "rope.mp4", "video/mp4"), { type: "file", files: [{ file: { ref: url } }] }],
    ["a voice", file("audio", "rope.m4a", "audio/mp4"), { type: "audio", files: [{ file: { ref: url } }] }],
    ["a document", file("file", "rope.pdf", "application/pdf"), { type: "file", files: [{ file: { ref: url } }] }],
    ["a sticker", { stickerId: 369239263222822 }, { type: "image", files: [{ file: { ref: url } }] }],
    [
      "a link",
      { text: "look", attachments: [{ type: "fallback", title: "Ropes", payload: { url: "https://shop.example/" } }] },
      { type: "text", text: expect.stringContaining("https://shop.example/") },
    ],
    ["what is not listed", { attachments: [{ type: "location" }] }, { type: "text", text: expect.any(String) }],
  ])("is as its webhook brings it: %s", async (_, said, content) => {
    for (const open of [page, account]) {
      const all = await open();
      await all.emulator.customers.says(all.chat, said);
      expect(contentsOf((await whole(all)).events).at(-1)).toMatchObject(content);
    }
  });

  it("on Instagram may answer a story, or mention the account in one", async () => {
    const all = await account();
    const story = { id: "1", url: "https://story.example/1.jpg" };
    await all.emulator.customers.says(all.chat, { text: "how much?", replyTo: { story } });
    await all.emulator.customers.says(all.chat, file("story_mention", "story.jpg", "image/jpeg"));
    const [answer, mention] = contentsOf((await whole(all)).events).slice(1);
    expect(answer).toMatchObject({ type: "file", files: [{ file: { ref: story.url } }] });
    expect(mention).toMatchObject({ type: "file", files: [{ file: { ref: url }, mayBePicture: true }] });
  });

  it("of staff is listed, one of ours is not; the oldest come first", async () => {
    for (const open of [page, account]) {
      const all = await open();
      await all.send();
      await all.emulator.staffSays(all.chat, "from staff");
      await all.emulator.customers.says(all.chat, { text: "thanks" });
      const { events } = await whole(all);
      expect(contentsOf(events)).toMatchObject([{ text: "hello" }, { text: "from staff" }, { text: "thanks" }]);
      expect(events.map((event) => event.type === "message" && event.originator)).toEqual([
        "customer",
        "channel",
        "customer",
      ]);
    }
  });

  it("of staff settles no doubt about one of ours that says the same", async () => {
    const { session, emulator, chat, send, step, target, context } = await account();
    await emulator.staffSays(chat, step().text);
    emulator.core.faults.plan({ operation: "send", status: 502, body: "html" } as never);
    await expect(send({}, "doubt")).rejects.toMatchObject({ verdict: { type: "unsure" } });
    const listed = await session.list?.(0, undefined, fresh());
    await context.notes.set(listed?.notes ?? []);
    expect(contentsOf(listed?.events).at(-1)).toMatchObject({ text: step().text });
    const found = await session.lookup?.(step(), { ...target("doubt"), since: 0 }, fresh());
    expect(found).toMatchObject({ found: "unknown" });
  });

  it("leaves where a customer comes from to the webhook of their message", async () => {
    const { session, emulator, chat, eventsAfter } = await page();
    await emulator.customers.arrives(chat, { ref: "spring", source: "SHORTLINK", type: "OPEN_THREAD" });
    await session.list?.(0, undefined, fresh());
    const [event] = await eventsAfter(() => emulator.customers.says(chat, { text: "I saw the link" }));
    expect(event).toMatchObject({ customer: { utm: { campaign: "spring" } } });
  });
});

describe("the list of conversations", () => {
  let all: Talking;
  const chatOf = (n: number) => {
    const { emulator, chat } = all;
    return emulator.customers.chat(
      chat.account,
      emulator.platform.world.people[n] ?? addPerson(emulator.platform, { firstName: `Customer ${n}`, lastName: "" }),
    );
  };
  const time = { ms: 0 };
  const says = async (n: number, text: string) => {
    time.ms += 1_000;
    const message = await all.emulator.customers.says(chatOf(n), { text });
    message.at = time.ms;
    return message;
  };
  beforeEach(async () => {
    all = await page();
    time.ms = Math.ceil(Date.now() / 1_000) * 1_000 + 60_000;
  });

  it("is read as far as it has changed", async () => {
    for (let n = 0; n < 70; n++) await says(n, `${n}`);
    const since = time.ms - 29_000;
    const { events, calls } = await whole(all, since);
    expect(new Set(events.map(({ chat }) => chat)).size).toBe(30);
    expect(Math.min(...events.map(({ at }) => at))).toBeGreaterThan(since - 1_000);
    // Two pages, and once more its head.
    expect(calls).toBe(3);
    expect((await whole(all, time.ms + 1_000)).calls).toBe(1);
  });

  it("loses nothing that moves to its head while it is read", async () => {
    for (let n = 0; n < 50; n++) await says(n, `${n}`);
    const first = await all.session.list?.(0, undefined, fresh());
    // The last of the list.
    await says(0, "moved");
    const events = [...(first?.events ?? [])];
    for (let cursor = first?.next; cursor !== undefined; ) {
      all.emulator.core.rates.clear();
      const listed = await all.session.list?.(0, cursor, fresh());
      events.push(...(listed?.events ?? []));
      cursor = listed?.next;
    }
    const texts = contentsOf(events).map((content) => content?.type === "text" && content.text);
    expect(new Set(texts)).toEqual(new Set(["hello", "moved", ...Array.from({ length: 50 }, (_, n) => `${n}`)]));
  });

  it("says from when on it is complete: only the 20 newest messages of a conversation can be read", async () => {
    for (let n = 0; n < 25; n++) await says(1, `${n}`);
    const oldest = time.ms - 19_000;
    const { events, complete } = await whole(all);
    expect(events.filter(({ chat }) => chat === (chatOf(1).scopedId as string))).toHaveLength(20);
    expect(complete).toEqual([oldest]);
    expect((await whole(all, oldest + 1_000)).complete).toEqual([]);
  });

  it("asks for rest once half of the calls of a day are used: agents' messages need them", async () => {
    const { rates } = all.emulator.core;
    const [of] = all.emulator.platform.world.accounts;
    const list = () => all.session.list?.(0, undefined, fresh());
    expect((await list())?.restMs).toBeUndefined();
    for (let n = 0; n < 120; n++) rates.take(`day:${of?.id}`, 200, 86_400_000);
    expect((await list())?.restMs).toBe(3_600_000);
  });
});
