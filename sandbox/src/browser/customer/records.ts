import { type Api, pause } from "../api.ts";
import { loadReferences, NO_REFERENCES, type References } from "./references.ts";
import type { Records, Visit } from "./wire.ts";

/** The records of a chat's customer, kept fresh while they are watched. */
export interface WatchedRecords {
  chatId(): number | undefined;
  /** Undefined until they are loaded. */
  current(): Records | undefined;
  references(): References;
  /** Where the customer is on the shop's site. */
  visit(): Visit;
  /** Of this chat, or of none. */
  watch(chatId: number | undefined): void;
  reload(): Promise<void>;
}

/** Others change records, too, and tell nobody, ms. */
const FRESH_MS = 10_000;
/** Walking through chats loads the last only, ms. */
const WALK_MS = 200;
/** The module of the chat is asked this often, ms. */
const VISIT_MS = 30_000;

export function createRecords(api: Api, changed: () => void, problem: (error: unknown) => void): WatchedRecords {
  let watched: number | undefined;
  let records: Records | undefined;
  let references: References | undefined;
  let asked = 0;
  let [visit, visitAt]: [Visit, number] = [{}, 0];
  const reload = async (): Promise<void> => {
    const [mine, chatId] = [++asked, watched];
    if (chatId === undefined) return;
    const [fresh, known] = await Promise.all([
      api.agent<Records>("GET", `/chats/${chatId}/customer`),
      references ?? loadReferences(api),
    ]);
    if (mine !== asked) return;
    records = fresh;
    references = known;
    changed();
    if (Date.now() - visitAt >= VISIT_MS) await look(chatId);
  };
  const look = async (chatId: number): Promise<void> => {
    visitAt = Date.now();
    const fresh = await api.agent<Visit>("GET", `/chats/${chatId}/visit`);
    if (chatId !== watched) return;
    visit = fresh;
    changed();
  };
  const refresh = () => {
    // The list shows whether the gateway can be reached.
    if (watched !== undefined && document.visibilityState === "visible") void reload().catch(() => {});
  };
  setInterval(refresh, FRESH_MS);
  document.addEventListener("visibilitychange", refresh);
  let watchedAt = 0;
  const load = async (chatId: number): Promise<void> => {
    const walking = Date.now() - watchedAt < WALK_MS;
    watchedAt = Date.now();
    if (walking) await pause(WALK_MS);
    if (chatId === watched) await reload();
  };
  return {
    chatId: () => watched,
    current: () => records,
    references: () => references ?? NO_REFERENCES,
    visit: () => visit,
    watch(chatId) {
      if (chatId === watched) return;
      watched = chatId;
      records = undefined;
      [visit, visitAt] = [{}, 0];
      asked++;
      changed();
      if (chatId !== undefined) void load(chatId).catch(problem);
    },
    reload,
  };
}
