import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import type { Call } from "gangway-messenger/call";
import { systemClock } from "gangway-messenger/clock";
import { describe, expect, it, onTestFinished } from "vitest";
import { createProgram } from "../../src/app.ts";
import { openStore } from "../../src/store/open.ts";
import { damageLog, killedCopy } from "../support/damaged-log.ts";
import { type Disk, tinyDisk } from "../support/disk.ts";
import { customerSays } from "../support/events.ts";
import { silentLog } from "../support/log.ts";
import { rowsOf } from "../support/rows.ts";
import { configOf, OWN } from "../support/site.ts";
import { addAccount, addChannel, diskOf, KEY_RING, NEXT_RING, oneChannel, temporaryFolder } from "../support/store.ts";
import { until } from "../support/until.ts";

const call: Call = async () => ({ type: "failure", sent: "no", reason: "refused", detail: "test" });

/** A program on the folder; `errors` are its logged error events. */
async function program(folder: string) {
  const errors: string[] = [];
  const log = { ...silentLog, error: (event: string) => void errors.push(event) };
  const made = createProgram(await configOf(folder), { log, call });
  onTestFinished(async () => {
    await made.drain();
    await made.close();
  });
  const ask = async (path: string, init?: RequestInit) => made.fetch(new Request(OWN + path, init), {});
  return { ...made, errors, ask, status: async (path: string) => (await ask(path)).status };
}

/** The data folder of a server killed just after accepting a message. */
async function killedServer(): Promise<string> {
  const [folder, left] = [temporaryFolder(), temporaryFolder()];
  const store = await openStore({ folder, keyRing: KEY_RING, clock: systemClock });
  const channel = await addChannel(store, await addAccount(store), "webchat");
  await store.outbox.acceptInbound(channel, { events: [customerSays("hello")] });
  cpSync(folder, left, { recursive: true });
  store.close();
  return left;
}

async function recovers(disk: Disk, server: Awaited<ReturnType<typeof program>>) {
  disk.free();
  await until("readiness", async () => (await server.status("/health/ready")) === 200);
  expect(await server.status("/")).toBe(200);
}

describe("a start with accepted messages missing", () => {
  async function damaged(): Promise<string> {
    const { folder, store, channel } = await oneChannel({ kind: "webchat" });
    for (let n = 0; n < 100; n++) await store.outbox.acceptInbound(channel, { events: [customerSays(`c${n}`)] });
    await diskOf(store).mark();
    const left = killedCopy(folder);
    damageLog(left);
    return left;
  }

  it("answers 503 and logs the reason once, until an operator accepts the loss; then it goes on by itself", async () => {
    const folder = await damaged();
    const server = await program(folder);
    await server.open();
    const started = server.start();
    const refused = await server.ask("/m/door/messages", { method: "POST", body: "{}" });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "30"]);
    expect(await (await server.ask("/health/ready")).json()).toEqual({
      status: "not ready",
      fault: expect.stringMatching(/^at least \d+ accepted messages are missing/),
    });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(server.errors).toEqual(["database.incomplete"]);
    const beside = await openStore({ folder, keyRing: KEY_RING, clock: systemClock, shared: true });
    await beside.condition.acceptLoss?.();
    await beside.close();
    await until("readiness", async () => (await server.status("/health/ready")) === 200);
    await started;
  });
});

// A tiny file system stands in for a full disk; only root may mount it.
describe.runIf(process.getuid?.() === 0)("a start on a full disk", () => {
  const full = (folder?: string, left = 0) => {
    const disk = tinyDisk(4) as Disk;
    if (folder) cpSync(folder, disk.folder, { recursive: true });
    disk.fill(left);
    return disk;
  };

  it.each([0, 4_096, 16_384, 65_536, 131_072, 262_144])(
    "recovers by itself when there is space, with everything accepted before (%i bytes left)",
    async (left) => {
      const disk = full(await killedServer(), left);
      const server = await program(disk.folder);
      await server.open();
      const started = server.start();
      expect(await server.status("/health/live")).toBe(200);
      await recovers(disk, server);
      await started;
      expect(rowsOf(disk.folder, ["message"]).message).toHaveLength(1);
    },
  );

  it("answers 503 with Retry-After, logs the reason once, and leaves no half-made database", async () => {
    const disk = full();
    const server = await program(disk.folder);
    await server.open();
    const started = server.start();
    const refused = await server.ask("/m/door/messages", { method: "POST", body: "{}" });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "30"]);
    expect(refused.headers.get("access-control-allow-origin")).toBe("*");
    expect(await (await server.ask("/health/ready")).json()).toEqual({
      status: "not ready",
      fault: "the disk is full",
    });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(server.errors).toEqual(["disk.full"]);
    expect(existsSync(join(disk.folder, "gangway.db"))).toBe(false);
    await recovers(disk, server);
    await started;
  });

  it("does not wait if space would not help", async () => {
    const disk = full(await killedServer());
    const server = createProgram({ ...(await configOf(disk.folder)), keyRing: NEXT_RING }, { log: silentLog, call });
    await expect(server.open()).rejects.toThrow(/SECRET_KEYS/);
  });
});
