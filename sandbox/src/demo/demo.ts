import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { seeded } from "gangway-messenger/kit/emulator/random";
import { command, FLAG, type Given, settingsIn, TEXT, UsageError, untilStopped } from "../command-line.ts";
import { SANDBOX_KEY } from "../crm/rights.ts";
import { portOf } from "../ports.ts";
import { recordTo } from "../record.ts";
import { phoneLines, type RunningSandbox, serveSandbox } from "../serve.ts";
import { packageIn } from "./package.ts";
import { printProgress, step } from "./progress.ts";
import { playScript } from "./script.ts";
import { builtServer, type Server, startServer } from "./server.ts";
import { addBot, addWebChat, connectThroughForm, POLLING_BOT, type Visit } from "./set-up.ts";

const HELP = `gangway-sandbox demo [options]        the sandbox and Gangway, connected, with a web chat and two bots   (in a checkout:
                                      npm run demo -- [options])
  --messenger <folder>  beside the messengers of the server, the built package in this folder, with its emulator
  --open                open the shop in the browser
  --script              play and check a conversation, then exit with 0 or 1
  --port <number>       port of Gangway (default 3000, or a free one)
  --crm-port <number>   port of the CRM and gateway (default 7001, or a free one)
  --data <folder>       folder of the database (default: a temporary one)
  --kill-every <ms>     with --script: kill the server at random moments, this long after it is
                        ready on average (on a slow machine: as long as it takes to start)
  --seed <number>       seed of the random moments
  --settings <file>     the sandbox's settings as JSON, in the form of /sandbox/settings
  --record <file>       record every call, one line of JSON each
`;

const print = (line: string) => process.stdout.write(`${line}\n`);

const OPTIONS = {
  messenger: TEXT,
  open: FLAG,
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

export const demo = command(HELP, OPTIONS, async (options) => {
  if (options["kill-every"] !== undefined && !options.script) throw new UsageError("--kill-every needs --script");
  const stopped = untilStopped();
  const made: { shop?: string } = {};
  const own = options.messenger === undefined ? undefined : await packageIn(options.messenger);
  const main = own?.main ?? builtServer();
  const port = await portOf("port", options.port, 3000, printProgress);
  const settings = settingsIn(options.settings);
  const crmPort = await portOf("crm-port", options["crm-port"], 7001, printProgress);
  const sandbox = await step("Starting the sandbox CRM", () =>
    serveSandbox({
      port: crmPort,
      moduleUrl: `http://127.0.0.1:${port}`,
      shop: () => made.shop,
      settings,
      emulators: own && { [own.kind]: own.createEmulator },
    }),
  );
  if (options.record) sandbox.sandbox.observe(recordTo(options.record, settings ?? {}, Date.now()));
  const isTemporary = options.data === undefined;
  const folder = options.data ?? mkdtempSync(join(tmpdir(), "gangway-demo-"));
  const env = {
    ...(process.env as Record<string, string>),
    LOG_LEVEL: process.env.LOG_LEVEL ?? "info",
    ...sandbox.sandbox.env(),
    ...own?.env,
  };
  let server: Server | undefined;
  try {
    server = await step("Starting Gangway", () => startServer({ port, dataFolder: folder, env, main }));
    const operate = `SANDBOX=1 DATA_FOLDER="${resolve(folder)}" PUBLIC_URL=${server.origin} ${process.execPath} ${join(dirname(main), "cli.js")} accounts list`;
    const code = setUp(server, sandbox, made, options, operate).then((ended) => ended ?? stopped.then(() => 0));
    return await Promise.race([code, stopped.then(() => 0)]);
  } finally {
    await server?.kill("SIGTERM");
    await sandbox.close();
    if (isTemporary) rmSync(folder, { recursive: true, force: true });
    if (!options.script) print("Stopped.");
  }
});

/** Sets up the demo. With --script, plays it and returns the exit code. */
async function setUp(
  server: Server,
  sandbox: RunningSandbox,
  made: { shop?: string },
  options: Options,
  operate: string,
): Promise<number | undefined> {
  const visit = await step("Connecting an account through the form", () =>
    connectThroughForm(server.origin, sandbox.origin, SANDBOX_KEY),
  );
  const { channel, snippet } = await step("Adding a web chat", () => addWebChat(visit));
  made.shop = `${sandbox.origin}/shop?module=${encodeURIComponent(server.origin)}&channel=${channel}`;
  await addEmulated(visit, server, sandbox);
  await step(`Adding the ${POLLING_BOT.name}`, () => addBot(visit, POLLING_BOT));
  if (options.script) return script(server, sandbox, channel, options);
  printGuide(sandbox, server, snippet, operate);
  if (options.open) openPage(`${sandbox.origin}/shop`);
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

/** A messenger that is being written may refuse; the demo goes on without it. */
async function addEmulated(
  visit: Visit,
  { origin }: Server,
  { sandbox: { emulators } }: RunningSandbox,
): Promise<void> {
  for (const [kind, emulator] of Object.entries(emulators)) {
    const { name, settings } = emulator.channel();
    await emulator.register?.(origin).catch((error: Error) => print(`  ${error.message}`));
    const added = step(`Adding ${name}`, () => visit.add(kind, name, settings));
    await added.catch((error: Error) => print(`  ${error.message}`));
  }
}

function printGuide(sandbox: RunningSandbox, server: Server, snippet: string, operate: string): void {
  const { origin } = sandbox;
  print(`
Gangway is running.

Try first:
  1. Write as a customer     ${origin}/shop
  2. Answer as an agent      ${origin}/inbox
  3. Look at the channels    ${origin}/  (the CRM account: open its module)

Write on a phone:
${phoneLines(sandbox, (kind) => kind.padEnd(27))}
Connect it yourself:
  The module's form          ${server.origin}/
  Address of the CRM         ${origin}
  API key                    ${SANDBOX_KEY}
  Tokens to paste            ${origin}/phones  (as each messenger's own site shows them)

Look behind it:
  Every call                 ${origin}/calls  (checked against the published contract)
  Commands                   ${operate}
  The shop's line            ${snippet}

Ctrl-C stops it.`);
}

const OPENERS: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/** In the person's browser, where there is one. */
function openPage(address: string): void {
  const [command = "xdg-open", ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const opener = spawn(command, [...args, address], { stdio: "ignore", detached: true });
  opener.on("error", () => print(`No browser could be opened: open ${address}`));
  opener.unref();
}
