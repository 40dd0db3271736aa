import { DeliveryError } from "gangway-messenger/errors";
import type { LoginFacts } from "gangway-messenger/port";
import { describe, expect, it } from "vitest";
import type { AccountId } from "../../../../src/domain/ids.ts";
import { readStanding } from "../../../../src/module/health/standing-note.ts";
import { createStandings } from "../../../../src/module/health/standings.ts";
import { handClock } from "../../../support/clock.ts";
import { silentLog } from "../../../support/log.ts";
import { until } from "../../../support/until.ts";
import { inAll } from "../../../support/words.ts";
import { moduleWorld, says } from "../world.ts";

const MINUTE_MS = 60_000;
const good: LoginFacts = {
  facts: [{ name: { en: "Quality", es: "Calidad", ru: "Качество" }, value: inAll("high") }],
  whatsapp: { tier: 1_000, quality: "high", status: "connected" },
};
const bad: LoginFacts = { ...good, whatsapp: { tier: 250, quality: "low", status: "flagged" } };

async function rated() {
  const clock = handClock();
  const world = await moduleWorld({}, clock);
  const { channels, store, toy } = world;
  const now = { standing: good, asked: 0, fails: false };
  toy.network.standing = async (signal) => {
    now.asked += 1;
    signal.throwIfAborted();
    if (now.fails) throw new DeliveryError({ type: "retry" }, "the messenger is away");
    return now.standing;
  };
  const account = await world.join();
  const added = await channels.add(account, "toy", { name: "Toy", settings: { token: "token-1" } });
  if (!added.ok) throw new Error(added.fault.code);
  const { id } = added.channel;
  const standings = createStandings({ ...world, store, clock, log: silentLog });
  const look = () => standings.look(account, id);
  const known = () => readStanding(store.notes, id);
  const refresh = async () => {
    const channel = await store.channels.ofJob(id);
    if (channel) await standings.refresh(channel);
  };
  /** What the gateway knows of the number. */
  const announced = () => {
    const cards = world.bodies.filter(({ route }) => /(POST|PUT) \/channels/.test(route));
    return (JSON.parse(cards.at(-1)?.text ?? "{}") as { settings: { whatsapp?: object } }).settings.whatsapp;
  };
  return { ...world, clock, account, id, now, standings, look, known, refresh, announced };
}

describe("what a messenger says of a login", () => {
  it("is asked for when the page is opened, and not again for five minutes", async () => {
    const { clock, now, look, known } = await rated();
    await Promise.all([look(), look()]);
    expect(now.asked).toBe(1);
    const first = await known();
    expect(first).toEqual({ ...good, at: clock.now() });
    await clock.forward(4 * MINUTE_MS);
    await look();
    expect(now.asked).toBe(1);
    await clock.forward(2 * MINUTE_MS);
    await look();
    expect(now.asked).toBe(2);
    expect((await known())?.at).toBeGreaterThan(first?.at ?? 0);
  });

  it("stays known with its time while the messenger is away, which is asked again after a minute", async () => {
    const { clock, now, look, known } = await rated();
    await look();
    const before = await known();
    await clock.forward(6 * MINUTE_MS);
    now.fails = true;
    await look();
    await look();
    expect(now.asked).toBe(2);
    expect(await known()).toEqual(before);
    await clock.forward(MINUTE_MS + 1);
    now.fails = false;
    await look();
    expect((await known())?.at).toBe(clock.now());
  });

  it("keeps a page waiting for two and a half seconds at most", async () => {
    const { clock, toy, look, known } = await rated();
    toy.network.standing = (signal) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    let isShown = false;
    const looked = look().then(() => {
      isShown = true;
    });
    await clock.forward(2_000);
    expect(isShown).toBe(false);
    await clock.forward(1_000);
    await looked;
    expect(await known()).toBeUndefined();
  });

  it("is told to the gateway when it has changed, and only then", async () => {
    const { calls, now, refresh, announced } = await rated();
    const puts = () => calls.filter((call) => call.startsWith("PUT /channels")).length;
    await refresh();
    await until("the gateway to be told", () => puts() === 1);
    expect(announced()).toEqual({ tier: 1_000, channel_quality: "high", channel_status: "connected" });
    await refresh();
    now.standing = { ...good, facts: [] };
    await refresh();
    expect(puts()).toBe(1);
    now.standing = bad;
    await refresh();
    await until("the gateway to be told", () => puts() === 2);
    expect(announced()).toEqual({ tier: 250, channel_quality: "low", channel_status: "flagged" });
  });

  it("is told again with the next answer when the gateway was away, and stays when settings are saved", async () => {
    const { account, answers, calls, channels, id, refresh, announced } = await rated();
    const puts = () => calls.filter((call) => call.startsWith("PUT /channels")).length;
    answers.set("PUT /channels/:id", says(503));
    await refresh();
    await until("the gateway to be asked", () => puts() > 0);
    answers.delete("PUT /channels/:id");
    const before = puts();
    await refresh();
    await until("the gateway to be told", () => puts() > before);
    expect(announced()).toMatchObject({ channel_quality: "high" });
    await channels.change(account, id, { name: "Renamed", settings: {} });
    expect(announced()).toMatchObject({ channel_quality: "high" });
  });

  it("is not asked of a stopped channel, whose credentials are dead, nor for another account", async () => {
    const { store, account, id, now, look, standings } = await rated();
    await standings.look({ ...account, id: "another" as AccountId }, id);
    await store.channels.setState(id, "stopped", "revoked");
    await look();
    expect(now.asked).toBe(0);
  });

  it("counts as unknown when a stored one does not fit this version", async () => {
    const { known, id, store } = await rated();
    await store.notes.set(id, [{ key: "standing", value: JSON.stringify({ at: 1, facts: "many" }) }]);
    expect(await known()).toBeUndefined();
  });
});
