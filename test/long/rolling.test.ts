import { seeded } from "gangway-messenger/kit/emulator/random";
import { pause, until } from "gangway-sandbox/demo/waiting";
import { expect, it } from "vitest";
import { crowd } from "../../tools/torture/crowd.ts";
import type { Scene } from "../../tools/torture/scene.ts";
import { type Fleet, startFleet } from "../support/fleet.ts";
import { KEYS } from "../support/gangway.ts";
import { databaseWithTables } from "../support/postgres.ts";
import { temporaryFolder } from "../support/store.ts";

/**
 * A message is late if it takes this much longer than the slowest under the same load before the first restart, ms. A process
 * that stops hands its accounts over within a second; the others wait 10 s for one that does not
 * (relay/scheduler/holdings.ts). So what is late has waited for that.
 */
const LATE_MS = 5_000;
const CALM_MS = 15_000;
/** Bursts of three in each chat (tools/torture/crowd.ts), slow enough for a machine that runs other tests too. */
const CHATS = 3;
const TURN_MS = 9_000 / CHATS;

const stops = (lines: string[]) => lines.filter((line) => line.includes('"server.stopped"')).length;

/** Stops and starts one process after the other, each once the balancer uses the one before again. */
async function restartEach({ servers, balancer }: Fleet): Promise<void> {
  for (const [n, server] of servers.entries()) {
    await server.kill("SIGTERM");
    // By itself: one that does not end is killed.
    expect(stops(server.lines)).toBe(1);
    await server.start();
    const before = balancer.shares()[n];
    await until("requests to the process", () => balancer.shares()[n] !== before);
  }
}

const troubles = ({ servers }: Fleet) =>
  servers.flatMap(({ lines }) => lines.filter((line) => /"level":"(warn|error)"/.test(line)));

it("three processes on one PostgreSQL, restarted one after another under load, fail no webhook, and lose, double, disorder and delay no message", {
  timeout: 600_000,
}, async () => {
  let fleet: Fleet | undefined;
  let began = 0;
  const env = {
    ...{ PATH: process.env.PATH ?? "", SECRET_KEYS: KEYS.test, LOG_LEVEL: "info", STOP_DELAY_SECONDS: "5" },
    DATABASE_URL: await databaseWithTables(),
  };
  const result = await crowd({
    ...{ messages: 100, accounts: 3, chats: CHATS, turnMs: TURN_MS, floods: 0, lost: 0, policy: "hold" },
    ...{ folder: temporaryFolder(), env, random: seeded(1), print: () => undefined },
    async serve(options) {
      fleet = await startFleet(3, options);
      return fleet;
    },
    async during(scene: Scene) {
      // They talk until the last process is back.
      scene.dying = true;
      await until("every chat", () =>
        scene.crowd.every(({ crm, chats }) => crm.sandbox.world.chats.size >= chats.length),
      );
      await pause(CALM_MS);
      began = Date.now();
      await restartEach(fleet as Fleet);
      scene.dying = false;
    },
  });
  const { lost, failed, unknown, disordered, gatewayDuplicates, duplicates, held, dead, notes, ways, ...rest } = result;
  const slowestOf = (some: typeof ways) => [...some].sort((one, other) => other.ms - one.ms)[0] ?? { ms: 0 };
  const calm = slowestOf(ways.filter(({ written }) => written < began));
  const slowest = slowestOf(ways.filter(({ written }) => written >= began));
  const seen = fleet?.balancer.answers() ?? {};
  const words = [JSON.stringify({ calm, slowest, ...rest }), JSON.stringify(seen), ...troubles(fleet as Fleet)].join(
    "\n",
  );
  if (process.env.SHOW) process.stderr.write(`${words}\n`);
  expect(
    Object.keys(seen).filter((status) => !/^[23]/.test(status)),
    words,
  ).toEqual([]);
  expect(
    [lost, failed, unknown, disordered, gatewayDuplicates, duplicates, held, dead, rest.ledger.hole],
    words,
  ).toEqual(Array(9).fill(0));
  expect(notes).toEqual([]);
  expect(slowest.ms - calm.ms, words).toBeLessThan(LATE_MS);
});
