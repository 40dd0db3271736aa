import { pause } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import type { ChannelAdapter, ChannelContext, Feed } from "gangway-messenger/port";
import { describe, expect, it } from "vitest";
import type { Job } from "../../../../src/domain/delivery.ts";
import { createFeeds, createStreams } from "../../../../src/relay/sessions/feeds.ts";
import { createJournals, createSessions, type Sessions } from "../../../../src/relay/sessions/sessions.ts";
import { agentSays } from "../../../support/events.ts";
import { silentLog } from "../../../support/log.ts";
import { addChannel, oneChannel } from "../../../support/store.ts";
import { working } from "../../../support/worker.ts";

const revoked = () => new DeliveryError({ type: "reconnect" }, "the token was revoked");
const newToken = { name: "Toy", settings: { token: "new" } };

/** A message is under way; two seconds later the messenger reports its token as dead. */
async function refusedSoon() {
  const { clock, store, account, channel } = await oneChannel();
  const faults: string[] = [];
  const log = { ...silentLog, error: (event: string) => void faults.push(event) };
  const tokens: unknown[] = [];
  const perform = async (job: Job, signal: AbortSignal) => {
    const now = await store.channels.ofJob(channel.id);
    job.epoch = now?.epoch;
    if (!now) throw new DeliveryError({ type: "reject", code: "general" }, "the channel was removed");
    const { token } = now.settings as { token?: string };
    tokens.push(token);
    await pause(clock, 2_000, signal);
    if (token === undefined) throw revoked();
    return {};
  };
  const { worker } = await working({ store, perform, clock, log });
  await store.outbox.acceptOutbound(channel, { key: "k", act: agentSays("1"), patienceMs: 60_000 });
  worker.wake(account.id);
  await clock.forward(1_000);
  const states = async () => (await store.channels.list(account.id)).map(({ id, state }) => ({ id, state }));
  const ended = () => store.outbox.ended(account.id, 9);
  const waiting = async () => (await store.ledger(account.id)).reduce((sum, line) => sum + line.waiting, 0);
  return { clock, store, account, channel, faults, tokens, states, ended, waiting };
}

describe("a token that dies while a message is under way", () => {
  it("stops its channel, and the message waits", async () => {
    const { clock, channel, states, waiting } = await refusedSoon();
    await clock.forward(10_000);
    expect(await states()).toEqual([{ id: channel.id, state: "stopped" }]);
    expect(await waiting()).toBe(1);
  });

  it("leaves a channel that was removed meanwhile removed, and the message ends with it", async () => {
    const { clock, store, channel, states, ended, waiting } = await refusedSoon();
    await store.channels.setState(channel.id, "removed");
    await clock.forward(10_000);
    expect(await states()).toEqual([]);
    const end = { direction: "outbound", state: "dead", error: "the channel was removed" };
    expect(await ended()).toContainEqual(expect.objectContaining(end));
    expect(await waiting()).toBe(0);
  });

  it("leaves the new channel of the same login alone", async () => {
    const { clock, store, account, channel, faults, states } = await refusedSoon();
    await store.channels.reserveIdentity(channel.id, "toy:1");
    await store.channels.setState(channel.id, "removed");
    const again = await addChannel(store, account);
    await store.channels.reserveIdentity(again.id, "toy:1");
    await clock.forward(600_000);
    expect(faults).toEqual([]);
    expect(await states()).toEqual([{ id: again.id, state: "active" }]);
  });

  it("does not stop a channel that has a new token by then: the message is sent with it", async () => {
    const { clock, store, channel, tokens, states, waiting } = await refusedSoon();
    await store.channels.change(channel.id, newToken);
    await clock.forward(10_000);
    expect(await states()).toEqual([{ id: channel.id, state: "active" }]);
    expect(tokens).toEqual([undefined, "new"]);
    expect(await waiting()).toBe(0);
  });
});

describe("a channel that was removed", () => {
  it("takes no more changes, gateway ids or states", async () => {
    const { store, account, channel } = await oneChannel();
    await store.channels.setState(channel.id, "removed");
    await store.channels.change(channel.id, newToken);
    await store.channels.setState(channel.id, "active");
    expect(await store.channels.ofJob(channel.id)).toBeUndefined();
    const again = await addChannel(store, account);
    const gateway = { id: again.gatewayChannelId ?? expect.fail("it has none"), announced: "-" };
    await store.channels.setGateway(channel.id, gateway);
    expect(await store.channels.byGatewayId(account.id, gateway.id)).toMatchObject({ id: again.id });
  });
});

it("a feed that ends with the old token leaves a channel with a new one running", async () => {
  const { clock, store, account, channel } = await oneChannel();
  const run: Feed["run"] = async (_, signal) => {
    await pause(clock, 2_000, signal);
    throw revoked();
  };
  const of = () => ({ feed: { run } });
  const sessions = { of, peek: of } as unknown as Sessions;
  const acceptInbound = async () => {};
  const feeds = createFeeds({ store, sessions, acceptInbound, clock, log: silentLog, random: () => 1 });
  await feeds.start();
  await store.channels.change(channel.id, newToken);
  await clock.forward(5_000);
  expect(await store.channels.byId(account.id, channel.id)).toMatchObject({ state: "active" });
  await feeds.stop();
});

it("a session with old settings never replaces the one with new settings, and keeps no stream open", async () => {
  const { clock, store, account, channel } = await oneChannel();
  const adapter = {
    kind: "toy",
    settings: { parse: (settings: unknown) => settings },
    capabilities: () => ({}),
    open: ({ settings, closed }: ChannelContext<unknown>) => ({ settings, closed }),
  } as unknown as ChannelAdapter;
  const sessions = createSessions({
    ...{ adapters: [adapter], store, clock, journals: createJournals(store) },
    call: async () => expect.fail("must not be called"),
    publicUrl: "https://gangway.example",
    markup: "none",
    streamsOf: createStreams(10),
    serverOptions: () => ({ updates: "webhook" }),
    gatewayOf: () => expect.fail("must not be called"),
  });
  await store.channels.change(channel.id, newToken);
  const changed = (await store.channels.byId(account.id, channel.id)) ?? expect.fail("it is gone");
  const session = sessions.of(changed);
  expect(sessions.of(channel)).toMatchObject({ settings: {}, closed: { aborted: true } });
  expect(sessions.of(changed)).toBe(session);
  expect(session).toMatchObject({ closed: { aborted: false } });
});
