import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { ChannelId, ChatId, MessengerMessageId } from "gangway-messenger/ids";
import { type ChannelSession, defineChannel } from "gangway-messenger/port";
import { describe, expect, it } from "vitest";
import type { Perform } from "../../../src/relay/deliver/attempt.ts";
import { followErasures } from "../../../src/relay/sessions/feeds.ts";
import type { Store } from "../../../src/store/store.ts";
import { handClock } from "../../support/clock.ts";
import { onPostgres, readRows } from "../../support/engine.ts";
import { agentSays, customerSays } from "../../support/events.ts";
import { recordingGateway } from "../../support/gateway.ts";
import { relayLives } from "../../support/lives.ts";
import { oneChannel, storeIn } from "../../support/store.ts";
import { tracesLeft, withoutTraces } from "../../support/traces.ts";
import { until } from "../../support/until.ts";
import { working } from "../../support/worker.ts";
import { bottles } from "../contract/toy/bottles.ts";

const BY = { actor: "operator" as const, action: "customer erased" };
const WORDS = ["ann4711", "ann's secret"];

/** A server in the middle of a call for Ann, which ends when the test lets it. */
async function held(direction: "inbound" | "outbound", how: { obeys?: boolean } = {}) {
  const made = await oneChannel({ clock: handClock(Date.now()) });
  const { store, channel, account, clock } = made;
  let answer = () => {};
  const signals: AbortSignal[] = [];
  const perform: Perform = async (job, signal) => {
    if (job.direction !== direction) return {};
    signals.push(signal);
    await new Promise<void>((resolve, reject) => {
      answer = resolve;
      if (how.obeys) signal.addEventListener("abort", () => reject(signal.reason));
    });
    const id = "ann4711:answered" as MessengerMessageId;
    const note = { ...customerSays("n", "", "ann4711"), type: "note" as const, text: "ann's secret" };
    const parts = [{ messengerMessageId: id, holds: "text" as const, words: "ann's secret" }];
    return { parts, note: { ...note, messengerMessageId: id }, ack: { gatewayMessageId: "1" as never } };
  };
  const { worker } = await working({ store, perform, clock });
  const ended: string[] = [];
  const sessions = { evict: (id: ChannelId) => void ended.push(`session ${id}`) };
  const feeds = { running: () => [channel.id], changed: (id: ChannelId) => void ended.push(`feed ${id}`) };
  followErasures({ store, worker, sessions, feeds });
  await store.outbox.acceptInbound(channel, { events: [customerSays("m-1", "ann's secret", "ann4711")] });
  if (direction === "outbound")
    await store.outbox.acceptOutbound(channel, {
      ...{ key: "o:1", act: agentSays("1", "ann's secret", "ann4711"), patienceMs: 3_600_000 },
    });
  worker.wake(account.id);
  while (signals.length === 0) await clock.forward(1);
  const late = async () => {
    answer();
    for (let n = 0; n < 20; n++) await clock.forward(1_000);
  };
  const person = { channelId: channel.id, chat: "ann4711" as ChatId };
  return { ...made, signals, late, person, ended };
}

/** What `gangway erase` does beside the server. */
async function byCommand<T>(folder: string, act: (store: Store) => Promise<T>): Promise<T> {
  const store = await storeIn(folder, handClock(Date.now()), { shared: true });
  return act(store).finally(() => store.close());
}

async function expectNothingOf({ folder, store }: Pick<Awaited<ReturnType<typeof held>>, "folder" | "store">) {
  await setImmediate();
  expect((await readRows(folder, ["message"])).message).toEqual([]);
  expect((await store.ledger()).filter(({ hole, acks }) => hole !== 0 || acks.hole !== 0)).toEqual([]);
  await withoutTraces(store);
  expect(await tracesLeft(folder, WORDS)).toEqual([]);
}

describe("an erasure by a command", () => {
  it.each(["inbound", "outbound"] as const)("aborts the running server's %s call", async (direction) => {
    const site = await held(direction, { obeys: true });
    await byCommand(site.folder, (store) => store.erasure.customer(site.account.id, site.person, BY));
    await until("the abort", async () => {
      await site.clock.forward(5_000);
      return site.signals[0]?.aborted;
    });
    // Not at the end of its time.
    expect(String(site.signals[0]?.reason)).toContain("its message was erased");
    await expectNothingOf(site);
    await site.clock.forward(600_000);
    expect(site.signals).toHaveLength(1);
  });

  it.each(["inbound", "outbound"] as const)(
    "lets nothing be written back by a late answer of an %s call",
    async (direction) => {
      const site = await held(direction);
      await byCommand(site.folder, (store) => store.erasure.customer(site.account.id, site.person, BY));
      await site.late();
      await expectNothingOf(site);
    },
  );

  it("ends the sessions and feeds of an account", async () => {
    const { folder, account, channel, clock, ended, late, signals } = await held("outbound");
    await byCommand(folder, async (store) => {
      await store.accounts.setActivity(account.id, { active: false, frozen: false }, 1_000);
      await store.erasure.account(account.id, BY);
    });
    await until("the abort", async () => {
      await clock.forward(5_000);
      return signals[0]?.aborted;
    });
    expect(new Set(ended)).toEqual(new Set([`session ${channel.id}`, `feed ${channel.id}`]));
    expect(String(signals[0]?.reason)).toContain("its message was erased");
    await late();
    for (const [table, rows] of Object.entries(await readRows(folder, ["message", "tally", "part", "note", "account"])))
      expect([table, rows]).toEqual([table, []]);
  });
});

describe("what a session notes once its messenger has answered", () => {
  it("is not kept where its chat was erased meanwhile, whatever the note's key names", async () => {
    const answers = new Map<string, () => void>();
    const adapter = defineChannel({
      ...bottles,
      open(context): ChannelSession {
        const session = bottles.open(context);
        const send: ChannelSession["send"] = async (step, to, signal) => {
          await new Promise<void>((resolve) => answers.set(to.chat, resolve));
          await context.notes.set([{ key: `ours:to-${to.chat}`, value: to.key }]);
          return session.send(step, to, signal);
        };
        return { ...session, send };
      },
    });
    const settings = { shore: randomUUID() };
    const lives = await relayLives({ adapter, call: recordingGateway().call, settings });
    const { store, account, channel, clock, agentSays, wake } = lives;
    await lives.begin();
    for (const chat of ["ann4711", "bob4712"]) {
      await store().outbox.acceptInbound(channel, { events: [customerSays(`m-${chat}`, "hello", chat)] });
      await agentSays(chat, "hello", chat);
    }
    wake();
    await until("both calls", async () => {
      await clock.forward(1_000);
      return answers.size === 2;
    });
    await store().erasure.customer(account.id, { channelId: channel.id, chat: "ann4711" as ChatId }, BY);
    for (const answer of answers.values()) answer();
    await until("the other's note", async () => {
      await clock.forward(1_000);
      return store().notes.get(channel.id, "ours:to-bob4712");
    });
    expect((await readRows(lives.folder, ["note"])).note?.map(({ key }) => key)).toEqual(["ours:to-bob4712"]);
  });
});

describe("an erasure in the middle of an upload", () => {
  it.each(["command", "page"])("by %s keeps the file out", async (by) => {
    const { folder, store, account, channel, person } = await held("outbound");
    let send: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        send = controller;
      },
    });
    send?.enqueue(Buffer.from("ann's secret"));
    const file = { body, name: "ann's secret.txt", mediaType: "text/plain" };
    const of = { uploader: "customer", chat: "ann4711" } as const;
    const kept = store.keptFiles.keep(channel.id, file, 1_000, () => new Error("too large"), of);
    const erase = (at: Store) => at.erasure.customer(account.id, person, BY);
    await (by === "page" ? erase(store) : byCommand(folder, erase));
    send?.close();
    const { id } = await kept;
    expect(await store.keptFiles.open(channel.id, id)).toBeUndefined();
    const left = onPostgres ? (await readRows(folder, ["kept_chunk"])).kept_chunk : readdirSync(join(folder, "files"));
    expect(left).toEqual([]);
    // A new conversation may begin with a file.
    const next = new Blob(["hello again"]).stream() as ReadableStream<Uint8Array>;
    const again = await store.keptFiles.keep(channel.id, { ...file, body: next }, 1_000, () => new Error(), of);
    expect(await store.keptFiles.open(channel.id, again.id)).toBeDefined();
  });
});
