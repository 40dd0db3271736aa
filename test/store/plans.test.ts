import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, it, onTestFinished } from "vitest";
import type { JobId } from "../../src/domain/ids.ts";
import type { ChannelEvent } from "../../src/domain/message.ts";
import { agentSays, customerSays } from "../support/events.ts";
import { oneChannel } from "../support/store.ts";

/** Every statement that is prepared from now on. */
function statements(): Set<string> {
  const seen = new Set<string>();
  const { prepare } = Sqlite.prototype;
  Sqlite.prototype.prepare = function (this: Sqlite.Database, text: string) {
    seen.add(text);
    return prepare.call(this, text);
  } as typeof prepare;
  onTestFinished(() => {
    Sqlite.prototype.prepare = prepare;
  });
  return seen;
}

const picture = (id: string) => ({ ...customerSays(id), album: "holiday" }) as ChannelEvent;

/** What a step does with the table of jobs, in the words of the database. */
function plansOf(folder: string, seen: Set<string>): string[] {
  const db = new Sqlite(join(folder, "gangway.db"), { readonly: true });
  const plans = [...seen].flatMap((text) => {
    if (!/\bjob\b/.test(text) || /;\s*$/.test(text) || !/^\s*(SELECT|UPDATE|DELETE|WITH)/i.test(text)) return [];
    const bare = text.replaceAll(/\?|:\w+/g, "NULL");
    const steps = db.prepare(`EXPLAIN QUERY PLAN ${bare}`).all() as { detail: string }[];
    return steps.map(({ detail }) => `${detail}: ${text}`);
  });
  db.close();
  return plans;
}

it("no step on the way of a message reads more of the jobs than its index gives", async () => {
  const seen = statements();
  const { folder, store, account, channel } = await oneChannel({ bounds: { perLane: 4 } });
  const { outbox } = store;
  const lease = await store.accounts.takeLease(account.id, "test");
  for (const event of [customerSays("m"), picture("one"), picture("two")])
    await outbox.acceptInbound(channel, { events: [event] });
  await outbox.acceptOutbound(channel, { key: "sent:1", act: agentSays("1"), patienceMs: 1_000 });
  const jobs = await outbox.claim(lease, 10);
  for (const job of jobs) await outbox.failed(job, { state: "dead", code: "general" }, "no");
  for (const side of ["gateway", "messenger"] as const) await outbox.nextDue(account.id, side);
  await outbox.sendAgain(account.id, (await outbox.ended(account.id, 9))[0]?.id as JobId, 1_000);
  await outbox.takeOver(lease);
  await outbox.expire(() => undefined);
  const plans = plansOf(folder, seen).filter((plan) => /^(SEARCH|SCAN) job\b/.test(plan));
  expect(plans.length).toBeGreaterThan(8);
  expect(plans.filter((plan) => /^SCAN job\b(?!.* INDEX job_)/.test(plan))).toEqual([]);
});
