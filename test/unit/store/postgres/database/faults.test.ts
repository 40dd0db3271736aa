import type { Pool, PoolClient } from "pg";
import { expect, it } from "vitest";
import { connected, isUnknown } from "../../../../../src/store/postgres/database/faults.ts";

/** Runs `use` on connections that fail so while they commit, one after the other. */
async function run(failures: Error[]) {
  const client = { release: () => undefined } as unknown as PoolClient;
  const pool = { connect: async () => client } as Pool;
  let runs = 0;
  const value = await connected(pool, async (_, committing) => {
    committing();
    const failure = failures[runs++];
    if (failure) throw failure;
    return "stored";
  }).catch((error: unknown) => ({ isUnknown: isUnknown(error) }));
  return { runs, value };
}

it("a commit that the driver has not sent, since the connection had ended before, runs again", async () => {
  const unsent = new Error("Client has encountered a connection error and is not queryable");
  expect(await run([unsent])).toEqual({ runs: 2, value: "stored" });
});

it("a commit without an answer does not run again: nobody knows whether it is stored", async () => {
  const lost = new Error("Connection terminated unexpectedly");
  expect(await run([lost])).toEqual({ runs: 1, value: { isUnknown: true } });
});
