import { DeliveryError } from "gangway-messenger/errors";
import { describe, expect, it } from "vitest";
import { createHourly } from "../../../../src/module/health/hourly.ts";
import { createStandings } from "../../../../src/module/health/standings.ts";
import { handClock } from "../../../support/clock.ts";
import { silentLog } from "../../../support/log.ts";
import { moduleWorld, refusedBy } from "../world.ts";

const HOUR_MS = 3_600_000;

async function joined() {
  const clock = handClock();
  const world = await moduleWorld({}, clock);
  const { channels, store, toy } = world;
  toy.network.hasLogins = true;
  const account = await world.join();
  const standings = createStandings({ ...world, store, clock, log: silentLog });
  const hourly = createHourly({ store, channels, standings, clock, log: silentLog });
  const members = async (group: string) => (await store.channels.inGroup(group)).map(({ name }) => name);
  return { ...world, clock, account, hourly, members };
}
const FORM = { name: "Shop", settings: { token: "token-of-the-shop" } };

it("a login's groups are known once its channel is connected, and follow what the messenger says within the hour", async () => {
  const { account, channels, clock, hourly, members, toy } = await joined();
  toy.network.groups = async ({ token }) => [`owner of ${token}`, "fleet"];
  expect(await channels.add(account, "toy", FORM as never)).toMatchObject({ ok: true });
  expect([await members("fleet"), await members("owner of token-of-the-shop")]).toEqual([["Shop"], ["Shop"]]);
  toy.network.groups = async () => ["another fleet"];
  await hourly.start();
  await clock.forward(HOUR_MS);
  await hourly.stop();
  expect([await members("fleet"), await members("another fleet")]).toEqual([[], ["Shop"]]);
});

it("a messenger that does not tell the groups keeps nobody from connecting, and what is known stays", async () => {
  const { account, channels, clock, hourly, members, toy } = await joined();
  const silent = async () => {
    throw new DeliveryError({ type: "retry" }, "no answer");
  };
  toy.network.groups = silent;
  expect(await channels.add(account, "toy", FORM as never)).toMatchObject({ ok: true });
  await hourly.start();
  toy.network.groups = async () => ["fleet"];
  await clock.forward(HOUR_MS);
  toy.network.groups = silent;
  await clock.forward(HOUR_MS);
  await hourly.stop();
  expect(await members("fleet")).toEqual(["Shop"]);
});

describe("logins that share one subscription", () => {
  const add = async ({ account, channels }: Awaited<ReturnType<typeof joined>>, token: string) => {
    const result = await channels.add(account, "toy", { name: token, settings: { token } } as never);
    if (!result.ok) throw new Error(result.fault.code);
    return result.channel;
  };
  /** The first of two that are added has the subscription. */
  const two = async (site: Awaited<ReturnType<typeof joined>>) => {
    const [first] = [await add(site, "token-1"), await add(site, "token-2")];
    Object.assign(site.toy.network, { door: first.door });
    site.toy.events.length = 0;
    return first;
  };
  const sharing = async () => {
    const site = await joined();
    site.toy.network.groups = async () => ["fleet"];
    site.toy.network.sharing = "fleet";
    return site;
  };

  it("have it when one of them is removed: another connects first", async () => {
    const site = await sharing();
    const first = await two(site);
    expect(await site.channels.remove(site.account, first.id)).toMatchObject({ ok: true });
    expect(site.toy.events).toEqual(["connect token-2", "disconnect token-1"]);
  });

  it("have it when another one could not be added", async () => {
    const site = await sharing();
    await add(site, "token-1");
    site.toy.events.length = 0;
    site.answers.set("POST /channels", async () => Response.json({ errors: ["no"] }, { status: 400 }));
    const failed = await site.channels.add(site.account, "toy", { name: "", settings: { token: "token-2" } } as never);
    expect(failed.ok).toBe(false);
    expect(site.toy.events).toEqual(["connect token-2", "connect token-1", "disconnect token-2"]);
  });

  it("have it when the network fails the other one's connection for a moment", async () => {
    const site = await sharing();
    const first = await two(site);
    site.toy.network.failures.set("token-2", new DeliveryError({ type: "retry" }, "no answer"));
    const removing = site.channels.remove(site.account, first.id);
    await site.clock.forward(500);
    site.toy.network.failures.clear();
    await site.clock.forward(1_000);
    expect(await removing).toMatchObject({ ok: true, isLeft: false });
    expect(site.toy.events).toEqual(["connect token-2", "disconnect token-1"]);
  });

  it("keep it at the removed one's address, which is told, when the network lets no other one connect", async () => {
    const site = await sharing();
    const first = await two(site);
    site.toy.network.failures.set("token-2", new DeliveryError({ type: "retry" }, "no answer"));
    const removing = site.channels.remove(site.account, first.id);
    await site.clock.forward(5_000);
    expect(await removing).toMatchObject({ ok: true, isLeft: true });
    expect(site.toy.events).toEqual([]);
  });

  it("have it again within the hour when it points to no channel's door any more", async () => {
    const site = await sharing();
    await two(site);
    await site.hourly.start();
    await site.clock.forward(HOUR_MS);
    expect(site.toy.events).toEqual([]);
    Object.assign(site.toy.network, { door: "of-one-that-was-removed" });
    await site.clock.forward(HOUR_MS);
    await site.hourly.stop();
    expect(site.toy.events).toEqual([expect.stringMatching(/^connect token-[12]$/)]);
  });

  it("keep it when a channel is changed from one to another", async () => {
    const site = await sharing();
    const { id } = await add(site, "token-1");
    site.toy.events.length = 0;
    const changed = await site.channels.change(site.account, id, { name: "", settings: { token: "token-2" } } as never);
    expect([changed.ok, site.toy.events]).toEqual([true, ["connect token-2"]]);
  });

  it("are the channels of one group: one alone disconnects at once", async () => {
    const site = await sharing();
    const only = await add(site, "token-1");
    site.toy.events.length = 0;
    await site.channels.remove(site.account, only.id);
    expect(site.toy.events).toEqual(["disconnect token-1"]);
  });

  it("are touched by none that never connected, whatever group it claims to be of", async () => {
    const site = await sharing();
    await add(site, "token-1");
    site.toy.events.length = 0;
    site.toy.network.failures.set("token-2", refusedBy("not your account"));
    const failed = await site.channels.add(site.account, "toy", { name: "", settings: { token: "token-2" } } as never);
    expect(failed.ok).toBe(false);
    expect(site.toy.events).toEqual(["disconnect token-2"]);
  });
});
