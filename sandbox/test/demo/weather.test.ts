import type { Emulator, EmulatorOptions } from "gangway-messenger/kit/emulator";
import { Hono } from "hono";
import { expect, it } from "vitest";
import { inWeather, type Weather } from "../../src/demo/weather.ts";

/** A network whose only call counts, as served under /toy. */
function network(weather: Weather, deliver: EmulatorOptions["deliver"] = async () => new Response()) {
  let calls = 0;
  const create = ({ deliver: bring }: EmulatorOptions): Emulator & { bring: EmulatorOptions["deliver"] } => ({
    site: new Hono().get("/call", (c) => c.json({ calls: ++calls })).get("/phone", (c) => c.text("a phone")),
    channel: () => ({ name: "Toy", settings: {} }),
    stop: () => {},
    bring,
  });
  const options = { origin: () => "http://sandbox/toy", clock: { now: () => 0, after: () => () => {} }, deliver };
  const emulator = inWeather(create, weather)(options) as ReturnType<typeof create>;
  const site = new Hono().route("/toy", emulator.site);
  return { ask: async (path: string) => site.request(`http://sandbox/toy${path}`), calls: () => calls, ...emulator };
}
/** The same chance each time. */
const weather = (random: number, isBad = true): Weather => ({ isBad, random: () => random, disturbed: 0 });

it("in good weather everything passes", async () => {
  const good = weather(0, false);
  const { ask, calls } = network(good);
  expect(await (await ask("/call")).json()).toEqual({ calls: 1 });
  expect([calls(), good.disturbed]).toEqual([1, 0]);
});

it("in bad weather calls fail, and the pages for people do not", async () => {
  const bad = weather(0);
  const { ask, calls } = network(bad);
  // The first loses its answer: it is what a copy comes from.
  await ask("/call");
  expect(calls()).toBe(1);
  expect((await ask("/call")).status).toBe(503);
  expect(await (await ask("/phone")).text()).toBe("a phone");
  expect([calls(), bad.disturbed]).toEqual([1, 2]);
});

it.each([
  ["is refused", 0.1, 0],
  ["loses its answer", 0.4, 1],
  ["comes twice", 0.7, 2],
])("in bad weather a webhook %s", async (_, kind, times) => {
  let brought = 0;
  const rolls = [0, kind];
  const bad: Weather = { isBad: true, random: () => rolls.shift() ?? 0, disturbed: 0 };
  const { bring } = network(bad, async () => {
    brought += 1;
    return new Response();
  });
  await bring(new Request("http://module/door", { method: "POST", body: "{}" })).catch(() => {});
  expect([brought, bad.disturbed]).toEqual([times, 1]);
});
