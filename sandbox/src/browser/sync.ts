import { type Api, ApiError, pause, queryOf } from "./api.ts";
import type { Chats } from "./chats.ts";
import type { WireChat } from "./wire.ts";

/** A small first page shows soon; larger ones fill the list. */
const FIRST_PAGE = 100;
const PAGE = 250;
const RETRY_MS = 3_000;

/** Reloads the whole chat list; a request during a pass restarts it. */
export function createSync(api: Api, chats: Chats, problem: (error: unknown) => void): () => void {
  let requests = 0;
  let running = false;
  const pass = async (request: number): Promise<void> => {
    const mark = chats.mark();
    const seen = new Set<number>();
    let until: number | undefined;
    for (let limit = FIRST_PAGE; request === requests; limit = PAGE) {
      const from = chats.mark();
      const page = await api.bot<WireChat[]>("GET", `/chats${queryOf({ limit, until_id: until })}`);
      chats.merge(page, from);
      const fresh = page.filter((chat) => !seen.has(chat.id));
      for (const chat of page) seen.add(chat.id);
      until = Math.min(...seen);
      if (page.length < limit || fresh.length === 0) return chats.keepOnly(seen, mark);
    }
  };
  const run = async () => {
    running = true;
    for (let request = -1; request !== requests; ) {
      request = requests;
      await pass(request).catch(async (error: unknown) => {
        problem(error);
        if (error instanceof ApiError && error.status === 401) return;
        await pause(RETRY_MS);
        request = -1;
      });
    }
    running = false;
  };
  return () => {
    requests++;
    if (!running) void run();
  };
}
