import { expect, onTestFinished, vi } from "vitest";
import { startChat } from "../../src/browser/chat.ts";
import { type Items, memoryOf } from "../../src/browser/memory.ts";
import { connectServer } from "../../src/browser/server.ts";
import type { Parts } from "../../src/browser/state.ts";
import { type openShop, text } from "./shop.ts";

type Shop = Awaited<ReturnType<typeof openShop>>;

/** The widget's backoff starts at half a second, with jitter. */
export const PATIENCE = { timeout: 60_000, interval: 10 };

/** A browser's localStorage, shared by its tabs. */
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

/** The network between widget and session. Can be cut. */
export function wire(first: Shop) {
  let shop = first;
  const asked: string[] = [];
  let fault: (path: string, sent: boolean) => boolean = () => false;
  const controllers = new Set<AbortController>();
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const path = String(url).split("/door/")[1] ?? "";
    if (fault(path, false)) throw new TypeError("Failed to fetch");
    asked.push(path);
    const controller = new AbortController();
    controllers.add(controller);
    init?.signal?.addEventListener("abort", () => controller.abort());
    const receipt = await shop.session.receive(new Request(url as string, { ...init, signal: controller.signal }));
    await shop.commit(receipt);
    if (fault(path, true)) throw new TypeError("Failed to fetch");
    return receipt.reply;
  };
  return {
    fetch,
    asked,
    /** `sent`: the server has received the request, and only the response is lost. */
    cut(when: (path: string, sent: boolean) => boolean) {
      fault = when;
      for (const controller of controllers) controller.abort();
      controllers.clear();
    },
    mend() {
      fault = () => false;
    },
    /** Routes the address to another server. */
    lead(to: Shop) {
      shop = to;
    },
  };
}

export function tab(shop: Shop, items: Items = storage(), network = wire(shop), more: Partial<Parts> = {}) {
  const server = connectServer(shop.context.doorUrl, network.fetch);
  const memory = memoryOf("door", () => items);
  const visit = () => ({ page: "https://shop.example/", utm: { source: "newsletter" } });
  const chat = startChat({ server, memory, visit, changed: () => {}, ...more });
  onTestFinished(chat.leave);
  const opened = () => vi.waitFor(() => expect(chat.state()).toBe("online"), PATIENCE);
  const visitor = () => chat.opened()?.visitor.split(".")[0] ?? "";
  const shown = () => chat.messages().map((message) => [message.text, message.status]);
  const sees = (expected: unknown[]) => vi.waitFor(() => expect(shown()).toEqual(expected), PATIENCE);
  return { chat, items, network, memory, opened, visitor, sees, shown };
}
export const send = (shop: Shop, chat: string, word: string, key: string) =>
  shop.send(text(word), key, { chat: chat as never });
