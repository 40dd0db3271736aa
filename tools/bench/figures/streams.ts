import type { JournalEntry } from "gangway-messenger/hosted";
import { freePort } from "gangway-sandbox";
import { pause } from "gangway-sandbox/demo/waiting";
import webchat from "gangway-webchat";
import { createVisitors } from "gangway-webchat/visitor";
import type { Settings } from "gangway-webchat/wire";
import type { AccountId } from "#product/domain/ids";
import { built, startChild } from "../child.ts";
import type { Usage } from "../probe.ts";
import { freshFolder, open, seed, startFakes, startSmall } from "../stage.ts";
import type { Visits } from "../visitors.ts";
import { bounded, type Measure, once, type Scale } from "./figure.ts";

export const VISITORS = 10_000;
/** A channel holds at most half of a server's streams. */
const CHANNELS = 2;
/** Whole heartbeat intervals, ms. */
const WATCHED_MS: Record<Scale, number> = { quick: 35_000, usual: 70_000, long: 140_000 };
const SETTLED_MS = 3_000;
/** Time for V8 to collect what opening all streams has left, ms: that is not an idle cost. */
export const COLLECTED_MS = 40_000;

type Chat = Omit<Visits, "port">;

/** With one message of each visitor, if they have written. */
export async function addWebChats(folder: string, haveWritten = false): Promise<Chat[]> {
  const store = await open(folder);
  const [account] = await store.accounts.list();
  const numbers = Array.from({ length: CHANNELS }, (_, n) => n);
  const added = numbers.map(async (n) => {
    const settings = webchat.settings.parse({}) as Settings;
    const channel = await store.channels.add(account?.id as AccountId, {
      kind: "webchat",
      name: `Chat ${n}`,
      settings,
    });
    const { newToken } = createVisitors(settings.visitorKey, { now: Date.now });
    const tokens = Array.from({ length: VISITORS / CHANNELS }, () => newToken());
    const entries = tokens.map((token) => ({ chat: token.split(".")[0] ?? "", key: "in:1", entry: {} }));
    if (haveWritten) await store.journal.append(channel.id, entries as JournalEntry[]);
    return { door: channel.door, tokens, network: 10 + n };
  });
  return Promise.all(added).finally(() => store.close());
}

/** 10,000 visitors' open streams in which nothing happens. */
export const streams: Measure = async (scale) => {
  const [fakes, folder, port] = [await startFakes(), freshFolder(), await freePort(0)];
  await seed(folder, fakes, `http://127.0.0.1:${port}`, { accounts: 1, channels: 1, chats: 0 });
  const chats = await addWebChats(folder);
  const { child } = await startSmall(folder, fakes, port, { STREAMS: String(VISITORS), TRUSTED_PROXIES: "1" });
  await pause(SETTLED_MS);
  const usage = () => child.ask<Usage>("usage");
  const before = await usage();
  const visitors = chats.map(() => startChild([built("./visitors.js")]));
  const opened = await Promise.all(chats.map((chat, n) => visitors[n]?.ask<number>("visit", { ...chat, port })));
  const count = opened.reduce<number>((sum, each) => sum + (each ?? 0), 0);
  if (count < VISITORS) throw new Error(`only ${count} of ${VISITORS} streams opened`);
  await pause(COLLECTED_MS);
  const full = await usage();
  await pause(WATCHED_MS[scale]);
  const after = await usage();
  for (const each of [child, fakes.child, ...visitors]) await each.stop();
  const detail = { beforeMiB: before.rssMiB, openedMiB: full.rssMiB, heapMiB: after.heapMiB };
  return [
    bounded({
      name: "streams",
      what: "memory of a server with 10,000 open streams",
      figure: once(after.rssMiB),
      unit: " MiB",
      atMost: 350,
      detail,
    }),
    bounded({
      name: "streams-each",
      what: "memory for one of 10,000 open streams",
      figure: once(((after.rssMiB - before.rssMiB) * 1024) / VISITORS),
      unit: " KiB",
      atMost: 25,
    }),
    bounded({
      name: "streams-cpu",
      what: "CPU for 10,000 open streams in which nothing happens",
      figure: once(((after.cpuMs - full.cpuMs) / WATCHED_MS[scale]) * 100),
      unit: " %",
      atMost: 2,
    }),
  ];
};
