import { setImmediate } from "node:timers/promises";
import { pause, systemClock } from "gangway-messenger/clock";
import type { Pool } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import type { GatewayChannelId } from "../../../../../src/domain/ids.ts";
import { connect } from "../../../../../src/store/postgres/database/connection.ts";
import { serialOverAll } from "../../../../../src/store/postgres/database/locks.ts";
import { createNotifier } from "../../../../../src/store/postgres/database/notifier.ts";
import { postgresStore } from "../../../../support/engines.ts";
import { command, databaseWithTables } from "../../../../support/postgres.ts";
import { addAccount, addChannel } from "../../../../support/store.ts";
import { until } from "../../../../support/until.ts";

async function twoProcesses() {
  const url = await databaseWithTables();
  const [one, two] = [await postgresStore(url, systemClock), await postgresStore(url, systemClock)];
  const here = "(SELECT oid FROM pg_database WHERE datname = current_database())";
  const held = () =>
    command(url, `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND database = ${here}`);
  return { url, one, two, held };
}

/** The serial acts of a process, and its connection that hears. */
async function process(url: string, waitMs?: number) {
  const pool = await connect(url, () => undefined);
  const notifier = createNotifier(pool);
  onTestFinished(async () => {
    await notifier.close();
    await pool.end();
  });
  return { serial: serialOverAll(pool, notifier, waitMs), ear: notifier.session };
}

/** An act that goes on until it is told to end. */
function longAct() {
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const act = () => {
    begun.resolve();
    return ended.promise;
  };
  return { act, begun: begun.promise, end: ended.resolve };
}

describe("acts under one key in several processes", () => {
  it("run one after the other, and each reads what the last has written", async () => {
    const { one, two } = await twoProcesses();
    const account = await addAccount(one);
    const { id } = await addChannel(one, account);
    await two.channels.byId(account.id, id);
    const start = Number((await one.channels.byId(account.id, id))?.gatewayChannelId);
    const add = (store: typeof one) => async () => {
      const channel = await store.channels.byId(account.id, id);
      await setImmediate();
      const next = `${Number(channel?.gatewayChannelId) + 1}` as GatewayChannelId;
      await store.channels.setGateway(id, { id: next, announced: next });
    };
    await Promise.all(
      Array.from({ length: 12 }, (_, n) => (n % 2 ? one : two)).map((each) => each.serial(id, add(each))),
    );
    expect((await one.channels.byId(account.id, id))?.gatewayChannelId).toBe(`${start + 12}`);
  });

  it("do not wait for those under other keys, or for one that has failed", async () => {
    const { one, two, held } = await twoProcesses();
    const long = longAct();
    const running = one.serial("a", long.act);
    await until("the lock", async () => (await held()).length > 0);
    expect(await two.serial("b", async () => "done")).toBe("done");
    await expect(two.serial("c", () => Promise.reject(new Error("refused")))).rejects.toThrow("refused");
    expect(await one.serial("c", async () => "done")).toBe("done");
    long.end();
    await running;
  });

  it("wait for one whose process loses the connection that hears", async () => {
    const url = await databaseWithTables();
    const [one, two] = [await process(url), await process(url)];
    const long = longAct();
    let begun = false;
    const running = one.serial("a", () => {
      begun = true;
      return long.act();
    });
    await until("the act", () => begun);
    const { rows } = (await one.ear()?.query("SELECT pg_backend_pid() AS pid")) ?? {};
    await command(url, `SELECT pg_terminate_backend(${rows?.[0]?.pid})`);
    await until("its end", () => one.ear() === undefined);
    let isNext = false;
    const next = two.serial("a", async () => {
      isNext = true;
    });
    expect(await two.serial("b", async () => isNext)).toBe(false);
    // It has tried for both keys since.
    expect(await two.serial("c", async () => isNext)).toBe(false);
    long.end();
    await Promise.all([running, next]);
    expect(isNext).toBe(true);
  });

  it("go on when the process that is at one dies", async () => {
    const { url, one, two, held } = await twoProcesses();
    const long = longAct();
    const running = one.serial("a", long.act);
    const [lock] = await until("the lock", async () => (await held()).length > 0 && held());
    let isDone = false;
    const next = two.serial("a", async () => {
      isDone = true;
    });
    expect(await two.serial("b", async () => isDone)).toBe(false);
    await command(url, `SELECT pg_terminate_backend(${lock?.pid})`);
    await next;
    expect(isDone).toBe(true);
    long.end();
    await running;
  });

  it("give up in time, and say whether another process or the database kept them", async () => {
    const url = await databaseWithTables();
    const [one, two] = [await process(url), await process(url, 300)];
    const long = longAct();
    const running = one.serial("a", long.act);
    await Promise.all([long.begun, until("hearing", () => two.ear() !== undefined)]);
    const next = two.serial("a", async () => {});
    await expect(next).rejects.toThrow("another process has been busy with the same for 0.3 seconds");
    long.end();
    await running;
    const away = new Error("connect ECONNREFUSED");
    let tries = 0;
    const connect = async () => {
      tries += 1;
      await pause(systemClock, 200);
      throw away;
    };
    const serial = serialOverAll({ connect } as unknown as Pool, { session: () => undefined }, 300);
    await expect(serial("a", async () => {})).rejects.toBe(away);
    // Also the time of the tries counts.
    expect(tries).toBeLessThanOrEqual(2);
  });
});
