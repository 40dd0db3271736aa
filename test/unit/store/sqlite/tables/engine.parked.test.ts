import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { verifyAll } from "../../../../../src/store/care/verify.ts";
import { openDatabase } from "../../../../../src/store/sqlite/database/db.ts";
import { changeRows } from "../../../../support/rows.ts";
import { KEY_RING, oneChannel, temporaryStore } from "../../../../support/store.ts";

const requestOf = (body: string) => ({ path: "", headers: {}, body });

it("parked parts are known after a restart, and counted as before", async () => {
  const { store, clock, folder, channel } = await oneChannel();
  await store.parked.park({ login: "toy:1", request: requestOf("a"), channel });
  await store.parked.park({ login: "toy:9", request: requestOf("b") });
  const before = await store.parked.figures();
  store.close();
  const again = await temporaryStore(clock, folder);
  expect(await again.parked.figures()).toEqual(before);
  expect(await again.parked.waits("toy:1", channel.accountId)).toBe(true);
  expect((await again.parked.logins()).sort()).toEqual(["toy:1", "toy:9"]);
});

it("parked parts are sealed in the file, and a check finds those that do not open", async () => {
  const { folder, store, channel } = await oneChannel();
  for (const body of ["the words of a customer", "others"])
    await store.parked.park({ login: "toy:1", request: requestOf(body), channel });
  changeRows(folder, "UPDATE parked SET sealed = (SELECT sealed FROM parked ORDER BY position LIMIT 1)");
  store.close();
  expect(readFileSync(join(folder, "gangway.db"), "latin1")).not.toContain("the words of a customer");
  const db = openDatabase(folder);
  const checks = verifyAll({ sqlite: db.sqlite, ring: KEY_RING, files: folder });
  db.close();
  expect(checks.flatMap(({ faults }) => faults)).toEqual([expect.stringContaining("parked")]);
});
