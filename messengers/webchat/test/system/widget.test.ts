import { describe, expect, it, vi } from "vitest";
import { fresh, openShop, PNG } from "../unit/shop.ts";
import { PATIENCE, send, storage, tab, wire } from "../unit/tab.ts";

describe("the widget", () => {
  it("falls back to polling when the server has no stream left", async () => {
    const shop = await openShop();
    let free = false;
    Object.assign(shop.context.streams, { hasRoom: () => free, take: () => (free ? () => {} : undefined) });
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
    const last = [{ status: "read" }, { edited: true, deleted: true }];
    await vi.waitFor(() => expect(chat.messages()).toMatchObject(last), PATIENCE);
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
    // Without stream and polling, only the repeat can show that it arrived.
    network.cut((path, sent) => path === "events" || path === "open" || (path === "messages" && sent && lost++ === 0));
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
    expect(refused?.refused).toContain("4,096");
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

  it("whose token dies while it is open starts again, without the former visitor's messages", async () => {
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

  it("closes its stream while it rests, and misses nothing", async () => {
    const shop = await openShop();
    const { chat, opened, visitor, sees } = tab(shop);
    await opened();
    chat.rest();
    await vi.waitFor(() => expect(shop.journal.watchers()).toBe(0), PATIENCE);
    await send(shop, visitor(), "while you were away", "1");
    await vi.waitFor(() => expect(chat.state()).toBe("offline"), PATIENCE);
    // Longer than the first backoff.
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

  it("shows a picture beside a document as the two messages they become, before and after they are sent", async () => {
    const shop = await openShop();
    const { chat, opened, network } = tab(shop);
    await opened();
    const signal = fresh();
    const pdf = await chat.upload(new Blob(["%PDF-1.7"]), "offer.pdf", signal);
    const png = await chat.upload(new Blob([PNG]), "a.png", signal);
    const shown = () => chat.messages().map(({ text, files, status }) => [text, files.map(({ name }) => name), status]);
    const both = (status: string) => [
      ["look", ["a.png"], status],
      [undefined, ["offer.pdf"], status],
    ];
    network.cut(() => true);
    chat.say("look", [pdf, png]);
    expect(shown()).toEqual(both("sending"));
    network.mend();
    chat.wake();
    await vi.waitFor(() => expect(shown()).toEqual(both("sent")), PATIENCE);
    await opened();
    expect(shown()).toEqual(both("sent"));
    expect([...shop.events.values()]).toMatchObject([{ content: { type: "image" } }, { content: { type: "file" } }]);
  });

  it("tells what an answer was asked for, and where the visitor came from", async () => {
    const shop = await openShop();
    const { chat, opened, sees } = tab(shop);
    await opened();
    chat.say("+356 2123 4567", [], { answers: "phone" });
    chat.say("hello", []);
    await sees([
      ["+356 2123 4567", "sent"],
      ["hello", "sent"],
    ]);
    const utm = { source: "newsletter" };
    expect([...shop.events.values()]).toMatchObject([
      { customer: { phone: "+35621234567", utm } },
      { customer: { phone: undefined, utm } },
    ]);
  });

  it("has no gap when more was written than a page holds while it was offline", async () => {
    const shop = await openShop();
    const { chat, opened, visitor, network } = tab(shop);
    await opened();
    await send(shop, visitor(), "first", "first");
    await vi.waitFor(() => expect(chat.messages()).toHaveLength(1), PATIENCE);
    // Only polling works from now on, and much was written while not even that worked.
    Object.assign(shop.context.streams, { hasRoom: () => false, take: () => undefined });
    network.cut(() => true);
    for (let n = 0; n < 250; n++) await send(shop, visitor(), `message ${n}`, `${n}`);
    network.mend();
    chat.wake();
    await vi.waitFor(() => expect(chat.messages()).toHaveLength(200), PATIENCE);
    while (chat.hasOlder()) await chat.readBack();
    const written = ["first", ...Array.from({ length: 250 }, (_, n) => `message ${n}`)];
    expect(chat.messages().map((message) => message.text)).toEqual(written);
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
