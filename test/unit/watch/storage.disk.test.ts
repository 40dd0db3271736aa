import { expect, it } from "vitest";
import { watchDisk } from "../../../src/watch/storage.ts";
import { handClock } from "../../support/clock.ts";
import { silentLog } from "../../support/log.ts";

const GIB = 1024 ** 3;

it("logs once when the disk is low, full or has space again, and checks every few seconds", async () => {
  const clock = handClock();
  const said: string[] = [];
  const say = (level: string) => (event: string) => void said.push(`${level} ${event}`);
  const log = { ...silentLog, info: say("info"), warn: say("warn"), error: say("error") };
  let space = { freeBytes: 50 * GIB, totalBytes: 100 * GIB, belowFloor: false };
  let checks = 0;
  const check = async () => {
    checks += 1;
    return space;
  };
  const disk = watchDisk({ disk: { check }, clock, log });
  await disk.start();
  const becomes = async (change: Partial<typeof space>) => {
    space = { ...space, ...change };
    await clock.forward(20_000);
  };
  await becomes({});
  await becomes({ freeBytes: 14 * GIB });
  await becomes({ freeBytes: 10 * GIB });
  await becomes({ freeBytes: GIB / 8, belowFloor: true });
  await becomes({ freeBytes: GIB * 0.9, totalBytes: 2 * GIB, belowFloor: false });
  await becomes({ freeBytes: 90 * GIB, totalBytes: 100 * GIB });
  expect(said).toEqual(["warn disk.low", "error disk.full", "warn disk.low", "info disk.plenty"]);
  expect(checks).toBe(25);
  disk.stop();
  await clock.forward(60_000);
  expect(checks).toBe(25);
});
