import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startChat } from "../../../src/channels/webchat/browser/chat.ts";
import { contrast, inkOn, readableOn } from "../../../src/channels/webchat/browser/colour.ts";
import { createHistory } from "../../../src/channels/webchat/browser/history.ts";
import { type Items, memoryOf } from "../../../src/channels/webchat/browser/memory.ts";
import { connectServer } from "../../../src/channels/webchat/browser/server.ts";
import { fresh, openShop, PNG, text } from "./shop.ts";

type Shop = Awaited<ReturnType<typeof openShop>>;

/** The widget's own pauses between tries grow from half a second, with jitter. */
const PATIENCE = { timeout: 8000, interval: 10 };
vi.setConfig({ testTimeout: 20_000 });

/** One browser's storage, for all its tabs. */
function storage(): Items & { full: boolean } {
  const items = new Map<string, string>();
  const kept = {
    full: false,
    get length() {
      return items.size;
    },
    key: (n: number) => [...items.keys()][n] ?? null,
    getItem: (name: string) => items.get(name) ?? null,
    setItem(name: string, value: string) {
      if (kept.full) throw new Error("QuotaExceededError");
      items.set(name, value);
    },
    removeItem: (name: string) => void items.delete(name),
  };
  return kept;
}

/** The network between widget and session; it can be cut. */
function wire(first: Shop) {
  let shop = first;
  const asked: string[] = [];
  let fault: (path: string, sent: boolean) => boolean = () => false;
  const lines = new Set<AbortController>();
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const path = String(url).split("/door/")[1] ?? "";
    if (fault(path, false)) throw new TypeError("Failed to fetch");
    asked.push(path);
    const line = new AbortController();
    lines.add(line);
    init?.signal?.addEventListener("abort", () => line.abort());
    const receipt = await shop.session.receive(new Request(url as string, { ...init, signal: line.signal }));
    await shop.commit(receipt);
    if (fault(path, true)) throw new TypeError("Failed to fetch");
    return receipt.reply;
  };
  return {
    fetch,
    asked,
    /** `sent` tells whether the server has got the request and only its answer is lost. */
    cut(when: (path: string, sent: boolean) => boolean) {
      fault = when;
      for (const line of lines) line.abort();
      lines.clear();
    },
    mend() {
      fault = () => false;
    },
    /** Another server answers at the same address from now on. */
    lead(to: Shop) {
      shop = to;
    },
  };
}

function tab(shop: Shop, items: Items = storage(), network = wire(shop)) {
  const server = connectServer(shop.context.doorUrl, network.fetch);
  const memory = memoryOf("door", () => items);
  const chat = startChat({ server, memory, page: () => "https://shop.example/", changed: () => {} });
  onTestFinished(chat.leave);
  const opened = () => vi.waitFor(() => expect(chat.state()).toBe("online"), PATIENCE);
  const visitor = () => chat.opened()?.visitor.split(".")[0] ?? "";
  const shown = () => chat.messages().map((message) => [message.text, message.status]);
  const sees = (expected: unknown[]) => vi.waitFor(() => expect(shown()).toEqual(expected), PATIENCE);
  return { chat, items, network, memory, opened, visitor, sees, shown };
}
const send = (shop: Shop, chat: string, word: string, key: string) =>
  shop.send(text(word), key, { chat: chat as never });

describe("the widget", () => {
  it("goes on by asking where the server has no line left", async () => {
    const shop = await openShop();
    let free = false;
    shop.context.lines.take = () => (free ? () => {} : undefined);
    const network = wire(shop);
    const { fetch } = network;
    network.fetch = async (url, init) => {
      const answer = await fetch(url, init);
      if (answer.status === 429) answer.headers.set("retry-after", "1");
      return answer;
    };
    const { chat, opened, visitor, sees } = tab(shop, storage(), network);
    await opened();
    chat.say("hello", []);
    await sees([["hello", "sent"]]);
    await send(shop, visitor(), "hi", "1");
    await sees([
      ["hello", "sent"],
      ["hi", "sent"],
    ]);
    expect(chat.state()).toBe("online");
    free = true;
    await vi.waitFor(() => expect(shop.journal.watchers()).toBe(1), PATIENCE);
  });

  it("shows what is said on both sides, edits, deletions and marks", async () => {
    const shop = await openShop();
    const { chat, opened, visitor, sees } = tab(shop);
    await opened();
    chat.say("hello", []);
    await sees([["hello", "sent"]]);
    const [own] = chat.messages();
    const target = { chat: visitor() as never, messengerMessageId: own?.id as never };
    await shop.session.readMarks?.delivered(target, fresh());
    await send(shop, visitor(), "yuor rope", "1");
    const part = { messengerMessageId: "a.1" as never, holds: "text" as const };
    const edit = { do: "edit" as const, part, text: "your rope", marks: [], suggestions: [] };
    await shop.session.revisions?.edit(edit, target.chat, fresh());
    await sees([
      ["hello", "delivered"],
      ["your rope", "sent"],
    ]);
    await shop.session.readMarks?.read(target, fresh());
    await shop.session.readMarks?.delivered(target, fresh());
    await shop.session.revisions?.delete({ ...target, messengerMessageId: "a.1" as never }, fresh());
    await vi.waitFor(() =>
      expect(chat.messages()).toMatchObject([{ status: "read" }, { edited: true, deleted: true }]),
    );
  });

  it("sends what was written while there was no network, in order and once, and shows it meanwhile", async () => {
    const shop = await openShop();
    const { chat, opened, network, sees } = tab(shop);
    await opened();
    network.cut(() => true);
    chat.say("one", []);
    chat.say("two", []);
    await sees([
      ["one", "sending"],
      ["two", "sending"],
    ]);
    network.mend();
    chat.wake();
    await sees([
      ["one", "sent"],
      ["two", "sent"],
    ]);
    expect(shop.events.size).toBe(2);
  });

  it("keeps the order of what is written within one millisecond", async () => {
    const shop = await openShop();
    const { chat, opened, sees } = tab(shop);
    await opened();
    const written = Array.from({ length: 12 }, (_, n) => `message ${n}`);
    for (const word of written) chat.say(word, []);
    await sees(written.map((word) => [word, "sent"]));
    expect([...shop.events.values()]).toMatchObject(written.map((word) => ({ content: { text: word } })));
  });

  it("whose answer was lost sends the same message again, and it is one message", async () => {
    const shop = await openShop();
    const { chat, opened, network, sees } = tab(shop);
    await opened();
    let lost = 0;
    // Without the stream, nothing but the repeat can tell that it arrived.
    network.cut((path, sent) => path === "events" || (path === "messages" && sent && lost++ === 0));
    chat.say("once", []);
    await sees([["once", "sent"]]);
    expect(network.asked.filter((path) => path === "messages")).toHaveLength(2);
    network.mend();
    chat.wake();
    await opened();
    expect(shop.events.size).toBe(1);
    expect(chat.messages()).toHaveLength(1);
  });

  it("keeps what is not sent over a reload", async () => {
    const shop = await openShop();
    const items = storage();
    const before = tab(shop, items);
    await before.opened();
    before.network.cut(() => true);
    before.chat.say("do not lose me", []);
    before.chat.leave();
    const after = tab(shop, items);
    await after.sees([["do not lose me", "sent"]]);
    expect(items.length).toBe(1);
  });

  it("shows why a message was refused, and sends the others", async () => {
    const shop = await openShop();
    const { chat, opened, sees } = tab(shop);
    await opened();
    chat.say("x".repeat(5000), []);
    chat.say("short", []);
    await sees([
      ["short", "sent"],
      ["x".repeat(5000), "refused"],
    ]);
    const refused = chat.messages().at(-1);
    expect(refused?.refused).toContain("4096");
    chat.retry(refused?.id ?? "");
    await vi.waitFor(() => expect(chat.messages().at(-1)?.status).toBe("refused"), PATIENCE);
    chat.discard(refused?.id ?? "");
    await sees([["short", "sent"]]);
  });

  it("has its history after a reload, and two tabs stay in step", async () => {
    const shop = await openShop();
    const items = storage();
    const one = tab(shop, items);
    await one.opened();
    one.chat.say("from one", []);
    await one.sees([["from one", "sent"]]);
    const two = tab(shop, items);
    await two.sees([["from one", "sent"]]);
    await two.opened();
    two.chat.say("from two", []);
    await one.sees([
      ["from one", "sent"],
      ["from two", "sent"],
    ]);
    expect(two.visitor()).toBe(one.visitor());
  });

  it("does not lose a draft of one tab when another writes", async () => {
    const shop = await openShop();
    const items = storage();
    const [one, two] = [tab(shop, items), tab(shop, items)];
    await Promise.all([one.opened(), two.opened()]);
    for (const { network } of [one, two]) network.cut(() => true);
    one.chat.say("one", []);
    two.chat.say("two", []);
    const words = ({ chat }: typeof one) => chat.messages().map((message) => message.text);
    expect(words(one).sort()).toEqual(["one", "two"]);
    expect(words(two).sort()).toEqual(["one", "two"]);
  });

  it("counts what is unread and tells the server once it is read, also when that failed at first", async () => {
    const shop = await openShop();
    const { chat, opened, visitor, network, sees } = tab(shop);
    await opened();
    await send(shop, visitor(), "hi", "1");
    await sees([["hi", "sent"]]);
    expect(chat.unread()).toHaveLength(1);
    network.cut((path) => path === "read");
    chat.markRead();
    expect(chat.unread()).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([...shop.events.keys()]).toEqual([]);
    network.mend();
    chat.markRead();
    await vi.waitFor(() => expect([...shop.events.keys()]).toEqual(["read:a.1"]), PATIENCE);
  });

  it("does not count again after a reload what was read", async () => {
    const shop = await openShop();
    const items = storage();
    const before = tab(shop, items);
    await before.opened();
    await send(shop, before.visitor(), "hi", "1");
    await before.sees([["hi", "sent"]]);
    before.chat.markRead();
    await vi.waitFor(() => expect(shop.events.size).toBe(1), PATIENCE);
    const after = tab(shop, items);
    await after.sees([["hi", "sent"]]);
    expect(after.chat.unread()).toEqual([]);
  });

  it("with a token that is no longer known begins as a new visitor and still sends what is waiting", async () => {
    const shop = await openShop();
    const items = storage();
    items.setItem("gangway:door:visitor", `${"a".repeat(22)}.${"b".repeat(43)}`);
    const { chat, sees, visitor } = tab(shop, items);
    chat.say("still here", []);
    await sees([["still here", "sent"]]);
    expect(visitor()).not.toBe("a".repeat(22));
  });

  it("whose token dies while it is open begins anew, without the former visitor's messages", async () => {
    const [shop, renewed] = [await openShop(), await openShop()];
    const { chat, opened, network, sees, visitor } = tab(shop);
    await opened();
    chat.say("before", []);
    await sees([["before", "sent"]]);
    const former = visitor();
    network.lead(renewed);
    network.cut(() => false);
    await vi.waitFor(() => expect(["", former]).not.toContain(visitor()), PATIENCE);
    await opened();
    expect(chat.messages()).toEqual([]);
    chat.say("after", []);
    await sees([["after", "sent"]]);
    expect(renewed.events.size).toBe(1);
  });

  it("says so where it may not be shown, and asks no more", async () => {
    const shop = await openShop();
    const refused = async () => Response.json({ error: { message: "no" } }, { status: 403 });
    const server = connectServer(shop.context.doorUrl, refused as typeof fetch);
    const memory = memoryOf("door", storage);
    const chat = startChat({ server, memory, page: () => "", changed: () => {} });
    await vi.waitFor(() => expect(chat.state()).toBe("closed"), PATIENCE);
  });

  it("lets go of its line while it rests, and misses nothing", async () => {
    const shop = await openShop();
    const { chat, opened, visitor, sees } = tab(shop);
    await opened();
    chat.rest();
    await vi.waitFor(() => expect(shop.journal.watchers()).toBe(0), PATIENCE);
    await send(shop, visitor(), "while you were away", "1");
    await vi.waitFor(() => expect(chat.state()).toBe("offline"), PATIENCE);
    // Longer than the first pause between tries.
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect(chat.messages()).toEqual([]);
    expect(shop.journal.watchers()).toBe(0);
    chat.wake();
    await sees([["while you were away", "sent"]]);
  });

  it("sends pictures", async () => {
    const shop = await openShop();
    const { chat, opened, sees } = tab(shop);
    await opened();
    const file = await chat.upload(new Blob([PNG], { type: "image/png" }), "Счёт.png", fresh());
    chat.say("", [file]);
    await sees([[undefined, "sent"]]);
    expect(chat.messages()[0]?.files).toMatchObject([{ name: "Счёт.png", image: true }]);
    expect([...shop.events.values()]).toMatchObject([{ content: { type: "image" } }]);
  });

  it("works where the browser keeps nothing", async () => {
    const shop = await openShop();
    const items = storage();
    items.full = true;
    const { chat, opened, sees } = tab(shop, items);
    await opened();
    chat.say("hello", []);
    await sees([["hello", "sent"]]);
    expect(items.length).toBe(0);
  });
});

describe("the memory of a browser", () => {
  it("is one for all its tabs: what one removes does not come back from another", () => {
    const items = storage();
    const [one, two] = [memoryOf("door", () => items), memoryOf("door", () => items)];
    one.set("draft:1", "x");
    expect(two.get("draft:1")).toBe("x");
    two.set("draft:1", null);
    expect([one.get("draft:1"), one.names("draft:")]).toEqual([null, []]);
  });

  it("lasts as long as the page where nothing can be stored, or removed", () => {
    const items = storage();
    items.setItem("gangway:door:draft:old", "x");
    const stuck = () => {
      throw new Error("SecurityError");
    };
    const memory = memoryOf("door", () => ({ ...items, length: 1, setItem: stuck, removeItem: stuck }));
    memory.set("draft:new", "y");
    expect(memory.names("draft:").sort()).toEqual(["draft:new", "draft:old"]);
    for (const name of memory.names("draft:")) memory.set(name, null);
    expect([memory.names("draft:"), memory.get("draft:old"), memory.get("draft:new")]).toEqual([[], null, null]);
  });

  it("keeps channels apart", () => {
    const items = storage();
    memoryOf("one", () => items).set("visitor", "a");
    expect(memoryOf("other", () => items).get("visitor")).toBeNull();
  });
});

describe("the folded history", () => {
  const message = (id: string) => ({ type: "message" as const, from: "agent" as const, id, files: [], at: 0 });
  it("stands in the journal's order, however it came", () => {
    const history = createHistory();
    history.take(message("mine"));
    history.take(message("b"), 2);
    history.take(message("a"), 1);
    expect(history.messages().map(({ id }) => id)).toEqual(["a", "b", "mine"]);
    history.take(message("mine"), 3);
    history.take(message("c"), 4);
    expect(history.messages().map(({ id }) => id)).toEqual(["a", "b", "mine", "c"]);
  });

  it("never goes back from read, and leaves alone what it does not know", () => {
    const history = createHistory();
    history.take({ type: "read", id: "unknown" }, 1);
    history.take(message("m"), 2);
    history.take({ type: "read", id: "m" }, 3);
    history.take({ type: "delivered", id: "m" }, 4);
    expect(history.messages()).toMatchObject([{ id: "m", status: "read" }]);
  });
});

describe("the colours", () => {
  it.each(["#0f5f6b", "#ffffff", "#000000", "#ffd400", "#777777", "#e91e63"])("can be read on %s", (accent) => {
    expect(contrast(inkOn(accent), accent)).toBeGreaterThanOrEqual(4);
    for (const ground of ["#ffffff", "#192227"])
      expect(contrast(readableOn(accent, ground), ground)).toBeGreaterThanOrEqual(4.5);
  });

  it("says that the server is busy, waits as long as it is told to, and then sends", async () => {
    const shop = await openShop();
    const network = wire(shop);
    let refusals = 1;
    const { fetch } = network;
    network.fetch = async (url, init) => {
      if (!String(url).endsWith("/messages") || refusals-- <= 0) return fetch(url, init);
      return Response.json({ error: { message: "later" } }, { status: 429, headers: { "retry-after": "1" } });
    };
    const { chat, opened, shown, sees } = tab(shop, storage(), network);
    await opened();
    chat.say("hello", []);
    await vi.waitFor(() => expect(chat.state()).toBe("busy"), PATIENCE);
    expect(shown()).toEqual([["hello", "sending"]]);
    await sees([["hello", "sent"]]);
    expect(chat.state()).toBe("online");
  });
});
