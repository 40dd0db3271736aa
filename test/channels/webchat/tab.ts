import { expect, onTestFinished, vi } from "vitest";
import { startChat } from "../../../src/channels/webchat/browser/chat.ts";
import { type Items, memoryOf } from "../../../src/channels/webchat/browser/memory.ts";
import { connectServer } from "../../../src/channels/webchat/browser/server.ts";
import { type openShop, text } from "./shop.ts";

type Shop = Awaited<ReturnType<typeof openShop>>;

/** The widget's own pauses between tries grow from half a second, with jitter. */
export const PATIENCE = { timeout: 8000, interval: 10 };

/** One browser's storage, for all its tabs. */
export function storage(): Items & { full: boolean } {
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
export function wire(first: Shop) {
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

export function tab(shop: Shop, items: Items = storage(), network = wire(shop)) {
  const server = connectServer(shop.context.doorUrl, network.fetch);
  const memory = memoryOf("door", () => items);
  const visit = () => ({ page: "https://shop.example/", utm: { source: "newsletter" } });
  const chat = startChat({ server, memory, visit, changed: () => {} });
  onTestFinished(chat.leave);
  const opened = () => vi.waitFor(() => expect(chat.state()).toBe("online"), PATIENCE);
  const visitor = () => chat.opened()?.visitor.split(".")[0] ?? "";
  const shown = () => chat.messages().map((message) => [message.text, message.status]);
  const sees = (expected: unknown[]) => vi.waitFor(() => expect(shown()).toEqual(expected), PATIENCE);
  return { chat, items, network, memory, opened, visitor, sees, shown };
}
export const send = (shop: Shop, chat: string, word: string, key: string) =>
  shop.send(text(word), key, { chat: chat as never });
