import { freePort } from "gangway-sandbox";
import { pause } from "gangway-sandbox/demo/waiting";
import { Client } from "pg";
import { startPostgres, WITHOUT_SYNC } from "../../postgres-server.ts";
import { figureOf } from "../rounds.ts";
import { connect, freshFolder, startFakes, startServer } from "../stage.ts";
import { bounded, type Measure, type Scale } from "./figure.ts";
import { CROWD } from "./rig.ts";

const ROUNDS: Record<Scale, number> = { quick: 2, usual: 5, long: 9 };
const LOOK_MS = 10;
const PATIENCE_MS = 60_000;
const MOST_ALONE_MS = 1_000;

/** How many accounts each process has; '' stands for those that are nobody's. */
const LEASES = `SELECT account_id AS account, CASE WHEN owner IN (SELECT owner FROM member) THEN owner ELSE '' END AS owner
  FROM account_lease`;

/** A second process joins one with idle accounts, and leaves again: how long an account that moves is nobody's. */
export const handOver: Measure = async (scale) => {
  const postgres = await startPostgres(WITHOUT_SYNC);
  const [folder, fakes, port] = [freshFolder(), await startFakes(), await freePort(0)];
  const PUBLIC_URL = `http://127.0.0.1:${port}`;
  await connect(folder, fakes, PUBLIC_URL, CROWD, undefined, postgres.url);
  const env = { PUBLIC_URL, DATABASE_URL: postgres.url };
  const first = await startServer(folder, fakes, port, undefined, [], env);
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  const [joins, leaves]: [number[], number[]] = [[], []];
  for (let n = 0; n < ROUNDS[scale]; n++) {
    const starting = startServer(folder, fakes, await freePort(0), undefined, [], env);
    joins.push(await longestAlone(client, [CROWD.accounts / 2, CROWD.accounts / 2]));
    const left = (await starting).child.stop("SIGTERM");
    leaves.push(await longestAlone(client, [CROWD.accounts]));
    await left;
  }
  await client.end();
  for (const child of [first.child, fakes.child]) await child.stop();
  await postgres.stop();
  const row = (name: string, what: string, ms: number[]) =>
    bounded({ name, what, figure: figureOf(ms), unit: " ms", atMost: MOST_ALONE_MS });
  return [
    row("hand-over-join", "an idle account is nobody's while a second process takes half of 200, at most", joins),
    row("hand-over-leave", "the same while it leaves again, at most", leaves),
  ];
};

/** Looks until the processes have these numbers of accounts. Resolves with the longest time that one was nobody's, ms. */
async function longestAlone(client: Client, shares: number[]): Promise<number> {
  const since = new Map<string, number>();
  let longest = 0;
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await pause(LOOK_MS)) {
    const { rows } = await client.query<{ account: string; owner: string }>(LEASES);
    const now = performance.now();
    const held = new Map<string, number>();
    for (const { account, owner } of rows) {
      if (owner === "") since.set(account, since.get(account) ?? now);
      else {
        longest = Math.max(longest, now - (since.get(account) ?? now));
        since.delete(account);
        held.set(owner, (held.get(owner) ?? 0) + 1);
      }
    }
    if ([...held.values()].join() === shares.join()) return longest;
  }
  throw new Error(`the accounts are not shared as ${shares}`);
}
