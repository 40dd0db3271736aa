import { renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { seeded } from "gangway-messenger/kit/emulator/random";
import { pause } from "gangway-sandbox/demo/waiting";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../../tools/root.ts";
import { crowd } from "../../tools/torture/crowd.ts";
import type { Scene } from "../../tools/torture/scene.ts";
import { everyChat, expectUndisturbed, expectWhole, sayMore, settled, slowestOf } from "../support/crowd.ts";
import { type Fleet, restartEach, startFleet } from "../support/fleet.ts";
import { KEYS, ranProgram } from "../support/gangway.ts";
import { hasLastVersion, lastVersion } from "../support/last-version.ts";
import { command, temporaryDatabase } from "../support/postgres.ts";
import { temporaryFolder } from "../support/store.ts";

/** How much longer than the slowest before a message may take, ms. */
const LATE_MS = 5_000;
/** Besides, on SQLite, in restarts: whoever meets one repeats after pauses that double. */
const RESTARTS = 2;
const CALM_MS = 10_000;
const CHATS = 3;
const TURN_MS = 3_000;
const TALK = {
  messages: 60,
  accounts: 2,
  chats: CHATS,
  turnMs: TURN_MS,
  floods: 0,
  lost: 0,
  policy: "hold",
} as const;
const ENV = { PATH: process.env.PATH ?? "", SECRET_KEYS: KEYS.test, LOG_LEVEL: "info" };

/** Where the servers' program is found: a link, exchanged like that of a deployment. */
function deployed(version: string) {
  const link = join(temporaryFolder(), "current");
  const put = (folder: string) => {
    symlinkSync(folder, `${link}.new`);
    renameSync(`${link}.new`, link);
  };
  put(version);
  return { main: join(link, "dist", "main.js"), cli: join(link, "dist", "cli.js"), put };
}

/** What the tables of the newest migration have, and the last version's lack. */
const isMigrated = (folder: string) => {
  const database = new Database(join(folder, "gangway.db"), { readonly: true });
  try {
    return database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'api_token'").get() !== undefined;
  } finally {
    database.close();
  }
};

describe.skipIf(!hasLastVersion)(
  "from the last version to this one (skipped where the history lacks its commit)",
  () => {
    let last = "";
    beforeAll(() => {
      last = lastVersion(afterAll);
    });

    it("a server on SQLite that is restarted under load loses, doubles and disorders nothing, delays nothing for longer than that, and goes back by its backup", {
      timeout: 600_000,
    }, async () => {
      const [folder, backups] = [temporaryFolder(), temporaryFolder()];
      const program = deployed(last);
      const times = { stopped: 0, back: 0, settled: 0 };
      const result = await crowd({
        ...{ ...TALK, folder, env: ENV, main: program.main, random: seeded(1), print: () => undefined },
        async during(scene: Scene) {
          const { server } = scene;
          const env = { ...ENV, SANDBOX: "1", DATA_FOLDER: folder, PUBLIC_URL: server.origin };
          const file = join(backups, "before.db");
          scene.dying = true;
          await everyChat(scene);
          await pause(CALM_MS);
          expect(isMigrated(folder)).toBe(false);
          const backup = await ranProgram(program.cli, ["backup", file], env);
          expect(backup.code, backup.said).toBe(0);
          times.stopped = Date.now();
          await server.kill("SIGTERM");
          program.put(ROOT);
          await server.start();
          times.back = Date.now();
          expect(isMigrated(folder)).toBe(true);
          await pause(CALM_MS);
          scene.dying = false;
          await settled(scene);
          times.settled = Date.now();
          await server.kill("SIGTERM");
          program.put(last);
          const refused = await ranProgram(program.main, [], { ...env, PORT: "0" });
          expect(refused).toMatchObject({ code: 1, said: expect.stringContaining("from a newer version of Gangway") });
          await sayMore(scene, "while it is stopped");
          const restored = await ranProgram(program.cli, ["restore", file, "--force"], env);
          expect(restored.code, restored.said).toBe(0);
          await server.start();
          await sayMore(scene, "after the way back");
        },
      });
      const { ways: _, ...rest } = result;
      const calm = slowestOf(result, 0, times.stopped - CALM_MS / 2);
      const slowest = slowestOf(result, times.stopped - CALM_MS / 2, times.settled);
      const words = JSON.stringify({ calm, slowest, restart: times.back - times.stopped, ...rest });
      if (process.env.SHOW) process.stderr.write(`${words}\n`);
      // What waited for the customer when the backup was made is held, and was delivered since.
      expectWhole({ ...result, held: 0 }, words);
      expect(slowest.ms - calm.ms, words).toBeLessThan(RESTARTS * (times.back - times.stopped) + LATE_MS);
    });

    it("two processes on PostgreSQL that are exchanged one after another under load, and back again, fail no webhook, and lose, double, disorder and delay nothing", {
      timeout: 600_000,
    }, async () => {
      const program = deployed(last);
      const database = await temporaryDatabase();
      const known = async () =>
        (
          await command(
            database,
            "SELECT DISTINCT knows FROM member WHERE expires_at > extract(epoch FROM now()) * 1000",
          )
        ).map(({ knows }) => knows);
      let fleet: Fleet | undefined;
      let began = 0;
      const result = await crowd({
        ...{ ...TALK, folder: temporaryFolder(), main: program.main, random: seeded(1), print: () => undefined },
        env: { ...ENV, STOP_DELAY_SECONDS: "5", DATABASE_URL: database },
        async serve(options) {
          fleet = await startFleet(2, options);
          return fleet;
        },
        async during(scene: Scene) {
          scene.dying = true;
          await everyChat(scene);
          await pause(CALM_MS);
          const before = await known();
          expect(before).toHaveLength(1);
          began = Date.now();
          program.put(ROOT);
          await restartEach(fleet as Fleet);
          const after = await known();
          expect(after).toHaveLength(1);
          expect(after).not.toEqual(before);
          await pause(CALM_MS);
          program.put(last);
          await restartEach(fleet as Fleet);
          expect(await known()).toEqual(before);
          await pause(CALM_MS);
          scene.dying = false;
        },
      });
      expectUndisturbed(result, fleet as Fleet, began, LATE_MS);
    });
  },
);
