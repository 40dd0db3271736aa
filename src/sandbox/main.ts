import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HELP, type Options, portOf, readOptions, UsageError } from "./command-line.ts";
import { conformance } from "./conformance/conformance.ts";
import { step } from "./demo/progress.ts";
import { playScript } from "./demo/script.ts";
import { type Server, startServer } from "./demo/server.ts";
import { addBot, addWebChat, connectThroughForm, DEMO_BOTS } from "./demo/set-up.ts";
import { seeded } from "./random.ts";
import { recordTo } from "./record.ts";
import { replay } from "./replay.ts";
import { type RunningSandbox, serveSandbox } from "./serve.ts";
import { tableOf } from "./torture/figure.ts";
import { receiptOf } from "./torture/receipt.ts";
import { sabotageAll } from "./torture/sabotage.ts";
import { SABOTAGES } from "./torture/sabotages.ts";
import { torture } from "./torture/torture.ts";
import { VARIANTS } from "./unknowns.ts";
import { SANDBOX_KEY } from "./world.ts";

const print = (line: string) => process.stdout.write(`${line}\n`);

function settingsIn({ settings }: Options): unknown {
  if (settings === undefined) return undefined;
  try {
    return JSON.parse(readFileSync(settings, "utf8"));
  } catch (error) {
    throw new Error(`--settings ${settings}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function recording({ record }: Options, running: RunningSandbox, settings: unknown): void {
  if (record !== undefined) running.sandbox.observe(recordTo(record, settings ?? {}, Date.now()));
}

/** From here on a signal asks for an orderly end; it may come twice, from a terminal and from npm. */
const untilStopped = () =>
  new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => resolve());
  });

async function demo(options: Options): Promise<number> {
  const stopped = untilStopped();
  const made: { shop?: string } = {};
  const port = await portOf("port", options.port, 3000);
  const settings = settingsIn(options);
  const crmPort = await portOf("crm-port", options["crm-port"], 7001);
  const sandbox = await step("Starting the sandbox CRM", () =>
    serveSandbox({ port: crmPort, moduleUrl: `http://127.0.0.1:${port}`, shop: () => made.shop, settings }),
  );
  recording(options, sandbox, settings);
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
}

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

async function alone(options: Options): Promise<number> {
  if (options.positionals[0] === "replay") return playAgain(options);
  if (options.positionals.length > 0) throw new UsageError(`there is no ${options.positionals[0]}`);
  if (["0.0.0.0", "::"].includes(options.host ?? "") && !options.url)
    throw new UsageError("with this --host say --url: how a module reaches the sandbox");
  if (options.certificate && !options.tls) throw new UsageError("--certificate goes with --tls");
  const settings = settingsIn(options);
  const sandbox = await serveSandbox({
    port: await portOf("port", options.port, 7001),
    host: options.host,
    url: options.url,
    moduleUrl: options["module-url"],
    settings,
    tls: options.tls,
  });
  if (options.certificate) writeFileSync(options.certificate, sandbox.certificate ?? "");
  recording(options, sandbox, settings);
  print(`
The sandbox runs: a CRM account and its messaging gateway.

  The account           ${sandbox.origin}/        (marketplace, modules, switches)
  Its API key           ${SANDBOX_KEY}            (more at ${sandbox.origin}/keys)
  The agent's inbox     ${sandbox.origin}/inbox
  A customer's phone    ${sandbox.origin}/phone   (an emulated Telegram)
  The Bot API's root    ${sandbox.origin}/telegram
  Every call            ${sandbox.origin}/calls   (judged by the published contract)
  What nobody knows     ${sandbox.origin}/unknowns
  Faults on demand      ${sandbox.origin}/faults

A module registers at ${sandbox.origin}/api/v5/integration-modules/{code}/edit.
${sandbox.certificate ? `Its certificate is at ${options.certificate ?? `${sandbox.origin}/certificate.pem`}: a client trusts it as an authority.\n` : ""}Ctrl-C stops it.`);
  await untilStopped();
  await sandbox.close();
  print("Stopped.");
  return 0;
}

async function playAgain({ positionals, webhook, "client-id": clientId }: Options): Promise<number> {
  const [, trace] = positionals;
  if (!trace || !webhook || !clientId) throw new UsageError("say replay <trace> --webhook <url> --client-id <id>");
  const [, ...lines] = readFileSync(trace, "utf8").trimEnd().split("\n");
  const wrong = await replay({ lines, webhookUrl: webhook, clientId, print });
  print(wrong === 0 ? "Every answer is as it was." : `${wrong} answers are otherwise`);
  return wrong === 0 ? 0 : 1;
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

async function torment(options: Options): Promise<number> {
  const seed = Number(options.seed ?? Date.now() % 1_000_000);
  print(`seed ${seed}`);
  const given = {
    short: options.short ?? options.sabotage ?? false,
    seed,
    only: options.cell ? ["grid"] : options.only?.split(","),
    cells: options.cell,
    env: { ...(process.env as Record<string, string>), LOG_LEVEL: process.env.LOG_LEVEL ?? "error" },
    print,
  };
  if (options.sabotage) return Math.min(1, await sabotageAll(SABOTAGES, given));
  const began = Date.now();
  const result = await torture(given);
  const receipt = receiptOf(result, { ...given, began, ended: Date.now() });
  print(tableOf(result.figures));
  for (const file of [options.json, options.receipt])
    if (file) writeFileSync(file, `${JSON.stringify(receipt, undefined, 2)}\n`);
  const failed = result.figures.filter(({ pass }) => pass === false);
  print(failed.length === 0 ? "Every promise was kept." : `${failed.length} figures are out of their bounds`);
  return failed.length === 0 ? 0 : 1;
}

/** One a line, for the tests that are run with each. */
async function variants(): Promise<number> {
  for (const variant of VARIANTS) print(JSON.stringify(variant));
  return 0;
}

const COMMANDS: Record<string, (options: Options) => Promise<number>> = {
  demo,
  sandbox: alone,
  torture: torment,
  conformance: (options) => conformance({ print, json: options.json, settings: settingsIn(options) as object }),
  variants,
};

async function run(): Promise<number> {
  const command = COMMANDS[process.argv[2] ?? ""];
  const options = command && readOptions(process.argv.slice(3));
  if (options && !options.help) return command(options);
  (command ? process.stdout : process.stderr).write(HELP);
  return command ? 0 : 2;
}

run().then(
  (code) => process.exit(code),
  (error: unknown) => {
    const isUsage = error instanceof UsageError;
    const words = error instanceof Error ? error.message : String(error);
    process.stderr.write(`sandbox: ${words}${isUsage ? "; see --help" : ""}\n`);
    process.exit(isUsage ? 2 : 1);
  },
);
