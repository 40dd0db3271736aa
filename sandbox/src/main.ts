#!/usr/bin/env node
import { readFileSync, writeFileSync } from "node:fs";
import { saveArchive } from "./archive/file.ts";
import { command, FLAG, runToEnd, settingsIn, TEXT, UsageError, untilStopped } from "./command-line.ts";
import { SANDBOX_KEY } from "./crm/rights.ts";
import { portOf } from "./ports.ts";
import { recordTo } from "./record.ts";
import { replay } from "./replay.ts";
import { phoneLines, type RunningSandbox, serveSandbox } from "./serve.ts";
import { VARIANTS } from "./unknowns.ts";

const HELP = `gangway-sandbox: a CRM account and its messaging gateway on this machine

gangway-sandbox [options]             serve until Ctrl-C   (in a checkout: npm run sandbox -- [options])
  --port <number>       port (default 7001, or a free one)
  --host <address>      address to listen on (default 127.0.0.1)
  --url <url>           how modules reach the sandbox (default http://<host>:<port>)
  --module-url <url>    URL of the module's form, for the marketplace card
  --tls                 serve https with a fresh certificate (also at /certificate.pem)
  --certificate <file>  with --tls: write the certificate to a file, for clients to trust
  --settings <file>     unknowns as JSON, as /sandbox/settings shows them
  --seed <what>         start with a shop, small (1,000 orders) or large (300,000), or with the account's file that --save
                        or GET /sandbox/account.ndjson wrote
  --save <file>         write the account on stopping, for --seed
  --record <file>       write every call as a JSON line

gangway-sandbox replay <trace> --webhook <url> --client-id <id>
                        resend a trace's webhooks to a module and compare its answers

gangway-sandbox conformance [--json <file>] [--settings <file>]     (in a checkout: npm run conformance)
                        drive every operation of the published contract and report the coverage

gangway-sandbox delivery-module [--crm <url>] [--key <key>] [--port <number>]
                        run the sample delivery module: it registers at the account and takes its orders and shipments

gangway-sandbox demo [options]       (in a checkout: npm run demo)
                        the sandbox with a Gangway beside it; demo --help tells the options

gangway-sandbox torture --messenger <folder>
                        a messenger's package under kills and faults; torture --help tells the options

gangway-sandbox variants
                        print each unknown set otherwise, one JSON per line
`;

const print = (line: string) => process.stdout.write(`${line}\n`);
const warn = (line: string) => process.stderr.write(`${line}\n`);

const SERVING = {
  port: TEXT,
  host: TEXT,
  url: TEXT,
  "module-url": TEXT,
  tls: FLAG,
  certificate: TEXT,
  settings: TEXT,
  seed: TEXT,
  save: TEXT,
  record: TEXT,
} as const;

const serve = command(HELP, SERVING, async (options) => {
  if (options.positionals.length > 0) throw new UsageError(`unknown command ${options.positionals[0]}`);
  if (["0.0.0.0", "::"].includes(options.host ?? "") && !options.url)
    throw new UsageError("this --host needs --url: how a module reaches the sandbox");
  if (options.certificate && !options.tls) throw new UsageError("--certificate needs --tls");
  const settings = settingsIn(options.settings);
  const running = await serveSandbox({
    port: await portOf("port", options.port, 7001, warn),
    host: options.host,
    url: options.url,
    moduleUrl: options["module-url"],
    settings,
    tls: options.tls,
    seed: options.seed,
  });
  if (options.certificate) writeFileSync(options.certificate, running.certificate ?? "");
  if (options.record) running.sandbox.observe(recordTo(options.record, settings ?? {}, Date.now()));
  const stopped = untilStopped();
  // Last: whoever reads it may send a signal at once.
  print(bannerOf(running, options.certificate));
  await stopped;
  await running.close();
  if (options.save) await saveArchive(running.sandbox.world, options.save);
  print(options.save ? `Stopped; the account is in ${options.save}.` : "Stopped.");
  return 0;
});

const bannerOf = ({ origin, certificate, sandbox }: RunningSandbox, file: string | undefined) => `
The sandbox is running: a CRM account and its messaging gateway.

  Account               ${origin}/        (marketplace, modules, switches)
  API key               ${SANDBOX_KEY}            (more at ${origin}/admin/api-keys)
  Agents' inbox         ${origin}/inbox
  Bot API root          ${origin}/telegram
${phoneLines({ origin, sandbox }, (kind) => `Phone with ${kind}`)}  Call log              ${origin}/calls   (judged by the published contract)
  Unknowns              ${origin}/unknowns
  Faults on demand      ${origin}/faults

Register a module at ${origin}/api/v5/integration-modules/{code}/edit.
${certificate ? `Trust the certificate as a CA: ${file ?? `${origin}/certificate.pem`}\n` : ""}Stop with Ctrl-C.`;

const replayTrace = command(HELP, { webhook: TEXT, "client-id": TEXT }, async (options) => {
  const { positionals, webhook, "client-id": clientId } = options;
  const [trace] = positionals;
  if (!trace || !webhook || !clientId) throw new UsageError("usage: replay <trace> --webhook <url> --client-id <id>");
  const [, ...lines] = readFileSync(trace, "utf8").trimEnd().split("\n");
  const wrong = await replay({ lines, webhookUrl: webhook, clientId, print });
  print(wrong === 0 ? "All answers match." : `${wrong} answers differ`);
  return wrong === 0 ? 0 : 1;
});

const conform = command(HELP, { json: TEXT, settings: TEXT }, async ({ json, settings }) => {
  // Loaded on use: serving starts without it.
  const { conformance } = await import("./conformance/conformance.ts");
  return conformance({ print, json, settings: settingsIn(settings) as object });
});

const deliver = command(HELP, { crm: TEXT, key: TEXT, port: TEXT }, async (options) => {
  const { crm = "http://127.0.0.1:7001", key = SANDBOX_KEY } = options;
  // Loaded on use: it is no part of the sandbox.
  const { serveDeliveryModule } = await import("./delivery-module/serve.ts");
  const port = await portOf("port", options.port, 7002, warn);
  const running = await serveDeliveryModule({ crm, key, port, log: print });
  const stopped = untilStopped();
  print(`The delivery module is registered at ${crm}. Its deliveries: ${running.origin}/`);
  await stopped;
  await running.close();
  return 0;
});

// Loaded on use: serving starts without them.
const demo = async (given: string[]) => (await import("./demo/demo.ts")).demo(given);
const torture = async (given: string[]) => (await import("./demo/torture.ts")).torture(given);

async function variants(): Promise<number> {
  for (const variant of VARIANTS) print(JSON.stringify(variant));
  return 0;
}

const COMMANDS = new Map<string, (given: string[]) => Promise<number>>([
  ["replay", replayTrace],
  ["conformance", conform],
  ["delivery-module", deliver],
  ["demo", demo],
  ["torture", torture],
  ["variants", variants],
]);

const args = process.argv.slice(2);
const named = COMMANDS.get(args[0] ?? "");
runToEnd(named === demo ? "demo" : "sandbox", () => (named ? named(args.slice(1)) : serve(args)));
