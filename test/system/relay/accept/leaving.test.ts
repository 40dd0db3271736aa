import type { ChannelEvent } from "gangway-messenger/message";
import { expect, it } from "vitest";
import type { Job } from "../../../../src/domain/delivery.ts";
import { createAcceptInbound } from "../../../../src/relay/accept/inbound.ts";
import { createJournals } from "../../../../src/relay/sessions/sessions.ts";
import { customerSays } from "../../../support/events.ts";
import { silentLog } from "../../../support/log.ts";
import { oneChannel } from "../../../support/store.ts";
import { working } from "../../../support/worker.ts";

async function setUp(limits = { calls: 4, callsPerAccount: 4 }) {
  const { clock, store, account, channel } = await oneChannel();
  const under: Job[] = [];
  const ends: (() => void)[] = [];
  let claims = 0;
  const claim: typeof store.outbox.claim = (...args) => {
    claims += 1;
    return store.outbox.claim(...args);
  };
  const perform = async (job: Job) => {
    under.push(job);
    await new Promise<void>((end) => void ends.push(end));
    return {};
  };
  const spied = { ...store, outbox: { ...store.outbox, claim } };
  const { worker } = await working({ clock, store: spied, perform, limits });
  /** Doors wait for it before they store. */
  let opens: Promise<void> | undefined;
  const acceptInbound: typeof store.outbox.acceptInbound = async (...args) => {
    await opens;
    return store.outbox.acceptInbound(...args);
  };
  const accept = createAcceptInbound({
    store: { ...spied, outbox: { ...spied.outbox, acceptInbound } },
    journals: createJournals(store),
    ...{ wake: worker.wake, withSlots: worker.withSlots, log: silentLog },
  });
  worker.wake(account.id);
  await clock.forward(0);
  const take = (events: ChannelEvent[]) => accept(channel, { events });
  const bring = (...ids: string[]) => take(ids.map((id) => customerSays(id, id, id)));
  const keys = () => under.map(({ task }) => (task.direction === "inbound" ? task.event.key : ""));
  const shut = () => {
    let open = () => {};
    opens = new Promise((resolve) => {
      open = resolve;
    });
    return open;
  };
  return { clock, account, worker, shut, take, bring, keys, end: () => ends.shift()?.(), claims: () => claims };
}

it("a message that finds a free slot is under way when its sender is answered, without a claim", async () => {
  const { bring, keys, claims } = await setUp();
  const before = claims();
  await bring("a", "b");
  expect(keys()).toEqual(["a", "b"]);
  expect(claims()).toBe(before);
});

it("messages beyond the slots follow as slots are freed", async () => {
  const { clock, bring, keys, end } = await setUp();
  await bring("a", "b", "c", "d", "e");
  await clock.forward(0);
  expect(keys()).toEqual(["a", "b", "c"]);
  end();
  await clock.forward(100);
  expect(keys()).toEqual(["a", "b", "c", "d"]);
});

it("messages that must wait, such as an album's parts, leave when they are due", async () => {
  const { clock, take, keys } = await setUp();
  const part = (id: string) => ({ ...customerSays(id), album: "album" }) as ChannelEvent;
  await take([part("a")]);
  await take([part("b")]);
  expect(keys()).toEqual([]);
  await clock.forward(1_200);
  expect(keys()).toEqual(["a"]);
});

it("slots of a write that fails are free again", async () => {
  const { clock, take, bring, keys } = await setUp();
  const broken = Object.assign(customerSays("x"), {
    toJSON: () => {
      throw new Error("no");
    },
  });
  for (let n = 0; n < 10; n++) await expect(take([broken])).rejects.toThrow();
  await bring("a", "b", "c");
  await clock.forward(0);
  expect(keys()).toEqual(["a", "b", "c"]);
});

it("an account is not given away while a door is about to send", async () => {
  const { account, worker, clock, shut, bring, keys, end } = await setUp();
  const open = shut();
  const brought = bring("a");
  let finished = false;
  const given = worker.finished(account.id).then(() => {
    finished = true;
  });
  await clock.forward(0);
  expect([worker.isIdle(account.id), finished]).toEqual([false, false]);
  open();
  await brought;
  await clock.forward(0);
  expect([keys(), worker.isIdle(account.id), finished]).toEqual([["a"], false, false]);
  end();
  await given;
  expect(worker.isIdle(account.id)).toBe(true);
});

it("nor does a process stop before that message has left", async () => {
  const { worker, clock, shut, bring, keys, end } = await setUp();
  const open = shut();
  const brought = bring("a");
  let stopped = false;
  const stopping = worker.stop(60_000).then(() => {
    stopped = true;
  });
  await clock.forward(0);
  expect(stopped).toBe(false);
  open();
  await brought;
  await clock.forward(0);
  expect([keys(), stopped]).toEqual([["a"], false]);
  end();
  await stopping;
});

it("a door that stores under a lost lease sends nothing", async () => {
  const { worker, clock, shut, bring, keys } = await setUp();
  const open = shut();
  const brought = bring("a");
  worker.abandon("another process may work for the account");
  open();
  await brought;
  await clock.forward(0);
  expect(keys()).toEqual([]);
});
