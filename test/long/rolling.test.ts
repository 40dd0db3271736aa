import { seeded } from "gangway-messenger/kit/emulator/random";
import { pause } from "gangway-sandbox/demo/waiting";
import { it } from "vitest";
import { patchedServer } from "../../tools/torture/copy.ts";
import { crowd } from "../../tools/torture/crowd.ts";
import { STEADY } from "../../tools/torture/hurry.ts";
import type { Scene } from "../../tools/torture/scene.ts";
import { everyChat, expectUndisturbed } from "../support/crowd.ts";
import { type Fleet, restartEach, startFleet } from "../support/fleet.ts";
import { KEYS } from "../support/gangway.ts";
import { databaseWithTables } from "../support/postgres.ts";
import { temporaryFolder } from "../support/store.ts";

const CALM_MS = 15_000;
/** Bursts of three in each chat (tools/torture/crowd.ts), slow enough for a machine that runs other tests too. */
const CHATS = 3;
const TURN_MS = 9_000 / CHATS;

it("three processes on one PostgreSQL, restarted one after another under load, fail no webhook, and lose, double, disorder and delay no message", {
  timeout: 600_000,
}, async () => {
  let fleet: Fleet | undefined;
  let began = 0;
  const env = {
    // Longer than a slow machine stands still: the balancer sees in time who stops.
    ...{ PATH: process.env.PATH ?? "", SECRET_KEYS: KEYS.test, LOG_LEVEL: "info", STOP_DELAY_SECONDS: "15" },
    DATABASE_URL: await databaseWithTables(),
  };
  const result = await crowd({
    ...{ messages: 100, accounts: 3, chats: CHATS, turnMs: TURN_MS, floods: 0, lost: 0, policy: "hold" },
    ...{
      folder: temporaryFolder(),
      main: patchedServer(temporaryFolder(), STEADY),
      env,
      random: seeded(1),
      print: () => undefined,
    },
    async serve(options) {
      fleet = await startFleet(3, options);
      return fleet;
    },
    async during(scene: Scene) {
      // They talk until the last process is back.
      scene.dying = true;
      await everyChat(scene);
      await pause(CALM_MS);
      began = Date.now();
      await restartEach(fleet as Fleet);
      scene.dying = false;
    },
  });
  expectUndisturbed(result, fleet as Fleet, began);
});
