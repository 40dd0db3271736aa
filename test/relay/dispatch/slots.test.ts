import { expect, it } from "vitest";
import type { Job } from "../../../src/domain/delivery.ts";
import type { AccountId, ChannelId } from "../../../src/domain/ids.ts";
import { createSlots } from "../../../src/relay/dispatch/slots.ts";

const KINDS = ["a", "b", "c"];
const messengers = new Map(KINDS.map((kind) => [kind as ChannelId, kind]));
const call = (account: string, kind: string) =>
  ({ accountId: account as AccountId, channelId: kind as ChannelId, direction: "outbound" }) as Job;

it("a freed slot goes to a waiting account that can use it", () => {
  const woken: string[] = [];
  const slots = createSlots({
    ...{ calls: 16, callsPerAccount: 4 },
    hostsOf: () => ({ messengers, kinds: KINDS }),
    wake: (account) => woken.push(account),
  });
  const others = Array.from({ length: 12 }, (_, n) => call(`other${n}`, "a"));
  for (const job of others) slots.enter(job.accountId, [job]);
  const [busy, idle] = ["busy", "idle"] as AccountId[];
  if (!busy || !idle) throw new Error("there are two");
  expect([busy, idle].map((account) => slots.open(account, "messenger", "a"))).toEqual([false, false]);
  slots.enter(busy, [call(busy, "b"), call(busy, "b"), call(busy, "c")]);
  slots.leave(others[0] as Job);
  expect(woken).toEqual([idle]);
});
