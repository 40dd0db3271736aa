import { parseArgs } from "node:util";
import { tellProgress } from "./demo/progress.ts";
import { freePort } from "./demo/server.ts";

export const HELP = `gangway's sandbox: a CRM account and its messaging gateway on this machine

npm run demo -- [options]             the sandbox, Gangway connected to it, a web chat and two bots
  --script              play a conversation, check it and end with 0 or 1
  --port <number>       port of Gangway (default 3000, or a free one)
  --crm-port <number>   port of the CRM and gateway (default 7001, or a free one)
  --data <folder>       keep the database there (default: a temporary folder)
  --kill-every <ms>     with --script: kill the server at random moments, so often on average
  --seed <number>       of those moments

npm run sandbox -- [options]          the sandbox alone, for a module of yours
  --port <number>       default 7001, or a free one
  --host <address>      where to listen (default 127.0.0.1)
  --url <url>           how the module reaches it (default: http://<host>:<port>)
  --module-url <url>    the module's form, for the marketplace card
  --tls                 speak https, with a certificate of its own (also at /certificate.pem)
  --certificate <file>  with --tls: write the certificate there, for clients to trust

npm run sandbox -- replay <trace> --webhook <url> --client-id <id>
                        send a trace's webhooks to a module again, and compare its answers

npm run conformance -- [--json <file>] [--settings <file>]
                        drive every operation of the published contract, and report what was covered

npm run torture -- [options]          every promise under crashes, power cuts, floods and a broken network
  --short               minutes instead of an hour
  --only <names>        some trials, parted by commas
  --cell <name>         of the grid only this one; may be said several times
  --seed <number>       of its random moments
  --json <file>         write the figures there, with what was injected and the sums of the ledger
  --receipt <file>      the same, for a release to ship: it carries a hash
  --sabotage            take each protection away in turn: every one must be noticed

For demo, sandbox and conformance:
  --settings <file>     JSON of the unknowns, as /sandbox/settings shows them
For demo and sandbox:
  --record <file>       write every call as a line of JSON
`;

const LAST_PORT = 65_535;

/** The command was not understood. */
export class UsageError extends Error {}

export function readOptions(args: string[]) {
  const text = { type: "string" } as const;
  const options = {
    script: { type: "boolean" },
    short: { type: "boolean" },
    sabotage: { type: "boolean" },
    receipt: text,
    only: text,
    cell: { type: "string", multiple: true },
    help: { type: "boolean" },
    port: text,
    "crm-port": text,
    data: text,
    "kill-every": text,
    seed: text,
    host: text,
    url: text,
    "module-url": text,
    tls: { type: "boolean" },
    certificate: text,
    settings: text,
    record: text,
    webhook: text,
    "client-id": text,
    json: text,
  } as const;
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    return { ...values, positionals };
  } catch (error) {
    // The rest of Node's words are about options that begin with a dash.
    const [words = ""] = (error instanceof Error ? error.message : String(error)).split(". ");
    throw new UsageError(words);
  }
}
export type Options = ReturnType<typeof readOptions>;

/** A port that was asked for is taken or fails; only the usual one may give way to a free one. */
export async function portOf(name: string, asked: string | undefined, usual: number): Promise<number> {
  if (asked !== undefined && !(/^\d{1,5}$/.test(asked) && Number(asked) <= LAST_PORT))
    throw new UsageError(`--${name} ${asked} is no port: say a number from 0 (a free one) to ${LAST_PORT}`);
  const wanted = Number(asked ?? usual);
  const port = await freePort(wanted);
  if (wanted === 0 || port === wanted) return port;
  if (asked !== undefined) throw new Error(`port ${asked} is taken: say another --${name}, or 0 for a free one`);
  tellProgress(`Port ${wanted} is taken: ${port} serves instead`);
  return port;
}
