import Sqlite from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { groupCommit } from "../../../../src/store/sqlite/database/group-commit.ts";

/** Writes that come in one turn; gives who was told, with `turn` for a turn of the event loop after the first of them. */
async function told(writes: { name: string; urgent?: true }[]): Promise<string[]> {
  const sqlite = new Sqlite(":memory:");
  const { write } = groupCommit(sqlite);
  const order: string[] = [];
  const tell = async ({ name, urgent }: (typeof writes)[number]) => {
    await write(() => {}, { urgent });
    if (order.length === 0) setImmediate(() => order.push("turn"));
    order.push(name);
  };
  await Promise.all(writes.map(tell));
  sqlite.close();
  return order;
}

describe("who is told that a commit is on the disk", () => {
  const accept = { name: "accept" };
  const claim = { name: "claim", urgent: true as const };

  it("is first who is to send, and who brought a lone message when that has left", async () => {
    expect(await told([accept, claim])).toEqual(["claim", "turn", "accept"]);
  });

  it("is everybody at once in a crowd, and where nobody is to send", async () => {
    expect(await told([accept, accept, claim])).toEqual(["claim", "accept", "accept"]);
    expect(await told([accept, accept])).toEqual(["accept", "accept"]);
    expect(await told([claim, claim])).toEqual(["claim", "claim"]);
  });
});
