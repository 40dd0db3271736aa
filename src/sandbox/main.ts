import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { playScript } from "./demo/script.ts";
import { freePort, type Server, startServer } from "./demo/server.ts";
import { connectThroughForm } from "./demo/set-up.ts";
import { type RunningSandbox, serveSandbox } from "./serve.ts";
import { SANDBOX_KEY } from "./world.ts";

const HELP = `npm run demo [-- options]
  --script              play a conversation, check it and end with 0 or 1
  --port <number>       port of Gangway (default 3000, or a free one)
  --crm-port <number>   port of the CRM and gateway (default 7001, or a free one)
  --data <folder>       keep the database there (default: a temporary folder)
  --kill-every <ms>     with --script: kill the server at random moments, so often on average
  --seed <number>       of those moments
`;

const print = (line: string) => process.stdout.write(`${line}\n`);

function readOptions() {
  const text = { type: "string" } as const;
  const options = {
    script: { type: "boolean" },
    help: { type: "boolean" },
    port: text,
    "crm-port": text,
    data: text,
    "kill-every": text,
    seed: text,
  } as const;
  return parseArgs({ args: process.argv.slice(3), options }).values;
}

/** mulberry32: small, seeded, good enough to choose moments. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function demo(): Promise<number> {
  const options = readOptions();
  if (options.help) {
    print(HELP);
    return 0;
  }
  const port = await freePort(Number(options.port ?? 3000));
  const sandbox = await serveSandbox({
    port: await freePort(Number(options["crm-port"] ?? 7001)),
    moduleUrl: `http://127.0.0.1:${port}`,
  });
  const own = options.data === undefined;
  const folder = options.data ?? mkdtempSync(join(tmpdir(), "gangway-demo-"));
  const env = { ...(process.env as Record<string, string>), LOG_LEVEL: process.env.LOG_LEVEL ?? "info" };
  const server = await startServer({ port, dataFolder: folder, env });
  try {
    const { channel, snippet } = await connectThroughForm(server.origin, sandbox.origin, SANDBOX_KEY);
    if (options.script) return await script(server, sandbox, channel, options);
    tell(server, sandbox, channel, snippet);
    await new Promise<void>((resolve) => {
      for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => resolve());
    });
    return 0;
  } finally {
    await server.kill("SIGTERM");
    await sandbox.close();
    if (own) rmSync(folder, { recursive: true, force: true });
  }
}

async function script(
  server: Server,
  sandbox: RunningSandbox,
  channel: string,
  options: ReturnType<typeof readOptions>,
): Promise<number> {
  const seed = Number(options.seed ?? Date.now() % 1_000_000);
  const killEveryMs = options["kill-every"] === undefined ? undefined : Number(options["kill-every"]);
  if (killEveryMs !== undefined) print(`seed ${seed}`);
  const faults = await playScript({ server, crm: sandbox.origin, channel, print, killEveryMs, random: seeded(seed) });
  for (const fault of faults) print(`FAULT     ${fault}`);
  print(faults.length === 0 ? "Everything arrived." : `${faults.length} faults`);
  return faults.length === 0 ? 0 : 1;
}

function tell(server: Server, sandbox: RunningSandbox, channel: string, snippet: string): void {
  const shop = `${sandbox.origin}/shop?module=${encodeURIComponent(server.origin)}&channel=${channel}`;
  print(`
Gangway runs, an account of the sandbox CRM is connected and has a web chat.

  Write as a customer   ${shop}
  Answer as an agent    ${sandbox.origin}/inbox
  Set up the module     ${sandbox.origin}/        (the CRM account; opens the module's account page)
  See every call        ${sandbox.origin}/calls   (judged by the published contract)

The shop's page carries this line:
  ${snippet}

Ctrl-C stops it.`);
}

if (process.argv[2] === "demo")
  demo().then(
    (code) => process.exit(code),
    (error: unknown) => {
      process.stderr.write(`demo: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
      process.exit(1);
    },
  );
else {
  process.stderr.write(HELP);
  process.exit(2);
}
