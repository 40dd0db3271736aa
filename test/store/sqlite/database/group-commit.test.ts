import Sqlite from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { groupCommit } from "../../../../src/store/sqlite/database/group-commit.ts";

/** Makes the writes in one tick; returns the order in which they resolve, with `tick` for the tick after the first. */
async function resolved(writes: { name: string; urgent?: true }[]): Promise<string[]> {
  const sqlite = new Sqlite(":memory:");
  const { write } = groupCommit(sqlite);
  const order: string[] = [];
  const run = async ({ name, urgent }: (typeof writes)[number]) => {
    await write(() => {}, { urgent });
    if (order.length === 0) setImmediate(() => order.push("tick"));
    order.push(name);
  };
  await Promise.all(writes.map(run));
  sqlite.close();
  return order;
}

describe("a group commit", () => {
  const accept = { name: "accept" };
  const claim = { name: "claim", urgent: true as const };

  it("resolves the claim first, and the accept of a lone message once it has left", async () => {
    expect(await resolved([accept, claim])).toEqual(["claim", "tick", "accept"]);
  });

  it("resolves all writes at once in a larger group, or without a claim", async () => {
    expect(await resolved([accept, accept, claim])).toEqual(["claim", "accept", "accept"]);
    expect(await resolved([accept, accept])).toEqual(["accept", "accept"]);
    expect(await resolved([claim, claim])).toEqual(["claim", "claim"]);
  });
});
