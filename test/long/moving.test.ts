import { join } from "node:path";
import { seeded } from "gangway-messenger/kit/emulator/random";
import { type ServerOptions, startServer } from "gangway-sandbox/demo/server";
import { expect, it } from "vitest";
import { ROOT } from "../../tools/root.ts";
import { crowd } from "../../tools/torture/crowd.ts";
import type { Scene } from "../../tools/torture/scene.ts";
import { everyChat, expectWhole, sayMore, settled } from "../support/crowd.ts";
import { KEYS, ranProgram } from "../support/gangway.ts";
import { temporaryDatabase } from "../support/postgres.ts";
import { temporaryFolder } from "../support/store.ts";

const CLI = join(ROOT, "dist", "cli.js");
const ENV = { PATH: process.env.PATH ?? "", SECRET_KEYS: KEYS.test, LOG_LEVEL: "info" };

it("a server that gangway move carries to PostgreSQL and back, while customers and agents write, loses, doubles and disorders nothing, and the side that it left is refused", {
  timeout: 600_000,
}, async () => {
  const [folder, emptied, database] = [temporaryFolder(), temporaryFolder(), await temporaryDatabase()];
  let options: ServerOptions | undefined;
  const result = await crowd({
    ...{ messages: 36, accounts: 2, chats: 3, turnMs: 1_000, floods: 0, lost: 0, policy: "hold", folder, env: ENV },
    ...{ random: seeded(1), print: () => undefined },
    async serve(given) {
      options = given;
      return startServer(given);
    },
    async during(scene: Scene) {
      const { server } = scene;
      const { env } = options as ServerOptions;
      const command = async (args: string[], dataFolder = folder) => {
        const own = { ...ENV, SANDBOX: "1", DATA_FOLDER: dataFolder, PUBLIC_URL: server.origin };
        return ranProgram(CLI, args, { ...own, ...(env.DATABASE_URL && { DATABASE_URL: env.DATABASE_URL }) });
      };
      const succeeds = async (...given: Parameters<typeof command>) => {
        const { code, said } = await command(...given);
        expect(code, said).toBe(0);
        return said;
      };
      await everyChat(scene);
      await settled(scene);
      expect((await command(["move", "--to", database])).said).toContain("already running on the data folder");
      await server.kill("SIGTERM");
      await sayMore(scene, "before it is on PostgreSQL");
      expect(await succeeds(["move", "--to", database])).toContain("Start the server on PostgreSQL.");
      expect((await command(["verify"])).said).toContain("was moved");
      env.DATABASE_URL = database;
      await succeeds(["verify"]);
      await server.start();
      await sayMore(scene, "on PostgreSQL");
      await settled(scene);
      await server.kill("SIGTERM");
      delete env.DATABASE_URL;
      expect(await succeeds(["move", "--from", database], emptied)).toContain("Start the server on the data folder.");
      (options as ServerOptions).dataFolder = emptied;
      await succeeds(["verify"], emptied);
      await server.start();
      await sayMore(scene, "back on SQLite");
      await settled(scene);
    },
  });
  const { ways: _, ...rest } = result;
  expectWhole(result, JSON.stringify(rest));
});
