import { agentAt } from "gangway-sandbox/demo/agent";
import { until } from "gangway-sandbox/demo/waiting";
import { expect } from "vitest";
import { type CrowdResult, KNOWN_MS, sumsAt } from "../../tools/torture/crowd.ts";
import type { Scene } from "../../tools/torture/scene.ts";
import { type Fleet, failuresOf, lossesSince, troubles } from "./fleet.ts";

/** Of a crowd whose servers were stopped in order: nothing is lost, doubled, out of order, failed or in doubt. */
export function expectWhole(result: CrowdResult, words: string): void {
  const { lost, failed, unknown, disordered, gatewayDuplicates, duplicates, held, dead, notes, ledger } = result;
  expect([lost, failed, unknown, disordered, gatewayDuplicates, duplicates, held, dead, ledger.hole], words).toEqual(
    Array(9).fill(0),
  );
  expect(notes).toEqual([]);
}

/**
 * Of a fleet whose processes were exchanged one after another since `began`, Unix time, ms: no webhook failed, all is whole, no
 * process had to wait until another's lease ended, and nothing took `lateMs` longer than the slowest before.
 */
export function expectUndisturbed(result: CrowdResult, fleet: Fleet, began: number, lateMs = 30_000): void {
  const { ways: _, ...rest } = result;
  const [calm, slowest] = [slowestOf(result, 0, began), slowestOf(result, began)];
  const seen = fleet.balancer.answers();
  const words = [JSON.stringify({ calm, slowest, seen, ...rest }), ...troubles(fleet)].join("\n");
  if (process.env.SHOW) process.stderr.write(`${words}\n`);
  expect(failuresOf(fleet), words).toEqual([]);
  expectWhole(result, words);
  expect(lossesSince(fleet, began), words).toEqual([]);
  expect(slowest.ms - calm.ms, words).toBeLessThan(lateMs);
}

/** The way that took longest of those that began in a span of time, Unix time, ms. */
export function slowestOf({ ways }: CrowdResult, from: number, to = Number.POSITIVE_INFINITY): CrowdResult["ways"][0] {
  const some = ways.filter(({ written }) => written >= from && written < to);
  return some.sort((one, other) => other.ms - one.ms)[0] ?? { written: from, ms: 0, what: "nothing" };
}

export const everyChat = ({ crowd }: Scene) =>
  until("every chat", () => crowd.every(({ crm, chats }) => crm.sandbox.world.chats.size >= chats.length), KNOWN_MS);

/** Longer than the longest pause of a sender that repeats, ms. */
const PATIENCE_MS = 150_000;

/** Nothing waits, here or at a sender, and nothing is under way. */
export const settled = ({ metricsPort, crowd }: Scene) =>
  until(
    "nothing to wait",
    async () => {
      const isUnderWay = crowd.some(({ crm, chats }) => {
        const { messages } = crm.sandbox.world;
        const written = chats.reduce((sum, { inbound }) => sum + inbound.length, 0);
        return (
          messages.filter(({ from }) => from.type === "customer").length < written ||
          messages.some(({ from, status }) => from.type === "user" && ["sending", "sent"].includes(status))
        );
      });
      return !isUnderWay && (await sumsAt(metricsPort)).waiting === 0;
    },
    PATIENCE_MS,
  );

/** One more message each way in every chat. */
export async function sayMore({ crowd: accounts }: Scene, what: string): Promise<void> {
  for (const { origin, crm, chats } of accounts) {
    const agent = agentAt(origin);
    const ids = new Map([...crm.sandbox.world.chats.values()].map((chat) => [chat.externalId, chat.id]));
    for (const chat of chats) {
      chat.inbound.push(`in, ${what}`);
      await chat.customer.say(`in, ${what}`);
      chat.outbound.push(`out, ${what}`);
      await agent.say(ids.get(chat.customer.chat) ?? 0, { text: `out, ${what}` });
    }
  }
}
