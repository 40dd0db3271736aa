import { expect, it } from "vitest";
import type { Job } from "../../../src/domain/delivery.ts";
import type { GatewayMessageId } from "../../../src/domain/ids.ts";
import { postgresStore } from "../../support/engines.ts";
import { agentSays, customerSays } from "../../support/events.ts";
import { databaseWithTables } from "../../support/postgres.ts";
import { doorTo } from "../../support/postgres-door.ts";
import { roomFor } from "../../support/room.ts";
import { addAccount, addChannel, takeLease } from "../../support/store.ts";

it("any number of messages of one turn waits for two answers of the database to be stored, for one to be claimed, for two to end", async () => {
  const { url, during } = await doorTo(await databaseWithTables());
  const store = await postgresStore(url);
  const account = await addAccount(store);
  const channel = await addChannel(store, account);
  const lease = await takeLease(store, account.id);
  const chats = (n: number) => Array.from({ length: 20 }, (_, m) => customerSays(`${n} ${m}`, "", `${n} ${m}`));
  const accept = (n: number) =>
    Promise.all(chats(n).map((event) => store.outbox.acceptInbound(channel, { events: [event] })));
  const claim = () => store.outbox.claim(lease, roomFor(100));
  const end = (jobs: Job[]) =>
    Promise.all(jobs.map((job) => store.outbox.done(job, { ack: { gatewayMessageId: "1" as GatewayMessageId } })));
  // Connections are made, and statements prepared.
  await accept(0);
  await end(await claim());
  await claim();
  await store.outbox.acceptOutbound(channel, { key: "k", act: agentSays("1"), patienceMs: 60_000 });

  expect((await during(() => accept(1))).trips).toBe(2);
  const { value: jobs, trips } = await during(claim);
  expect(jobs).toHaveLength(21);
  expect(trips).toBe(1);
  expect((await during(() => end(jobs))).trips).toBe(2);
});
