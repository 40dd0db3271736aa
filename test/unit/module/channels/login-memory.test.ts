import { expect, it } from "vitest";
import type { Visit } from "../../../../src/module/account/visits.ts";
import { LOGIN_MS, ownLogins } from "../../../../src/module/channels/login-memory.ts";
import { handClock } from "../../../support/clock.ts";

const visit = { id: "v" } as Visit;
const cancelled = async () => ({ fault: { code: "cancelled" as const } });

it("a visit may have begun three logins at a messenger: the oldest is forgotten", async () => {
  const logins = ownLogins(handClock());
  for (const state of ["a", "b", "c", "d"]) await logins.begin(visit, "toy", state);
  const known = ["a", "b", "c", "d"].map((state) => logins.comeBack(visit, "toy", state, cancelled));
  expect(await Promise.all(known)).toEqual([false, true, true, true]);
});

it("a login has its own time, whatever is begun after it", async () => {
  const clock = handClock();
  const logins = ownLogins(clock);
  await logins.begin(visit, "toy", "early");
  await clock.forward(LOGIN_MS / 2);
  await logins.begin(visit, "toy", "late");
  await clock.forward(LOGIN_MS / 2);
  expect(await logins.comeBack(visit, "toy", "early", cancelled)).toBe(false);
  expect(await logins.comeBack(visit, "toy", "late", cancelled)).toBe(true);
});
