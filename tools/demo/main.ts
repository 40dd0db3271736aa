import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  command,
  FLAG,
  type Given,
  portOf,
  type RunningSandbox,
  recordTo,
  runToEnd,
  SANDBOX_KEY,
  seeded,
  serveSandbox,
  settingsIn,
  TEXT,
  untilStopped,
} from "gangway-sandbox";
import { step, tellProgress } from "./progress.ts";
import { playScript } from "./script.ts";
import { type Server, startServer } from "./server.ts";
import { addBot, addWebChat, connectThroughForm, DEMO_BOTS } from "./set-up.ts";

const HELP = `npm run demo -- [options]             the sandbox, Gangway connected to it, a web chat and two bots
  --script              play a conversation, check it and end with 0 or 1
  --port <number>       port of Gangway (default 3000, or a free one)
  --crm-port <number>   port of the CRM and gateway (default 7001, or a free one)
  --data <folder>       keep the database there (default: a temporary folder)
  --kill-every <ms>     with --script: kill the server at random moments, so often on average
  --seed <number>       of those moments
  --settings <file>     JSON of the unknowns, as /sandbox/settings shows them
  --record <file>       write every call as a line of JSON
`;

const print = (line: string) => process.stdout.write(`${line}\n`);

const OPTIONS = {
  script: FLAG,
  port: TEXT,
  "crm-port": TEXT,
  data: TEXT,
  "kill-every": TEXT,
  seed: TEXT,
  settings: TEXT,
  record: TEXT,
} as const;
type Options = Given<typeof OPTIONS>;

const run = command(HELP, OPTIONS, async (options) => {
  const stopped = untilStopped();
  const made: { shop?: string } = {};
  const port = await portOf("port", options.port, 3000, tellProgress);
  const settings = settingsIn(options.settings);
  const crmPort = await portOf("crm-port", options["crm-port"], 7001, tellProgress);
  const sandbox = await step("Starting the sandbox CRM", () =>
    serveSandbox({ port: crmPort, moduleUrl: `http://127.0.0.1:${port}`, shop: () => made.shop, settings }),
  );
  if (options.record) sandbox.sandbox.observe(recordTo(options.record, settings ?? {}, Date.now()));
  const own = options.data === undefined;
  const folder = options.data ?? mkdtempSync(join(tmpdir(), "gangway-demo-"));
  const env = {
    ...(process.env as Record<string, string>),
    LOG_LEVEL: process.env.LOG_LEVEL ?? "info",
    TELEGRAM_API_URL: `${sandbox.origin}/telegram`,
  };
  let server: Server | undefined;
  try {
    server = await step("Starting Gangway", () => startServer({ port, dataFolder: folder, env }));
    const code = shown(server, sandbox, made, options).then((ended) => ended ?? stopped.then(() => 0));
    return await Promise.race([code, stopped.then(() => 0)]);
  } finally {
    await server?.kill("SIGTERM");
    await sandbox.close();
    if (own) rmSync(folder, { recursive: true, force: true });
    if (!options.script) print("Stopped.");
  }
});

/** Sets the demo up, and plays the script where that is asked for: its exit code. */
async function shown(
  server: Server,
  sandbox: RunningSandbox,
  made: { shop?: string },
  options: Options,
): Promise<number | undefined> {
  const visit = await step("Connecting an account through the form", () =>
    connectThroughForm(server.origin, sandbox.origin, SANDBOX_KEY),
  );
  const { channel, snippet } = await step("Adding a web chat", () => addWebChat(visit));
  made.shop = `${sandbox.origin}/shop?module=${encodeURIComponent(server.origin)}&channel=${channel}`;
  for (const bot of DEMO_BOTS) await step(`Adding the ${bot.name}`, () => addBot(visit, bot));
  if (options.script) return script(server, sandbox, channel, options);
  tell(sandbox, made.shop, snippet);
  return undefined;
}

async function script(server: Server, sandbox: RunningSandbox, channel: string, options: Options): Promise<number> {
  const seed = Number(options.seed ?? Date.now() % 1_000_000);
  const killEveryMs = options["kill-every"] === undefined ? undefined : Number(options["kill-every"]);
  if (killEveryMs !== undefined) print(`seed ${seed}`);
  const faults = await playScript({ server, crm: sandbox.origin, channel, print, killEveryMs, random: seeded(seed) });
  for (const fault of faults) print(`FAULT     ${fault}`);
  print(faults.length === 0 ? "Everything arrived." : `${faults.length} faults`);
  return faults.length === 0 ? 0 : 1;
}

function tell(sandbox: RunningSandbox, shop: string, snippet: string): void {
  print(`
Gangway runs. An account of the sandbox CRM is connected and has a web chat and two bots of an emulated Telegram:
Harbour is called (webhook), Lighthouse asks (long polling).

  Write as a customer   ${shop}
  … by phone            ${sandbox.origin}/phone   (both bots are there)
  Answer as an agent    ${sandbox.origin}/inbox
  Set up the module     ${sandbox.origin}/        (the CRM account; opens the module's account page)
  See every call        ${sandbox.origin}/calls   (judged by the published contract)

The shop's page carries this line:
  ${snippet}

Ctrl-C stops it.`);
}

runToEnd("demo", () => run(process.argv.slice(2)));
