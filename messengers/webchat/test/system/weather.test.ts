import type { Clock } from "gangway-messenger/clock";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fresh, openShop, PNG, text } from "../unit/shop.ts";
import { send, storage, tab, wire } from "../unit/tab.ts";

// Every response that the widget can get, from the server or from anything in between. The chat must never look connected
// when it is not, and must recover from each.

type Answer = (init: RequestInit | undefined) => Promise<Response>;
const ours = (status: number, more: { headers?: Record<string, string>; code?: string } = {}): Answer => {
  const error = { code: more.code, message: "the server's own words" };
  return async () => Response.json({ error }, { status, headers: more.headers });
};
const page = (status: number): Answer => {
  const headers = { "content-type": "text/html" };
  return async () => new Response("<!doctype html><title>Sign in</title>", { status, headers });
};
const json = (body: string): Answer => {
  return async () => new Response(body, { headers: { "content-type": "application/json" } });
};
const never: Answer = (init) =>
  new Promise((_, reject) => init?.signal?.addEventListener("abort", () => reject(new DOMException("", "AbortError"))));
/** A body that starts and then hangs. Fails when the request is aborted, as in a browser. */
const stopping =
  (begun: string, contentType: string): Answer =>
  async (init) => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        if (begun) controller.enqueue(new TextEncoder().encode(begun));
        init?.signal?.addEventListener("abort", () => controller.error(new DOMException("", "AbortError")));
      },
    });
    return new Response(body, { headers: { "content-type": contentType } });
  };

type Met = "closed" | "elsewhere" | "busy" | "offline" | "refused";
const WEATHER: [string, Met, Answer][] = [
  ["no network, or a preflight that is refused", "offline", () => Promise.reject(new TypeError("Failed to fetch"))],
  ["a 400", "refused", ours(400)],
  ["a 413", "refused", ours(413)],
  ["a 403", "elsewhere", ours(403)],
  ["a 404", "closed", ours(404)],
  ["a 410", "closed", ours(410)],
  [
    "a 429 for a door that is not there",
    "closed",
    ours(429, { code: "unknown-door", headers: { "retry-after": "60" } }),
  ],
  ["a 429", "busy", ours(429, { headers: { "retry-after": "2" } })],
  ["a 429 without a time", "busy", ours(429)],
  ["a 429 with a time that is none", "busy", ours(429, { headers: { "retry-after": "-1000" } })],
  ["a 503", "busy", ours(503, { headers: { "retry-after": "2" } })],
  ["a 503 with a date", "busy", ours(503, { headers: { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" } })],
  ["a 408", "offline", ours(408)],
  ["a 500", "offline", ours(500)],
  ["a 403 of a proxy", "offline", page(403)],
  ["a 404 of a proxy", "offline", page(404)],
  ["a 413 of a proxy", "offline", page(413)],
  ["a 429 of a proxy", "offline", page(429)],
  ["a 502 of a proxy", "offline", page(502)],
  ["a 503 of a proxy", "offline", page(503)],
  ["a page with 200", "offline", page(200)],
  ["a page that does not end", "offline", stopping("<!doctype html>", "text/html")],
  ["a no without words", "offline", async () => Response.json({ error: { message: "" } }, { status: 400 })],
  ["an answer of nothing", "offline", async () => new Response(null, { status: 204 })],
  ["half an answer", "offline", json('{"visitor":"x","history":[')],
  ["another's answer", "offline", json("{}")],
  ["an answer that is no object", "offline", json('"ok"')],
  ["an answer that never comes", "offline", never],
  ["an answer that stops in the middle", "offline", stopping('{"id":', "application/json")],
  ["a stream that says nothing", "offline", stopping("", "text/event-stream")],
  ["a stream that ends at once", "offline", async () => new Response(": open\n\n", { headers: STREAM })],
];
const STREAM = { "content-type": "text/event-stream" };

/** Duration of each fault, ms: longer than all timeouts of the widget except that of uploads. */
const SPELL_MS = 45_000;
/** The chat recovers within this time, ms; a closed chat is retried after 60 to 83 s. */
const BACK_MS = 100_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] }));
afterEach(() => void vi.useRealTimers());

/** Advances in steps: work between two timers needs ticks of the real event loop. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 500) {
    await vi.advanceTimersByTimeAsync(500);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** A tab; `weather` makes requests of one kind get a given response. */
async function setUp() {
  const shop = await openShop({}, clock);
  const network = wire(shop);
  const through = network.fetch;
  const met: { request?: string; answer: Answer; count: number } = { answer: never, count: 0 };
  network.fetch = (url, init) => {
    const path = String(url).split("/door/")[1]?.split("?")[0] ?? "";
    if (path !== met.request) return through(url, init);
    met.count += 1;
    return met.answer(init);
  };
  const items = storage();
  items.setItem("gangway:door:visitor", shop.visitor);
  const begin = () => tab(shop, items, network);
  const weather = (request: string | undefined, answer: Answer = never) => Object.assign(met, { request, answer });
  return { shop, items, begin, weather, asked: () => met.count };
}
const statusOf = (widget: ReturnType<typeof tab>, words: string) =>
  widget.chat.messages().find((message) => message.text === words)?.status;

describe("the first request, that opens the chat,", () => {
  it.each(WEATHER)("meets %s: %s is said, and the chat opens as soon as it can", async (_, how, answer) => {
    const { shop, begin, weather, asked } = await setUp();
    weather("open", answer);
    const widget = begin();
    widget.chat.say("hello", []);
    await pass(SPELL_MS);
    const said = how === "refused" ? "offline" : how;
    expect(widget.chat.state()).toBe(said);
    expect(widget.chat.isClosed()).toBe(how === "closed" || how === "elsewhere");
    expect([statusOf(widget, "hello"), shop.events.size]).toEqual(["sending", 0]);
    expect(asked()).toBeGreaterThan(0);
    expect(asked()).toBeLessThan(20);
    weather(undefined);
    await pass(BACK_MS);
    expect([widget.chat.state(), statusOf(widget, "hello"), shop.events.size]).toEqual(["online", "sent", 1]);
    // It is still the same visitor.
    expect(widget.chat.opened()?.visitor).toBe(shop.visitor);
  });
});

describe("the stream", () => {
  it.each(WEATHER)("meets %s (%s): the chat closes, or goes on by asking", async (_, how, answer) => {
    const { shop, begin, weather, asked } = await setUp();
    weather("events", answer);
    const widget = begin();
    widget.chat.say("hello", []);
    await pass(SPELL_MS);
    const closes = how === "closed" || how === "elsewhere";
    expect(asked()).toBeLessThan(20);
    if (closes) expect(widget.chat.state()).toBe(how);
    else {
      await send(shop, shop.chat, "hi", "1");
      await pass(SPELL_MS);
      expect([widget.chat.state(), statusOf(widget, "hello"), statusOf(widget, "hi")]).toEqual([
        "online",
        "sent",
        "sent",
      ]);
    }
    weather(undefined);
    await pass(BACK_MS);
    await send(shop, shop.chat, "there you are", "2");
    await pass(500);
    expect([widget.chat.state(), statusOf(widget, "there you are")]).toEqual(["online", "sent"]);
    expect(shop.journal.watchers()).toBe(1);
  });

  it("with an event that was mangled on the way brings all others", async () => {
    const { shop, begin, weather } = await setUp();
    const sound = { type: "message", from: "agent", id: "a.1", text: "hi", files: [], at: 1 };
    const events = `: open\n\nid: 1\ndata: {"type":\n\nid: x\ndata: {}\n\nid: 2\ndata: ${JSON.stringify(sound)}\n\n`;
    weather("events", stopping(events, "text/event-stream"));
    const widget = begin();
    await pass(SPELL_MS);
    expect([widget.chat.state(), statusOf(widget, "hi"), shop.journal.watchers()]).toEqual(["online", "sent", 0]);
  });

  it("that broke after a long time, is there again at once", async () => {
    const { shop, begin } = await setUp();
    const widget = begin();
    await pass(SPELL_MS);
    widget.network.cut(() => false);
    await pass(1_000);
    expect([widget.chat.state(), shop.journal.watchers()]).toEqual(["online", 1]);
    expect(widget.network.asked.filter((path) => path === "open")).toHaveLength(1);
  });
});

describe("a message", () => {
  it.each(WEATHER)("meets %s: %s is said, nothing is lost, and it is one message", async (_, how, answer) => {
    const { shop, begin, weather, asked, items } = await setUp();
    const widget = begin();
    await pass(1_000);
    weather("messages", answer);
    widget.chat.say("hello", []);
    // Not longer: the widget reaches a busy server after its Retry-After.
    await pass(how === "busy" ? 1_000 : SPELL_MS);
    expect(asked()).toBeLessThan(20);
    expect(shop.events.size).toBe(0);
    if (how === "refused") {
      expect(widget.chat.messages()).toMatchObject([{ status: "refused", refused: "the server's own words" }]);
      expect(widget.chat.state()).toBe("online");
      weather(undefined);
      widget.chat.retry(widget.chat.messages()[0]?.id ?? "");
    } else expect([widget.chat.state(), statusOf(widget, "hello")]).toEqual([how, "sending"]);
    expect([...Array(items.length).keys()].some((n) => items.key(n)?.includes("draft:"))).toBe(true);
    weather(undefined);
    await pass(BACK_MS);
    expect([widget.chat.state(), statusOf(widget, "hello"), shop.events.size]).toEqual(["online", "sent", 1]);
  });
});

describe("a file", () => {
  it.each(WEATHER)("meets %s (%s): the visitor is told, and may try again", async (_, how, answer) => {
    const { begin, weather } = await setUp();
    const widget = begin();
    await pass(1_000);
    weather("files", answer);
    const upload = () => widget.chat.upload(new Blob([PNG]), "a.png", fresh());
    const result = upload().then(
      () => "kept",
      (error: Error) => error.message,
    );
    await pass(1_000);
    expect(widget.chat.state()).toBe(how === "closed" || how === "elsewhere" ? how : "online");
    await pass(200_000);
    const words = how === "refused" || how === "busy";
    expect(await result).toEqual(words ? "the server's own words" : expect.not.stringMatching(/^kept$/));
    weather(undefined);
    await pass(BACK_MS);
    expect(widget.chat.state()).toBe("online");
    expect(await upload()).toMatchObject({ image: true });
  });
});

describe("what stands further back", () => {
  it.each(WEATHER)(
    "meets %s (%s): the visitor is told, may try again, and has everything once",
    async (_, how, answer) => {
      const { shop, begin, weather } = await setUp();
      for (let n = 0; n < 210; n++) await shop.send(text(`message ${n}`), `${n}`);
      const widget = begin();
      await pass(1_000);
      expect([widget.chat.messages().length, widget.chat.hasOlder()]).toEqual([200, true]);
      weather("history", answer);
      const failed = widget.chat.readBack().then(
        () => false,
        () => true,
      );
      await pass(SPELL_MS);
      expect(await failed).toBe(true);
      expect(widget.chat.state()).toBe(how === "closed" || how === "elsewhere" ? how : "online");
      weather(undefined);
      await pass(BACK_MS);
      expect(await widget.chat.readBack()).toBe(10);
      expect(widget.chat.messages().map((message) => message.text)).toEqual(
        Array.from({ length: 210 }, (_, n) => `message ${n}`),
      );
      expect([widget.chat.hasOlder(), widget.chat.state()]).toEqual([false, "online"]);
    },
  );
});

describe("a read mark", () => {
  it.each(WEATHER)("meets %s (%s), and is told later unless it is refused", async (_, how, answer) => {
    const { shop, begin, weather, asked } = await setUp();
    await send(shop, shop.chat, "hi", "1");
    const widget = begin();
    await pass(1_000);
    weather("read", answer);
    widget.chat.markRead();
    await pass(SPELL_MS);
    expect([widget.chat.unread().length, asked()]).toEqual([0, 1]);
    expect(widget.chat.state()).toBe(how === "closed" || how === "elsewhere" ? how : "online");
    weather(undefined);
    await pass(BACK_MS);
    widget.chat.markRead();
    await pass(500);
    expect([...shop.events.keys()]).toEqual(how === "refused" ? [] : ["read:a.1"]);
  });
});
