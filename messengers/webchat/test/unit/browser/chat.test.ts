import { describe, expect, it, vi } from "vitest";
import { keepContact } from "../../../src/browser/contact-store.ts";
import { type SignedUser, visitorIn } from "../../../src/browser/protocol.ts";
import { connectServer } from "../../../src/browser/server.ts";
import { forgiving } from "../../../src/browser/signed.ts";
import { userSignature } from "../../../src/visitor.ts";
import { openShop } from "../shop.ts";
import { PATIENCE, storage, tab, wire } from "../tab.ts";

const KEY = "k".repeat(43);
const signed = (id: string): SignedUser => ({ id, signature: userSignature(KEY, id) });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const tokenIn = (items: Pick<ReturnType<typeof storage>, "getItem">) => items.getItem("gangway:door:visitor");

/** A browser in which the shop's customer is signed in. */
async function signedTab() {
  const shop = await openShop({ visitorKey: KEY });
  const items = storage();
  const direct = wire(shop);
  let [path, held]: [string, (() => Promise<void>)?] = ["/messages"];
  const network: typeof direct = {
    ...direct,
    async fetch(url, init) {
      const reply = await direct.fetch(url, init);
      if (String(url).endsWith(path)) await held?.();
      return reply;
    },
  };
  const hold = (until: () => Promise<void>, at = "/messages") => {
    [path, held] = [at, until];
  };
  const ended = vi.fn();
  let user: SignedUser | undefined = signed("42");
  const window = tab(shop, items, network, { user: () => user, ended });
  await window.opened();
  window.chat.say("private", []);
  await window.sees([["private", "sent"]]);
  const token = window.chat.opened()?.visitor ?? "";
  const logout = () => shop.ask("POST", "logout", { headers: bearer(token) });
  const identify = (id: string | undefined) => {
    user = id === undefined ? undefined : signed(id);
    window.chat.reopen();
  };
  return { ...window, shop, network, ended, token, logout, identify, hold };
}

describe("a token that ends in another tab", () => {
  it.each([
    ["whose stream tells it", true],
    ["that learns it by a refusal", false],
    ["that has no streams, and asks", "asks"],
  ])("leaves a tab %s without the chat, and without another token", async (_, streams) => {
    const { shop, items, network, ended, token, logout, chat, shown } = await signedTab();
    if (streams === "asks") network.cut((path) => path === "events");
    if (!streams) {
      chat.rest();
      await vi.waitFor(() => expect(chat.state()).not.toBe("online"), PATIENCE);
    }
    const before = network.asked.filter((path) => path === "open").length;
    if (streams === "asks") items.removeItem("gangway:door:visitor");
    await logout();
    if (!streams) chat.wake();
    await vi.waitFor(() => expect(ended).toHaveBeenCalledOnce(), PATIENCE);
    expect([shown(), tokenIn(items), chat.opened()]).toEqual([[], null, undefined]);
    chat.wake();
    await shop.post({ text: "too late" }, bearer(token));
    if (streams !== "asks") expect(network.asked.filter((path) => path === "open")).toHaveLength(before);
    expect(tokenIn(items)).toBeNull();
  });

  it("while a tab opens its chat anew leaves that one without it, too", async () => {
    const { items, ended, chat, identify, shown, hold } = await signedTab();
    hold(async () => items.removeItem("gangway:door:visitor"), "/open");
    identify("42");
    await vi.waitFor(() => expect([ended.mock.calls.length, chat.opened()]).toEqual([1, undefined]), PATIENCE);
    expect([shown(), tokenIn(items)]).toEqual([[], null]);
  });

  it("takes no token that another tab has got since", async () => {
    const { items, ended, logout } = await signedTab();
    items.setItem("gangway:door:visitor", "another");
    await logout();
    await vi.waitFor(() => expect(ended).toHaveBeenCalledOnce(), PATIENCE);
    expect(tokenIn(items)).toBe("another");
  });
});

describe("unsent messages", () => {
  const draftIn = (items: ReturnType<typeof storage>, id: string, visitor: string, days = 0) => {
    const draft = { id, visitor, text: "x", files: [], page: "", refused: "no", at: Date.now() - days * 86_400_000 };
    items.setItem(`gangway:door:draft:${id}`, JSON.stringify(draft));
  };

  it("of a chat that has ended are forgotten, and nothing of what its visitor has said stays", async () => {
    const { items, chat, ended, logout, memory, visitor } = await signedTab();
    draftIn(items as ReturnType<typeof storage>, "theirs", visitor());
    draftIn(items as ReturnType<typeof storage>, "another's", "other");
    keepContact(memory, { email: "robin@shop.example" }, chat.opened()?.visitor);
    memory.set("began", "1");
    await logout();
    await vi.waitFor(() => expect(ended).toHaveBeenCalledOnce(), PATIENCE);
    expect(memory.names("")).toEqual(["draft:another's"]);
  });

  it("of others are kept for a week, for when they come back", async () => {
    const shop = await openShop();
    const items = storage();
    draftIn(items, "old", "other", 8);
    draftIn(items, "young", "other", 6);
    const { opened, memory, shown } = tab(shop, items);
    await opened();
    expect([memory.names("draft:"), shown()]).toEqual([["draft:young"], []]);
  });
});

describe("a page that names somebody after a signed customer", () => {
  it.each([
    ["with a forged signature", { id: "43", signature: "0".repeat(64) }],
    ["without a signature", { id: "43", signature: "" }],
  ])("%s shows nothing of the customer, whose token ends first", async (_, other) => {
    const shop = await openShop({ visitorKey: KEY });
    const network = wire(shop);
    const refused: string[] = [];
    let user: SignedUser = signed("42");
    const server = forgiving(connectServer(shop.context.doorUrl, network.fetch), (reason) => refused.push(reason));
    const { chat, opened, shown, sees, items } = tab(shop, storage(), network, { server, user: () => user });
    await opened();
    chat.say("private", []);
    await sees([["private", "sent"]]);
    const token = tokenIn(items) ?? "";
    user = other;
    chat.reopen();
    expect(shown()).toEqual([]);
    await opened();
    await vi.waitFor(() => expect(chat.opened()).toBeDefined(), PATIENCE);
    expect([shown(), refused.length, visitorIn(tokenIn(items) ?? "")]).not.toContain(visitorIn(token));
    expect(shown()).toEqual([]);
    expect((await shop.ask("GET", "unread", { headers: bearer(token) })).reply.status).toBe(401);
    chat.say("by another", []);
    await sees([["by another", "sent"]]);
  });

  it("ends nothing of an anonymous visitor", async () => {
    const shop = await openShop({ visitorKey: KEY });
    const network = wire(shop);
    const server = forgiving(connectServer(shop.context.doorUrl, network.fetch), () => {});
    const { chat, opened, sees } = tab(shop, storage(), network, { server, user: () => ({ id: "43", signature: "" }) });
    await opened();
    chat.say("mine", []);
    await sees([["mine", "sent"]]);
    chat.reopen();
    await sees([["mine", "sent"]]);
    expect(network.asked).not.toContain("logout");
  });
});

describe("two tabs whose storage is apart", () => {
  it("are two visitors, neither of whom sees the other's chat", async () => {
    const shop = await openShop();
    const [one, other] = [tab(shop), tab(shop)];
    await Promise.all([one.opened(), other.opened()]);
    expect(one.visitor()).not.toBe(other.visitor());
    one.chat.say("of one", []);
    await one.sees([["of one", "sent"]]);
    expect(other.shown()).toEqual([]);
  });

  it("show one signed customer the same chat, and the logout in one leaves the other, whose token is another", async () => {
    const { shop, token, sees, logout, ended } = await signedTab();
    const other = tab(shop, storage(), wire(shop), { user: () => signed("42") });
    await other.sees([["private", "sent"]]);
    other.chat.say("of the other", []);
    await sees([
      ["private", "sent"],
      ["of the other", "sent"],
    ]);
    expect(other.chat.opened()?.visitor).not.toBe(token);
    await logout();
    await vi.waitFor(() => expect(ended).toHaveBeenCalledOnce(), PATIENCE);
    other.chat.say("still here", []);
    await vi.waitFor(() => expect(other.shown()).toContainEqual(["still here", "sent"]), PATIENCE);
  });
});

describe("a chat that is left while it opens", () => {
  it("ends the token that comes, and keeps nothing", async () => {
    const shop = await openShop({ visitorKey: KEY });
    const network = wire(shop);
    let answer = () => {};
    const waits = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let token = "";
    const slow: typeof network = {
      ...network,
      async fetch(url, init) {
        const reply = await network.fetch(url, init);
        if (!String(url).endsWith("/open")) return reply;
        token = ((await reply.clone().json()) as { visitor: string }).visitor;
        await waits;
        return reply;
      },
    };
    const opened = await shop.ask("POST", "open", { body: JSON.stringify({ user: signed("42") }) });
    const earlier = ((await opened.reply.json()) as { visitor: string }).visitor;
    await shop.post({ text: "private" }, bearer(earlier));
    const { chat, items } = tab(shop, storage(), slow, { user: () => signed("42") });
    await vi.waitFor(() => expect(token).not.toBe(""), PATIENCE);
    chat.leave();
    answer();
    await vi.waitFor(() => expect(network.asked).toContain("logout"), PATIENCE);
    expect([tokenIn(items), chat.opened()]).toEqual([null, undefined]);
    const status = async () => (await shop.ask("GET", "unread", { headers: bearer(token) })).reply.status;
    await vi.waitFor(async () => expect(await status()).toBe(401), PATIENCE);
  });
});

describe("a visitor who wants to be erased", () => {
  it("asks the server also before the chat is open, and is told if that fails", async () => {
    const shop = await openShop();
    const items = storage();
    items.setItem("gangway:door:visitor", shop.visitor);
    const network = wire(shop);
    network.cut((path) => path === "open" || path === "erase");
    const { chat } = tab(shop, items, network);
    await expect(chat.erase()).rejects.toThrow();
    expect(tokenIn(items)).toBe(shop.visitor);
    network.cut((path) => path === "open");
    await chat.erase();
    expect(network.asked).toContain("erase");
  });

  it("has nothing to ask without a token", async () => {
    const shop = await openShop();
    const network = wire(shop);
    network.cut((path) => path === "open");
    await tab(shop, storage(), network).chat.erase();
    expect(network.asked).not.toContain("erase");
  });
});

describe("a page that names another customer", () => {
  it("sees nothing of the one before, drafts neither, and erases nothing of theirs", async () => {
    const { identify, chat, shown, opened, visitor, network } = await signedTab();
    const before = visitor();
    network.cut((path) => path !== "erase");
    chat.say("draft", []);
    expect(shown()).toHaveLength(2);
    identify("43");
    expect(shown()).toEqual([]);
    await expect(chat.erase()).rejects.toThrow();
    expect(network.asked).not.toContain("erase");
    network.mend();
    await vi.waitFor(() => expect(chat.opened()).toBeDefined(), PATIENCE);
    await opened();
    expect(visitor()).not.toBe(before);
    expect(shown()).toEqual([]);
  });
});

describe("a message under way when the page names another customer", () => {
  it.each([
    ["arrives", false],
    ["has arrived, though its answer is lost", true],
  ])("%s once, and in its own chat", async (_, lost) => {
    const { shop, identify, network, shown, opened, visitor, chat, events } = await withSlowPost();
    const before = visitor();
    chat.say("mine", []);
    await vi.waitFor(() => expect(network.asked.filter((path) => path === "messages")).toHaveLength(2), PATIENCE);
    identify("43");
    events.release(lost);
    await vi.waitFor(() => expect(chat.opened()).toBeDefined(), PATIENCE);
    await opened();
    expect([visitor() === before, shown()]).toEqual([false, []]);
    const mine = [...shop.events.values()].filter((event) => event.type === "message" && event.chat !== before);
    expect(mine).toEqual([]);
    identify("42");
    await vi.waitFor(() => expect(shown().map(([text]) => text)).toEqual(["private", "mine"]), PATIENCE);
    await vi.waitFor(() => expect(shop.events.size).toBe(2), PATIENCE);
  });
});

/** Whose next posts wait until they are released. */
async function withSlowPost() {
  const all = await signedTab();
  let release = (_lost: boolean) => {};
  const waits = new Promise<boolean>((resolve) => {
    release = resolve;
  });
  all.hold(async () => {
    if (await waits) throw new TypeError("Failed to fetch");
  });
  return { ...all, events: { release } };
}

it("two tabs that open at once are one visitor", async () => {
  const shop = await openShop();
  const items = storage();
  const [one, two] = [tab(shop, items), tab(shop, items)];
  await Promise.all([one.opened(), two.opened()]);
  expect(one.visitor()).toBe(two.visitor());
});
