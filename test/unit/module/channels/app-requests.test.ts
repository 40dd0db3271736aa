import { expect, it } from "vitest";
import { createAppRequests } from "../../../../src/module/channels/app-requests.ts";
import { handClock } from "../../../support/clock.ts";
import { silentLog } from "../../../support/log.ts";

it("an unproven request warns at once, and then every ten minutes at most, with what came since", () => {
  const clock = handClock();
  const lines: object[] = [];
  const log = { ...silentLog, warn: (_: string, fields?: object) => void lines.push(fields ?? {}) };
  const knocks = createAppRequests(["facebook", "whatsapp"], { clock, log });
  const forged = () => knocks.heard("facebook", { result: "other-secret", todo: "look" });
  forged();
  for (let n = 0; n < 1_000; n++) forged();
  knocks.heard("facebook", { result: "proven" });
  knocks.heard("facebook", { result: "unsigned" });
  clock.leap(599_999);
  forged();
  clock.leap(1);
  forged();
  knocks.heard("whatsapp", { result: "other-secret", todo: "look" });
  const line = { result: "other-secret", todo: "look" };
  expect(lines).toEqual([
    { ...line, kind: "facebook", unproven: 1, proven: 0 },
    { ...line, kind: "facebook", unproven: 1_002, proven: 1 },
    { ...line, kind: "whatsapp", unproven: 1, proven: 0 },
  ]);
});
