import type { CustomerId } from "gangway-messenger/ids";
import { expect, it } from "vitest";
import { createAcceptInbound } from "../../../../src/relay/accept/inbound.ts";
import { createJournals } from "../../../../src/relay/sessions/sessions.ts";
import { customerSays } from "../../../support/events.ts";
import { silentLog } from "../../../support/log.ts";
import { oneChannel } from "../../../support/store.ts";

it("calls onStored only if at least one event is new, and not if there is no room", async () => {
  const { store, channel } = await oneChannel({ bounds: { perAccount: 3 } });
  const accept = createAcceptInbound({
    store,
    journals: createJournals(store),
    wake: () => {},
    log: silentLog,
  });
  let stored = 0;
  const bring = (id: string) =>
    accept(channel, {
      events: [customerSays(id)],
      onStored() {
        stored += 1;
      },
    });
  await bring("a");
  expect(stored).toBe(1);
  await bring("a");
  await bring("b");
  expect(stored).toBe(2);
  await expect(bring("c")).rejects.toThrow("Too many messages");
  expect(stored).toBe(2);
});

it("hands on a customer's wish to be erased with its proof, so that a repeat is the same wish", async () => {
  const { store, channel } = await oneChannel();
  const asked: string[][] = [];
  const erase = async (...wish: string[]) => void asked.push(wish);
  const parts = { store, journals: createJournals(store), wake: () => {}, log: silentLog };
  await createAcceptInbound({ ...parts, erase })(channel, {
    events: [],
    erase: { customer: "c" as CustomerId, proof: "c:7" },
  });
  expect(asked).toEqual([[channel.kind, "c", "c:7"]]);
});
