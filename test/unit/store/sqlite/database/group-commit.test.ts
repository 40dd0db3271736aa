import Sqlite from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { groupCommit } from "../../../../../src/store/sqlite/database/group-commit.ts";

/** Makes the writes in one tick; returns the order in which they send and are answered, with `tick` for the tick after the first. */
async function orderOf(writes: { name: string; sends?: true }[]): Promise<string[]> {
  const sqlite = new Sqlite(":memory:");
  const { write } = groupCommit(sqlite);
  const order: string[] = [];
  const add = (what: string) => {
    if (order.length === 0) setImmediate(() => order.push("tick"));
    order.push(what);
  };
  const run = async ({ name, sends }: (typeof writes)[number]) => {
    await write(() => {}, { first: sends && (() => add(`${name} sent`)) });
    add(name);
  };
  await Promise.all(writes.map(run));
  sqlite.close();
  return order;
}

describe("a group commit", () => {
  const plain = { name: "plain" };
  const message = { name: "message", sends: true as const };

  it("answers the sender of a lone message once it has left", async () => {
    expect(await orderOf([message])).toEqual(["message sent", "tick", "message"]);
    expect(await orderOf([plain, message])).toEqual(["message sent", "tick", "plain", "message"]);
  });

  it("answers all at once in a larger group, after what is sent", async () => {
    expect(await orderOf([plain, plain, message])).toEqual(["message sent", "plain", "plain", "message"]);
    expect(await orderOf([plain, plain])).toEqual(["plain", "plain"]);
  });

  it("sends nothing of a write that failed", async () => {
    const sqlite = new Sqlite(":memory:");
    const { write } = groupCommit(sqlite);
    const sent: string[] = [];
    const failing = () => {
      throw new Error("no");
    };
    const results = await Promise.allSettled([
      write(failing, { first: () => sent.push("failing") }),
      write(() => {}, { first: () => sent.push("other") }),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
    expect(sent).toEqual(["other"]);
    sqlite.close();
  });
});
