import { describe, expect, it } from "vitest";
import type { Job } from "../../../../src/domain/delivery.ts";
import type { GatewayMessageId } from "../../../../src/domain/ids.ts";
import { watchSpace } from "../../../../src/store/postgres/database/connection.ts";
import { handClock } from "../../../support/clock.ts";
import { postgresStore } from "../../../support/engines.ts";
import { agentSays, customerSays } from "../../../support/events.ts";
import { command, databaseWithTables } from "../../../support/postgres.ts";
import { doorTo } from "../../../support/postgres-door.ts";
import { roomFor } from "../../../support/room.ts";
import { addAccount, addChannel, takeLease } from "../../../support/store.ts";
import { until } from "../../../support/until.ts";

const NO_SPACE = "No space left on device";
/** PostgreSQL's own error, as when a table cannot grow. */
const FULL = `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'could not extend file: ${NO_SPACE}' USING ERRCODE = 'disk_full';
  END $$;
  CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON message FOR EACH ROW EXECUTE FUNCTION full_disk()`;

/** A process, by a door, with an account. */
async function setUp() {
  const url = await databaseWithTables();
  const { url: byDoor, ends } = await doorTo(url);
  const clock = handClock();
  const told: (string | undefined)[] = [];
  const store = await postgresStore(byDoor, clock, { onFull: (error) => void told.push(error?.message) });
  const account = await addAccount(store);
  const channel = await addChannel(store, account);
  const lease = await takeLease(store, account.id);
  const begun: Job[] = [];
  const held = { lease, most: 5, begin: (jobs: Job[]) => void begun.push(...jobs) };
  return {
    ...{ store, clock, told, begun, held, ends },
    say: (id: string) => store.outbox.acceptInbound(channel, { events: [customerSays(id, "", id)] }, held),
    answer: (id: string) =>
      store.outbox.acceptOutbound(channel, { key: id, act: agentSays(id, "", id), patienceMs: 60_000 }),
    claim: () => store.outbox.claim(lease, roomFor(10)),
    states: () => command(url, "SELECT state, attempts::int, ack FROM message ORDER BY id"),
    knows: () => until("the work is known", () => store.outbox.nextDue(account.id).due.length > 0),
    fill: () => command(url, FULL),
    empty: () => command(url, "DROP FUNCTION full_disk CASCADE"),
  };
}
const ack = { gatewayMessageId: "1" as GatewayMessageId };

describe("while PostgreSQL's disk is full", () => {
  it("nothing is accepted, nor recorded, until there is space; it is told once, and once that it is over", async () => {
    const { store, clock, told, begun, say, answer, claim, fill, empty, states } = await setUp();
    await answer("1");
    const [job] = await claim();
    await fill();
    for (const id of ["a", "b"]) await expect(say(id)).rejects.toThrow(NO_SPACE);
    await expect(store.outbox.done(job as Job, { ack })).rejects.toThrow(NO_SPACE);
    expect(begun).toEqual([]);
    await empty();
    expect(await store.outbox.done(job as Job, { ack })).toBe(true);
    expect(await say("a")).toBe(1);
    expect(told).toEqual([`could not extend file: ${NO_SPACE}`]);
    await clock.forward(10_000);
    expect(await say("b")).toBe(1);
    expect(told).toEqual([`could not extend file: ${NO_SPACE}`, undefined]);
    expect(await states()).toMatchObject([{ state: "done" }, { state: "sending" }, { state: "sending" }]);
  });
});

describe("when PostgreSQL ends because the disk of its log is full, while it commits,", () => {
  it("a message that was stored to leave at once is claimed instead, and a repeat is known", async () => {
    const { ends, say, begun, states, knows, claim, told } = await setUp();
    const ended = ends("COMMIT");
    await expect(say("a")).rejects.toThrow(NO_SPACE);
    await ended;
    expect(await say("a")).toBe(0);
    expect(begun).toEqual([]);
    expect(await states()).toEqual([{ state: "ready", attempts: 0, ack: null }]);
    await knows();
    expect((await claim()).map(({ attempts }) => attempts)).toEqual([1]);
    expect(told).toHaveLength(1);
  });

  it("what it has claimed is claimed again, and what it has recorded is not recorded again", async () => {
    const { store, ends, answer, claim, knows, states } = await setUp();
    await answer("1");
    void ends("UPDATE 1");
    await expect(claim()).rejects.toThrow(NO_SPACE);
    await knows();
    const [job] = await claim();
    void ends("COMMIT");
    expect(await store.outbox.done(job as Job, { ack })).toBe(true);
    expect(await states()).toEqual([{ state: "done", attempts: 1, ack: "due" }]);
  });
});

it("what is small and still finds room does not end a full disk", () => {
  const told: (Error | undefined)[] = [];
  const clock = handClock();
  const space = watchSpace((full) => void told.push(full), clock);
  const full = Object.assign(new Error(NO_SPACE), { code: "53100" });
  space.refused(new Error("another"));
  for (let n = 0; n < 3; n++) {
    space.refused(full);
    space.stored();
    clock.leap(9_999);
  }
  expect(told).toEqual([full]);
  clock.leap(1);
  space.stored();
  space.stored();
  expect(told).toEqual([full, undefined]);
});
