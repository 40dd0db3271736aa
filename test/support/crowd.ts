import { expect } from "vitest";
import type { CrowdResult } from "../../tools/torture/crowd.ts";
import type { Scene } from "../../tools/torture/scene.ts";
import { until } from "./until.ts";

/** Of a crowd whose servers were stopped in order: nothing is lost, doubled, out of order, failed or in doubt. */
export function expectWhole(result: CrowdResult, words: string): void {
  const { lost, failed, unknown, disordered, gatewayDuplicates, duplicates, held, dead, notes, ledger } = result;
  expect([lost, failed, unknown, disordered, gatewayDuplicates, duplicates, held, dead, ledger.hole], words).toEqual(
    Array(9).fill(0),
  );
  expect(notes).toEqual([]);
}

/** The way that took longest of those that began in a span of time, Unix time, ms. */
export function slowestOf({ ways }: CrowdResult, from: number, to = Number.POSITIVE_INFINITY): CrowdResult["ways"][0] {
  const some = ways.filter(({ written }) => written >= from && written < to);
  return some.sort((one, other) => other.ms - one.ms)[0] ?? { written: from, ms: 0, what: "nothing" };
}

export const everyChat = ({ crowd }: Scene) =>
  until("every chat", () => crowd.every(({ crm, chats }) => crm.sandbox.world.chats.size >= chats.length));
