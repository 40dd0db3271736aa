import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { markedCounts } from "../../../src/store/disk/folder.ts";
import { markAccepted } from "../../../src/watch/storage.ts";
import { customerSays } from "../../support/events.ts";
import { silentLog } from "../../support/log.ts";
import { diskOf, oneChannel } from "../../support/store.ts";

it("what is accepted is marked beside the database within a second, and a mark that fails is logged once", async () => {
  const { clock, folder, store, channel } = await oneChannel();
  const said: string[] = [];
  const log = { ...silentLog, warn: (event: string) => void said.push(event) };
  let fails = false;
  const mark = () => (fails ? Promise.reject(new Error("full")) : diskOf(store).mark());
  const marks = markAccepted({ mark }, { clock, log });
  await marks.start();
  const say = async (id: string) => {
    await store.outbox.acceptInbound(channel, { events: [customerSays(id)] });
    await clock.forward(1_000);
  };
  await say("one");
  await say("two");
  await say("two");
  expect(markedCounts(folder)).toEqual({ starts: 1, accepted: 2 });
  fails = true;
  await say("three");
  expect([markedCounts(folder).accepted, said]).toEqual([2, ["database.not-marked"]]);
  fails = false;
  await clock.forward(1_000);
  expect(markedCounts(folder).accepted).toBe(3);
  await marks.stop();
  await say("four");
  expect(markedCounts(folder).accepted).toBe(3);
});

it("a database that was replaced is not marked with the counts of the one before", async () => {
  const { folder, store, channel } = await oneChannel();
  rmSync(join(folder, "gangway.db"));
  await expect(store.outbox.acceptInbound(channel, { events: [customerSays("one")] })).rejects.toThrow();
  await diskOf(store).mark();
  expect(markedCounts(folder).accepted).toBe(0);
});
