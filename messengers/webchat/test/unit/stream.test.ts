import type { Journal } from "gangway-messenger/hosted";
import type { ChatId } from "gangway-messenger/ids";
import { memoryJournal } from "gangway-messenger/kit/context";
import { describe, expect, it } from "vitest";
import { handClock } from "../../../../test/support/clock.ts";
import { turns } from "../../../../test/support/turns.ts";
import { until } from "../../../../test/support/until.ts";
import { eventStream } from "../../src/stream.ts";
import { openShop, text } from "./shop.ts";

const chat = "c" as ChatId;
const line = (n: number) => ({ chat, key: `k${n}`, entry: { type: "read", id: `m${n}` } });

/** Reads a stream as a browser does, and records what has arrived. */
function listen(response: Response) {
  const reader = response.body?.getReader();
  const heard = { text: "", ended: false };
  const reading = (async () => {
    for (;;) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) break;
      heard.text += new TextDecoder().decode(value);
    }
    heard.ended = true;
  })();
  const ids = () => [...heard.text.matchAll(/^id: (\d+)$/gm)].map((found) => Number(found[1]));
  return { heard, ids, reading, cancel: () => reader?.cancel() };
}

function follow(journal: Journal, more: { position?: number; signal?: AbortSignal } = {}) {
  const clock = handClock();
  const signal = more.signal ?? new AbortController().signal;
  return { clock, ...listen(eventStream({ journal, clock, chat, position: more.position ?? 0, signal })) };
}

describe("the streams of a visitor", () => {
  const setUp = async () => {
    const clock = handClock();
    const shop = await openShop({}, clock);
    let held = 0;
    let limit = Number.POSITIVE_INFINITY;
    shop.context.streams.hasRoom = () => held < limit;
    shop.context.streams.take = () => {
      if (held >= limit) return undefined;
      held += 1;
      return () => {
        held -= 1;
      };
    };
    const open = async (headers = shop.headers) => {
      const stop = new AbortController();
      const { reply } = await shop.ask("GET", "events", { headers, signal: stop.signal });
      return { reply, ...listen(reply), stop };
    };
    const unread = async () => (await shop.ask("GET", "events", { headers: shop.headers })).reply;
    const several = async (count: number) => {
      const streams = [];
      for (let n = 0; n < count; n++) streams.push(await open());
      return streams;
    };
    const stranger = async () => ({ authorization: `Bearer ${(await shop.open()).visitor}` });
    const room = (most: number) => {
      limit = most;
    };
    return { clock, open, unread, several, stranger, room, held: () => held };
  };

  it("are ten; one more waits for a minute, then replaces the oldest", async () => {
    const { clock, open, several, stranger, held } = await setUp();
    const streams = await several(10);
    const { reply } = await open();
    expect([reply.status, reply.headers.get("retry-after")]).toEqual([429, "15"]);
    expect((await open(await stranger())).reply.status).toBe(200);
    await clock.forward(60_000);
    expect((await open()).reply.status).toBe(200);
    await turns();
    expect(streams.map(({ heard }) => heard.ended)).toEqual([true, ...Array(9).fill(false)]);
    expect(held()).toBe(11);
  });

  it.each(["abort", "cancel"])("are released on %s", async (way) => {
    const { several, held } = await setUp();
    for (let n = 0; n < 3; n++) {
      const streams = await several(10);
      expect(held()).toBe(10);
      for (const { stop, cancel } of streams) way === "abort" ? stop.abort() : await cancel();
      expect(held()).toBe(0);
    }
  });

  it("hold nothing until somebody reads the answer, nor when it is dropped unread", async () => {
    const { unread, held } = await setUp();
    const replies = await Promise.all(Array.from({ length: 30 }, unread));
    expect(replies.map(({ status }) => status)).toEqual(Array(30).fill(200));
    expect(held()).toBe(0);
    for (const { body } of replies.slice(10)) await body?.cancel();
    const read = replies.slice(0, 10).map(listen);
    await turns();
    expect(held()).toBe(10);
    for (const { cancel } of read) await cancel();
    expect(held()).toBe(0);
  });

  it("end at once if there is no room left when the answer is read", async () => {
    const { unread, held } = await setUp();
    const read = (await Promise.all(Array.from({ length: 11 }, unread))).map(listen);
    await turns();
    expect(held()).toBe(10);
    expect(read.filter(({ heard }) => heard.ended)).toHaveLength(1);
  });

  it("are refused with the time to wait when the server has no stream left", async () => {
    const { open, several, room } = await setUp();
    room(2);
    const [first] = await several(2);
    const { reply } = await open();
    expect([reply.status, reply.headers.get("retry-after")]).toEqual([429, "15"]);
    first?.stop.abort();
    expect((await open()).reply.status).toBe(200);
  });
});

describe("the stream of a chat", () => {
  it("sends existing and new entries, each once and in order", async () => {
    const journal = memoryJournal();
    await journal.append([line(1), line(2)]);
    const stream = follow(journal);
    await turns();
    await journal.append([line(3)]);
    await turns();
    expect(stream.ids()).toEqual([1, 2, 3]);
  });

  it("goes on after a position, by header or by address", async () => {
    const shop = await openShop();
    for (const n of ["1", "2", "3"]) await shop.send(text(n), n);
    const stream = async (path: string, more: Record<string, string>) => {
      const stop = new AbortController();
      const { reply } = await shop.ask("GET", path, { headers: { ...shop.headers, ...more }, signal: stop.signal });
      const { ids } = listen(reply);
      await turns();
      stop.abort();
      return ids();
    };
    expect(await stream("events", { "last-event-id": "2" })).toEqual([3]);
    expect(await stream("events?after=1", {})).toEqual([2, 3]);
    expect(await stream("events?after=1", { "last-event-id": "2" })).toEqual([3]);
    expect(await stream("events", { "last-event-id": "nonsense" })).toEqual([1, 2, 3]);
  });

  it.each(Array.from({ length: 12 }, (_, ticks) => ticks))(
    "misses nothing that is written %i ticks after a read",
    async (ticks) => {
      const journal = memoryJournal();
      let reads = 0;
      const watched: Journal = {
        ...journal,
        async after(...asked) {
          const records = await journal.after(...asked);
          if (++reads === 1) void late();
          return records;
        },
      };
      const late = async () => {
        for (let n = 0; n < ticks; n++) await undefined;
        await journal.append([line(1)]);
      };
      const stream = follow(watched);
      await turns();
      expect(stream.ids()).toEqual([1]);
    },
  );

  it("misses nothing that is written between the read and the next", async () => {
    const journal = memoryJournal();
    let n = 0;
    // Writes an entry right after each read.
    const racing: Journal = {
      ...journal,
      async after(...asked) {
        const records = await journal.after(...asked);
        if (n < 50) await journal.append([line(++n)]);
        return records;
      },
    };
    const stream = follow(racing);
    await turns();
    expect(stream.ids()).toEqual(Array.from({ length: 50 }, (_, at) => at + 1));
  });

  it("sends a long history as fast as the browser reads, buffers little, and cuts a browser that does not read", async () => {
    const journal = memoryJournal();
    const words = "x".repeat(30_000);
    const long = (n: number) => ({ chat, key: `k${n}`, entry: { type: "edited", id: `m${n}`, text: words } });
    await journal.append(Array.from({ length: 200 }, (_, n) => long(n + 1)));
    const clock = handClock();
    const read = (position: number) =>
      eventStream({ journal, clock, chat, position, signal: new AbortController().signal });
    const response = read(0);
    const first = response.body?.getReader();
    await first?.read();
    first?.releaseLock();
    await turns();
    await clock.forward(69_000);
    expect(journal.watchers()).toBe(1);
    await clock.forward(2_000);
    expect(journal.watchers()).toBe(0);
    // After the cut only the buffered bytes are left.
    const cut = listen(response);
    await cut.reading;
    expect(cut.heard.text.length).toBeLessThan(256 * 1024);
    const last = cut.ids().at(-1) ?? 0;
    expect(last).toBeGreaterThan(0);
    const again = listen(read(last));
    await until("the rest", () => again.ids().at(-1) === 200);
    expect([...cut.ids(), ...again.ids()]).toEqual(Array.from({ length: 200 }, (_, n) => n + 1));
  });

  it("sends a heartbeat every 35 seconds while it is idle", async () => {
    const stream = follow(memoryJournal());
    await stream.clock.forward(106_000);
    expect(stream.heard.text.match(/: beat/g)).toHaveLength(3);
  });

  it.each(["abort", "cancel"])("ends on %s and leaves nothing behind", async (way) => {
    const journal = memoryJournal();
    const stop = new AbortController();
    const stream = follow(journal, { signal: stop.signal });
    await turns();
    expect(journal.watchers()).toBe(1);
    if (way === "abort") stop.abort();
    else await stream.cancel();
    await stream.reading;
    expect(journal.watchers()).toBe(0);
    await journal.append([line(1)]);
    await stream.clock.forward(80_000);
    expect(stream.heard.text).not.toContain("beat");
  });

  it("ends at once when the browser has already gone", async () => {
    const journal = memoryJournal();
    await follow(journal, { signal: AbortSignal.abort() }).reading;
    expect(journal.watchers()).toBe(0);
  });

  it("ends when the journal fails, so that the browser reconnects", async () => {
    const journal = memoryJournal();
    const stream = follow(journal);
    await turns();
    journal.broken(new Error("disk"));
    await journal.append([line(1)]).catch(() => {});
    await stream.clock.forward(35_000);
    await stream.reading;
    expect(stream.heard.ended).toBe(true);
  });

  it("never sends another visitor's chat", async () => {
    const journal = memoryJournal();
    const stream = follow(journal);
    await journal.append([{ ...line(1), chat: "other" as ChatId }, line(2)]);
    await turns();
    expect(stream.ids()).toEqual([2]);
  });
});
