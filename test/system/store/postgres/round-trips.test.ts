import { expect, it } from "vitest";
import type { Job } from "../../../../src/domain/delivery.ts";
import type { GatewayMessageId } from "../../../../src/domain/ids.ts";
import { postgresStore } from "../../../support/engines.ts";
import { agentSays, customerSays } from "../../../support/events.ts";
import { databaseWithTables } from "../../../support/postgres.ts";
import { doorTo } from "../../../support/postgres-door.ts";
import { roomFor } from "../../../support/room.ts";
import { addAccount, addChannel, takeLease } from "../../../support/store.ts";

it("any number of messages of one turn waits for two answers of the database to be stored, to be claimed and to end", async () => {
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
  // A sweep may begin in the middle, and what is sent without waiting counts as another trip if the database answers the first half of it before the rest is there.
  const trips = { accept: 9, claim: 9, end: 9 };
  const least = async <T>(of: keyof typeof trips, work: () => Promise<T>): Promise<T> => {
    const { value, trips: counted } = await during(work);
    trips[of] = Math.min(trips[of], counted);
    return value;
  };
  // Of many rounds on a busy machine, one that nothing disturbs shows it.
  for (let n = 1; n <= 5 || (n <= 100 && Math.max(...Object.values(trips)) > 2); n++) {
    await store.outbox.acceptOutbound(channel, { key: `k${n}`, act: agentSays(`${n}`), patienceMs: 60_000 });
    await least("accept", () => accept(n));
    const jobs = await least("claim", claim);
    expect(jobs).toHaveLength(21);
    await least("end", () => end(jobs));
    // Their acks.
    await end(await claim());
  }
  expect(trips).toEqual({ accept: 2, claim: 2, end: 2 });
});

it("a search waits for as many answers of the database, however many chats and names it meets", async () => {
  const { url, during } = await doorTo(await databaseWithTables());
  const store = await postgresStore(url);
  const account = await addAccount(store);
  const channel = await addChannel(store, account);
  const talk = async (chats: number) => {
    for (let n = 0; n < chats; n++) {
      await store.outbox.acceptInbound(channel, { events: [customerSays(`q${chats} ${n}`, "rope", `${chats} ${n}`)] });
      const key = `${chats}000${n}`;
      await store.outbox.acceptOutbound(channel, {
        key,
        act: agentSays(key, "rope", `${chats} ${n}`),
        patienceMs: 60_000,
      });
    }
  };
  const search = async (what: string) => (await during(() => store.stories.findAnywhere(what))).trips;
  await talk(2);
  await search("rope");
  const [few, fewWithout] = [await search("rope"), await search("no such words")];
  await talk(20);
  expect([await search("rope"), await search("no such words")]).toEqual([few, fewWithout]);
});
