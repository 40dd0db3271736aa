import { expect, it } from "vitest";
import type { AccountId } from "../../../src/domain/ids.ts";
import { verifyAll } from "../../../src/store/care/verify.ts";
import { createSealer } from "../../../src/store/secrets.ts";
import { agentSays, customerSays } from "../../support/events.ts";
import { oldDatabase } from "../../support/old-database.ts";
import { rowsOf } from "../../support/rows.ts";
import { KEY_RING, temporaryFolder, temporaryStore } from "../../support/store.ts";

it("a backup from before webhooks were stored per commit is intact", () => {
  const folder = temporaryFolder();
  const sqlite = oldDatabase(folder, 3);
  const address = { table: "raw_webhook", row: JSON.stringify(["a", "c", "gateway", 5]), column: "sealed" };
  sqlite
    .prepare(
      "INSERT INTO raw_webhook (account_id, channel_id, source, sealed, received_at) VALUES ('a', 'c', 'gateway', ?, 5)",
    )
    .run(createSealer(KEY_RING).seal("{}", address));
  const checks = verifyAll({ sqlite, ring: KEY_RING, files: folder });
  sqlite.close();
  expect(checks.flatMap(({ faults }) => faults)).toEqual([]);
});

it("a database from before the ledger balances once opened, and keeps balancing", async () => {
  const folder = temporaryFolder();
  const sqlite = oldDatabase(folder, 2);
  const add = (channel: string, direction: string, state: string, type = "message", id?: number) =>
    sqlite
      .prepare(
        `INSERT INTO job (id, account_id, channel_id, direction, lane, head, state, run_at, deadline_at, payload, created_at, updated_at)
         VALUES (?, 'account', ?, ?, ?, 0, ?, 0, 0, ?, 0, 0)`,
      )
      .run(
        id ?? null,
        channel,
        direction,
        `${channel}/${direction}/${direction === "ack" ? `${channel} ${state}` : "chat"}`,
        state,
        JSON.stringify({
          direction,
          event: { ...customerSays("m"), type },
          act: agentSays("a"),
          ack: { gatewayMessageId: `${channel} ${state}` },
        }),
      );
  for (const direction of ["inbound", "outbound", "ack"])
    for (const state of ["ready", "sending", "waiting", "done", "held", "dead", "replayed"])
      add("one", direction, state);
  add("one", "inbound", "done", "note");
  add("two", "outbound", "dead", "message", 900);
  add("acks", "ack", "ready");
  sqlite.close();

  const store = await temporaryStore(undefined, folder);
  const sums = async () =>
    (await store.ledger("account" as AccountId)).map(
      ({ channelId, accepted, delivered, refused, waiting, held, hole }) => [
        channelId,
        { accepted, delivered, refused, waiting, held, hole },
      ],
    );
  const acks = async () => (await store.ledger("account" as AccountId)).map(({ channelId, acks }) => [channelId, acks]);
  expect(await acks()).toEqual([
    ["acks", { owed: 1, given: 0, refused: 0, waiting: 1, hole: 0 }],
    ["one", { owed: 5, given: 0, refused: 1, waiting: 4, hole: 0 }],
    ["two", { owed: 0, given: 0, refused: 0, waiting: 0, hole: 0 }],
  ]);
  const one = { accepted: 12, delivered: 2, refused: 2, waiting: 8, held: 2, hole: 0 };
  expect((await sums()).slice(1)).toEqual([
    ["one", one],
    ["two", { accepted: 1, delivered: 0, refused: 1, waiting: 0, held: 0, hole: 0 }],
  ]);
  expect(await store.outbox.sendAgain("account" as AccountId, 900 as never, 1000)).toBe(true);
  expect((await sums())[2]).toEqual(["two", { accepted: 1, delivered: 0, refused: 0, waiting: 1, held: 0, hole: 0 }]);
});

it("a database from before the sums of kept files has them once opened", async () => {
  const folder = temporaryFolder();
  const sqlite = oldDatabase(folder, 7);
  const add = sqlite.prepare("INSERT INTO kept_file VALUES (?, ?, NULL, 'text/plain', ?, ?)");
  add.run("one", "a", 10_000, 5);
  add.run("one", "b", 1, 86_399_999);
  add.run("one", "c", 1, 86_400_000);
  add.run("two", "d", 5_000, 0);
  sqlite.close();
  await temporaryStore(undefined, folder);
  expect(rowsOf(folder, ["kept_sum"]).kept_sum).toEqual([
    { channel_id: "one", day: 0, bytes: 14_096 },
    { channel_id: "one", day: 1, bytes: 4_096 },
    { channel_id: "two", day: 0, bytes: 5_000 },
  ]);
});
