#!/usr/bin/env node
import { readFileSync, writeFileSync } from "node:fs";
import { command, FLAG, runToEnd, settingsIn, TEXT, UsageError, untilStopped } from "./command-line.ts";
import { conformance } from "./conformance/conformance.ts";
import { portOf } from "./ports.ts";
import { recordTo } from "./record.ts";
import { replay } from "./replay.ts";
import { type RunningSandbox, serveSandbox } from "./serve.ts";
import { VARIANTS } from "./unknowns.ts";
import { SANDBOX_KEY } from "./world.ts";

const HELP = `gangway-sandbox: a CRM account and its messaging gateway on this machine

gangway-sandbox [options]             serves until Ctrl-C   (in a checkout: npm run sandbox -- [options])
  --port <number>       default 7001, or a free one
  --host <address>      where to listen (default 127.0.0.1)
  --url <url>           how the module reaches it (default: http://<host>:<port>)
  --module-url <url>    the module's form, for the marketplace card
  --tls                 speak https, with a certificate of its own (also at /certificate.pem)
  --certificate <file>  with --tls: write the certificate there, for clients to trust
  --settings <file>     JSON of the unknowns, as /sandbox/settings shows them
  --record <file>       write every call as a line of JSON

gangway-sandbox replay <trace> --webhook <url> --client-id <id>
                        send a trace's webhooks to a module again, and compare its answers

gangway-sandbox conformance [--json <file>] [--settings <file>]     (in a checkout: npm run conformance)
                        drive every operation of the published contract, and report what was covered

gangway-sandbox variants
                        the unknowns set otherwise, one JSON a line
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
  record: TEXT,
} as const;

const serve = command(HELP, SERVING, async (options) => {
  if (options.positionals.length > 0) throw new UsageError(`there is no ${options.positionals[0]}`);
  if (["0.0.0.0", "::"].includes(options.host ?? "") && !options.url)
    throw new UsageError("with this --host say --url: how a module reaches the sandbox");
  if (options.certificate && !options.tls) throw new UsageError("--certificate goes with --tls");
  const settings = settingsIn(options.settings);
  const running = await serveSandbox({
    port: await portOf("port", options.port, 7001, warn),
    host: options.host,
    url: options.url,
    moduleUrl: options["module-url"],
    settings,
    tls: options.tls,
  });
  if (options.certificate) writeFileSync(options.certificate, running.certificate ?? "");
  if (options.record) running.sandbox.observe(recordTo(options.record, settings ?? {}, Date.now()));
  print(wordsOf(running, options.certificate));
  await untilStopped();
  await running.close();
  print("Stopped.");
  return 0;
});

const wordsOf = ({ origin, certificate }: RunningSandbox, file: string | undefined) => `
The sandbox runs: a CRM account and its messaging gateway.

  The account           ${origin}/        (marketplace, modules, switches)
  Its API key           ${SANDBOX_KEY}            (more at ${origin}/keys)
  The agent's inbox     ${origin}/inbox
  A customer's phone    ${origin}/phone   (an emulated Telegram)
  The Bot API's root    ${origin}/telegram
  Every call            ${origin}/calls   (judged by the published contract)
  What nobody knows     ${origin}/unknowns
  Faults on demand      ${origin}/faults

A module registers at ${origin}/api/v5/integration-modules/{code}/edit.
${certificate ? `Its certificate is at ${file ?? `${origin}/certificate.pem`}: a client trusts it as an authority.\n` : ""}Ctrl-C stops it.`;

const playAgain = command(HELP, { webhook: TEXT, "client-id": TEXT }, async (options) => {
  const { positionals, webhook, "client-id": clientId } = options;
  const [trace] = positionals;
  if (!trace || !webhook || !clientId) throw new UsageError("say replay <trace> --webhook <url> --client-id <id>");
  const [, ...lines] = readFileSync(trace, "utf8").trimEnd().split("\n");
  const wrong = await replay({ lines, webhookUrl: webhook, clientId, print });
  print(wrong === 0 ? "Every answer is as it was." : `${wrong} answers are otherwise`);
  return wrong === 0 ? 0 : 1;
});

const conform = command(HELP, { json: TEXT, settings: TEXT }, ({ json, settings }) =>
  conformance({ print, json, settings: settingsIn(settings) as object }),
);

async function variants(): Promise<number> {
  for (const variant of VARIANTS) print(JSON.stringify(variant));
  return 0;
}

const COMMANDS = new Map([
  ["replay", playAgain],
  ["conformance", conform],
  ["variants", variants],
]);

const args = process.argv.slice(2);
const named = COMMANDS.get(args[0] ?? "");
runToEnd("sandbox", () => (named ? named(args.slice(1)) : serve(args)));
