import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Job } from "../../../src/domain/delivery.ts";
import type { GatewayMessageId } from "../../../src/domain/ids.ts";
import { postgresStore } from "../../support/engines.ts";
import { agentSays, customerSays } from "../../support/events.ts";
import { databaseWithTables } from "../../support/postgres.ts";
import { roomFor } from "../../support/room.ts";
import { addAccount, addChannel, takeLease } from "../../support/store.ts";

/** The URL of the same database by a door that counts how often the client waits for an answer. */
async function counting(url: string) {
  const folder = mkdtempSync(join(tmpdir(), "gangway-door-"));
  const socket = (of: string | null) => join(of ?? "", ".s.PGSQL.5432");
  let count = 0;
  const door = createServer((client) => {
    const server = connect(socket(new URL(url.replace("@/", "@door/")).searchParams.get("host")));
    let [asks, listens] = [false, false];
    client.on("data", (bytes) => {
      // Nobody waits for what is told between processes.
      listens ||= bytes.includes("LISTEN");
      asks = !listens;
      server.write(bytes);
    });
    server.on("data", (bytes) => {
      if (asks) count += 1;
      asks = false;
      client.write(bytes);
    });
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on("error", () => to.destroy());
      from.on("close", () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => door.listen(socket(folder), resolve));
  onTestFinished(() => {
    door.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const during = async <T>(work: () => Promise<T>): Promise<{ value: T; trips: number }> => {
    const before = count;
    return { value: await work(), trips: count - before };
  };
  return { url: url.replace(/host=.*$/, `host=${folder}`), during };
}

it("any number of messages of one turn waits for two answers of the database to be stored, for one to be claimed, for two to end", async () => {
  const { url, during } = await counting(await databaseWithTables());
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
