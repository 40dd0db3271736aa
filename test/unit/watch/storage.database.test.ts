import { rmSync } from "node:fs";
import { expect, it } from "vitest";
import { createLog } from "../../../src/log.ts";
import { watchDatabase } from "../../../src/watch/storage.ts";
import { unreachable } from "../../support/disk.ts";
import { diskOf, oneChannel } from "../../support/store.ts";

it.each([
  ["deleted", (folder: string) => rmSync(folder, { recursive: true }), "was deleted", "newest backup"],
  ["out of reach", unreachable, "can no longer be read", "give the server's user access to the data folder"],
])("a database that is %s is logged within a second, with the remedy", async (_, take, why, todo) => {
  const { clock, folder, store } = await oneChannel();
  const lines: string[] = [];
  const lost: string[] = [];
  const log = createLog({ level: "info", write: (line) => lines.push(line) });
  watchDatabase(diskOf(store), { clock, log, lost: (words) => void lost.push(words) }).start();
  await clock.forward(1_000);
  expect(lines).toEqual([]);
  take(folder);
  await clock.forward(1_000);
  const logged = { level: "error", event: "database.lost", why: expect.stringContaining(why) };
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ ...logged, todo: expect.stringContaining(todo) }]);
  expect(lost).toEqual([expect.stringContaining(why)]);
});
