import { expect, it } from "vitest";
import { handClock } from "../../../support/clock.ts";
import { postgresStore } from "../../../support/engines.ts";
import { customerSays } from "../../../support/events.ts";
import { boundOf } from "../../../support/overload.ts";
import { databaseWithTables } from "../../../support/postgres.ts";
import { addAccount, addChannel } from "../../../support/store.ts";

/** Two processes on one database. */
async function twoStores(bounds: object) {
  const url = await databaseWithTables();
  const clock = handClock();
  const [one, two] = [await postgresStore(url, clock, { bounds }), await postgresStore(url, clock, { bounds })];
  const account = await addAccount(one);
  const channel = await addChannel(one, account);
  let n = 0;
  const say = (store: typeof one, to = channel) =>
    boundOf(store.outbox.acceptInbound(to, { events: [customerSays(`${n++}`, "", `${n}`)] }));
  const later = () => clock.forward(1_000);
  return { url, one, two, account, channel, say, later };
}

it("a process counts what the others have accepted, a second later, and refuses no other account", async () => {
  const { one, two, say, later } = await twoStores({ perAccount: 8 });
  expect(await say(one)).toBe("taken");
  for (let n = 0; n < 5; n++) expect(await say(two)).toBe(n < 4 ? "taken" : "channel");
  await later();
  expect(await say(one)).toBe("channel");
  const other = await addChannel(one, await addAccount(one, "other"));
  expect(await say(one, other)).toBe("taken");
});

it("a server that has just started counts what waits before it takes anything", async () => {
  const { url, one, account, channel } = await twoStores({ perAccount: 4 });
  for (const id of ["a", "b", "c"]) await one.outbox.acceptInbound(channel, { events: [customerSays(id, "", id)] });
  const next = await postgresStore(url, handClock(), { bounds: { perAccount: 4 } });
  const known = await next.channels.byId(account.id, channel.id);
  expect(await boundOf(next.outbox.acceptInbound(known ?? channel, { events: [customerSays("d")] }))).toBe("account");
});
