import { type Server, startServer } from "gangway-sandbox/demo/server";
import { addBot, addWebChat, connectThroughForm, DEMO_BOTS } from "gangway-sandbox/demo/set-up";
import { onTestFinished } from "vitest";
import { freePort } from "../../sandbox/src/ports.ts";
import { serveSandbox } from "../../sandbox/src/serve.ts";
import { recordOutput } from "./canaries.ts";
import { databaseEnv } from "./engine.ts";
import { KEYS } from "./gangway.ts";
import { putNewDatabase } from "./new-database.ts";
import { type Ending, temporaryFolder } from "./store.ts";
import { SETTINGS } from "./unknowns.ts";

interface DemoOptions {
  /** Settings of the sandbox. */
  settings?: unknown;
  /** Adds two bots of the emulated Telegram: one with a webhook, one that polls. */
  bots?: boolean;
  ending?: Ending;
}

/** The built server in its own process, and a sandbox whose marketplace leads to it. */
export async function runningPair(
  settings: unknown = SETTINGS,
  shop: () => string | undefined = () => undefined,
  ending: Ending = onTestFinished,
  more: { main?: string; env?: Record<string, string> } = {},
) {
  const port = await freePort(0);
  const moduleUrl = `http://127.0.0.1:${port}`;
  const sandbox = await serveSandbox({ port: 0, moduleUrl, shop, settings });
  const telegram = { TELEGRAM_API_URL: `${sandbox.origin}/telegram` };
  const dataFolder = temporaryFolder(ending);
  putNewDatabase(dataFolder);
  const env: Record<string, string> = {
    ...{ PATH: process.env.PATH ?? "", LOG_LEVEL: "debug", SECRET_KEYS: KEYS.test },
    ...telegram,
    ...(await databaseEnv(dataFolder)),
    ...sandbox.sandbox.env(),
    ...more.env,
  };
  const server: Server = await startServer({ port, dataFolder, env, main: more.main });
  recordOutput(dataFolder, server.lines);
  ending(async () => {
    await server.kill("SIGKILL");
    await sandbox.close();
  });
  // Changes to `env` apply at the next start.
  return { server, sandbox, env, dataFolder };
}

/** Like `npm run demo`: with an account and a web chat. */
export async function runningDemo({ settings = SETTINGS, bots = false, ending }: DemoOptions = {}) {
  const made: { shop?: string } = {};
  const { server, sandbox, env, dataFolder } = await runningPair(settings, () => made.shop, ending);
  const visit = await connectThroughForm(server.origin, sandbox.origin, "sandbox-key");
  const { channel } = await addWebChat(visit);
  for (const bot of bots ? DEMO_BOTS : []) await addBot(visit, bot);
  const shop = `${sandbox.origin}/shop?module=${encodeURIComponent(server.origin)}&channel=${channel}`;
  made.shop = shop;
  return { server, sandbox, visit, channel, shop, env, dataFolder, door: `${server.origin}/m/${channel}` };
}
