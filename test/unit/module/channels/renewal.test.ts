import { DeliveryError } from "gangway-messenger/errors";
import type { ChannelId } from "gangway-messenger/ids";
import { describe, expect, it } from "vitest";
import type { GatewayChannelId } from "../../../../src/domain/ids.ts";
import { createHourly } from "../../../../src/module/health/hourly.ts";
import { createStandings } from "../../../../src/module/health/standings.ts";
import { handClock } from "../../../support/clock.ts";
import { silentLog } from "../../../support/log.ts";
import { moduleWorld } from "../world.ts";

const HOUR_MS = 3_600_000;
/** Each minute once, with the one in which it starts. */
const [HOUR, THREE_HOURS] = [HOUR_MS - 60_000, 3 * HOUR_MS - 60_000];

/** An account with channels of a messenger whose tokens are renewed, each time by one that is valid alone. */
async function renewable(count = 1) {
  const clock = handClock();
  const world = await moduleWorld({}, clock);
  const { channels, toy, store } = world;
  const account = await world.join();
  const tokens = new Map<string, string>();
  const renewals: { token: string; minute: number }[] = [];
  toy.network.renew = async (settings) => {
    const { token, note = "" } = settings;
    if (tokens.get(note) !== token) throw new DeliveryError({ type: "reconnect" }, "the token is no longer valid");
    renewals.push({ token, minute: Math.floor(clock.monotonic() / 60_000) });
    tokens.set(note, `${token}+`);
    return { ...settings, token: `${token}+` };
  };
  const ids: ChannelId[] = [];
  for (let n = 0; n < count; n++) {
    tokens.set(`${n}`, `token-${n}`);
    const settings = { token: `token-${n}`, note: `${n}` };
    const { id } = await store.channels.add(account.id, { kind: "toy", name: `Toy ${n}`, settings });
    await store.channels.setGateway(id, { id: `${n + 1}` as GatewayChannelId, announced: "-" });
    ids.push(id);
  }
  const standings = createStandings({ ...world, store, clock, log: silentLog });
  const hourly = createHourly({ store, channels, standings, clock, log: silentLog });
  const [id = "" as ChannelId] = ids;
  const channel = async () => {
    const found = await store.channels.ofJob(id);
    return {
      state: found?.state,
      trouble: found?.trouble,
      token: (found?.settings as { token?: string } | undefined)?.token,
    };
  };
  return { ...world, clock, account, ids, id, tokens, renewals, hourly, channel };
}

describe("credentials that expire", () => {
  it("are renewed every hour, each time with those that the last renewal brought", async () => {
    const { clock, hourly, renewals, channel } = await renewable();
    await hourly.start();
    await clock.forward(THREE_HOURS);
    expect(renewals.map(({ token }) => token)).toEqual(["token-0", "token-0+", "token-0++"]);
    expect(await channel()).toEqual({ state: "active", token: "token-0+++", trouble: undefined });
    await hourly.stop();
    await clock.forward(2 * HOUR_MS);
    expect(renewals).toHaveLength(3);
  });

  it("of many channels are renewed over the whole hour, each once", async () => {
    const { clock, hourly, renewals } = await renewable(40);
    await hourly.start();
    await clock.forward(HOUR);
    expect(new Set(renewals.map(({ token }) => token)).size).toBe(40);
    expect(renewals).toHaveLength(40);
    expect(new Set(renewals.map(({ minute }) => minute)).size).toBeGreaterThan(15);
    await hourly.stop();
  });

  it("are renewed by one call at a time, also while a person saves the channel's settings", async () => {
    const { account, channels, id, tokens, toy, channel } = await renewable();
    const renew = toy.network.renew;
    let [underWay, most] = [0, 0];
    toy.network.renew = async (settings) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setTimeout(resolve, 20));
      underWay -= 1;
      return renew?.(settings);
    };
    const saved = { name: "Renamed", settings: { greeting: "Hi", note: "0" } };
    await Promise.all([
      channels.renew(id),
      channels.renew(id),
      channels.change(account, id, saved),
      channels.renew(id),
    ]);
    expect(most).toBe(1);
    expect((await channel()).token).toBe("token-0+++");
    expect(tokens.get("0")).toBe("token-0+++");
  });

  it("are stored sealed, and restart what the channel has open", async () => {
    const { channels, id, changed, store, sessions } = await renewable();
    const before = await store.channels.ofJob(id);
    if (!before) throw new Error("no channel");
    const session = sessions.of(before);
    changed.length = 0;
    await channels.renew(id);
    const after = await store.channels.ofJob(id);
    expect(after?.epoch).toBeGreaterThan(before.epoch);
    expect(after && sessions.of(after)).not.toBe(session);
    expect(changed).toEqual([id]);
  });

  it("that need no renewal change nothing", async () => {
    const { channels, id, toy, changed, store } = await renewable();
    toy.network.renew = async () => undefined;
    const before = await store.channels.ofJob(id);
    changed.length = 0;
    await channels.renew(id);
    expect((await store.channels.ofJob(id))?.epoch).toBe(before?.epoch);
    expect(changed).toEqual([]);
  });

  it("stay as they are when the new ones cannot be stored, or are none of this messenger's", async () => {
    const { channels, id, toy, store, channel } = await renewable();
    const { change } = store.channels;
    store.channels.change = async () => {
      throw new Error("the disk is full");
    };
    toy.network.renew = async (settings) => ({ ...settings, token: "a-new-token" });
    await channels.renew(id);
    expect(await channel()).toEqual({ state: "active", token: "token-0", trouble: undefined });
    store.channels.change = change;
    toy.network.renew = async () => ({ token: 7 });
    await channels.renew(id);
    expect((await channel()).token).toBe("token-0");
    toy.network.renew = async (settings) => ({ ...settings, token: "a-new-token" });
    await channels.renew(id);
    expect((await channel()).token).toBe("a-new-token");
  });

  it("that the messenger refuses for good stop the channel; any other failure does not", async () => {
    const { channels, id, toy, tokens, channel } = await renewable();
    toy.network.renew = async () => {
      throw new DeliveryError({ type: "retry" }, "the messenger is away");
    };
    await channels.renew(id);
    expect(await channel()).toEqual({ state: "active", token: "token-0", trouble: undefined });
    toy.network.renew = async () => {
      throw new DeliveryError({ type: "reconnect" }, "the person has changed the password");
    };
    await channels.renew(id);
    const stopped = { state: "stopped", token: "token-0", trouble: "the person has changed the password" };
    expect(await channel()).toEqual(stopped);
    // A stopped channel waits for a person.
    toy.network.renew = async () => {
      throw new Error("asked again");
    };
    await channels.renew(id);
    expect(await channel()).toEqual(stopped);
    expect(tokens.get("0")).toBe("token-0");
  });

  it("that the messenger refuses while it hands out the new ones do not stop the channel", async () => {
    const { channels, id, toy, store, channel } = await renewable();
    toy.network.renew = async (settings) => {
      const now = await store.channels.ofJob(id);
      await store.channels.setState(id, "stopped", "the token is no longer valid", { epoch: now?.epoch });
      return { ...settings, token: "a-new-token" };
    };
    await channels.renew(id);
    expect(await channel()).toEqual({ state: "active", token: "a-new-token", trouble: undefined });
  });

  it("of a paused channel are renewed, too, and it stays paused", async () => {
    const { account, channels, clock, hourly, id, toy, channel } = await renewable();
    await channels.pause(account, id);
    await hourly.start();
    await clock.forward(HOUR);
    expect(await channel()).toEqual({ state: "paused", token: "token-0+", trouble: undefined });
    toy.network.renew = async () => {
      throw new DeliveryError({ type: "reconnect" }, "revoked");
    };
    await channels.renew(id);
    expect((await channel()).state).toBe("paused");
    await hourly.stop();
  });

  it("are stored although the server is stopping, before the store closes", async () => {
    const { clock, hourly, toy, channel } = await renewable();
    let asked = () => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    toy.network.renew = async (settings) => {
      asked();
      await answered;
      return { ...settings, token: "a-new-token" };
    };
    // Of one channel in sixty the first round asks.
    const started = hourly.start();
    await Promise.race([started, isAsked]);
    const forwarded = clock.forward(HOUR);
    await isAsked;
    const stopped = hourly.stop();
    answer();
    await Promise.all([started, stopped]);
    expect((await channel()).token).toBe("a-new-token");
    await forwarded;
  });
});
