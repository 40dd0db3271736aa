import { systemClock } from "gangway-messenger/clock";
import type { ChannelId, ChatId } from "gangway-messenger/ids";
import { describe, expect, it } from "vitest";
import { createJournals } from "../../../../../src/relay/sessions/sessions.ts";
import { postgresStore } from "../../../../support/engines.ts";
import { command, databaseWithTables } from "../../../../support/postgres.ts";
import { addAccount, addChannel } from "../../../../support/store.ts";
import { until } from "../../../../support/until.ts";

/** Two processes on one database with an account and a channel. */
async function processes() {
  const url = await databaseWithTables();
  const [one, two] = [await postgresStore(url, systemClock), await postgresStore(url, systemClock)];
  const account = await addAccount(one);
  const channel = await addChannel(one, account);
  const versions = () => [one.accounts.version(account.id), two.accounts.version(account.id)];
  /** Both have heard everything so far. */
  const agreed = () => until("equal versions", () => new Set(versions()).size === 1 && versions()[0]);
  return { url, one, two, account, channel, agreed };
}

/** Ends the connections on which processes hear each other. */
const deafen = (url: string) =>
  command(
    url,
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query ~ '^(LISTEN|SELECT pg_notify.name|SELECT$)'",
  );

const entry = (key: string, chat = "c") => ({ chat, key, entry: { key } });

describe("the version of an account", () => {
  it("changes in every process after a change by any, and is the same in all", async () => {
    const { one, two, account, channel, agreed } = await processes();
    const before = await agreed();
    await two.notes.set(channel.id, [{ key: "k", value: "1" }]);
    const noted = await until("the note", async () => (await agreed()) !== before && agreed());
    await one.channels.setTrouble(channel.id, "down");
    const troubled = await until("the trouble", async () => (await agreed()) !== noted && agreed());
    await two.outbox.acceptInbound(channel, {
      events: [{ type: "deleted", key: "d", chat: "c" as ChatId, messengerMessageId: "m" as never, at: 1 }],
    });
    await until("the message", async () => (await agreed()) !== troubled);
    expect(one.accounts.version(account.id)).toBe(two.accounts.version(account.id));
  });

  it("stays while nothing of the account changes, whatever changes elsewhere", async () => {
    const { one, two, channel, agreed } = await processes();
    const other = await addAccount(two, "other");
    const before = await agreed();
    const others = () => one.accounts.version(other.id);
    const otherBefore = others();
    await two.accounts.setLocale(other.id, { language: "es" });
    await until("the other's change", () => others() !== otherBefore);
    expect(await agreed()).toBe(before);
    expect(channel.accountId).not.toBe(other.id);
  });

  it("changes when a process that could not hear hears again", async () => {
    const { url, agreed } = await processes();
    const before = await agreed();
    await deafen(url);
    await until("a new version", async () => (await agreed()) !== before);
  });
});

describe("a journal that two processes append to", () => {
  it("is read by position in the order of its commits: nothing is skipped", async () => {
    const { one, two, channel } = await processes();
    const seen: string[] = [];
    let last = 0;
    let isDone = false;
    const read = async () => {
      for (const { position, entry } of await one.journal.after(channel.id, "c", last, { entries: 50, bytes: 1e6 })) {
        seen.push((entry as { key: string }).key);
        last = position;
      }
    };
    const reading = (async () => {
      while (!isDone) await read();
    })();
    const keys = Array.from({ length: 60 }, (_, n) => [`one-${n}`, `two-${n}`]).flat();
    await Promise.all(
      keys.map((key, n) => {
        const by = key.startsWith("one") ? one : two;
        // Half of them come with a request.
        const events: never[] = [];
        return n % 4 < 2
          ? by.journal.append(channel.id, [entry(key)])
          : by.outbox.acceptInbound(channel, { events, journal: [entry(key)] as never });
      }),
    );
    isDone = true;
    await reading;
    await read();
    expect(seen).toHaveLength(keys.length);
    expect(new Set(seen)).toEqual(new Set(keys));
  });

  it("wakes who watches in the other process, also once that hears again, and if nothing was told", async () => {
    const { url, one, two, channel } = await processes();
    const woken = { times: 0 };
    const end = createJournals(one)
      .of(channel.id)
      .watch("c" as ChatId, () => {
        woken.times += 1;
      });
    const wakesAfter = async (what: string, act: () => Promise<unknown>) => {
      const before = woken.times;
      await act();
      await until(what, () => woken.times > before);
    };
    await wakesAfter("the first look", async () => undefined);
    await wakesAfter("what is told", () => two.journal.append(channel.id, [entry("a")]));
    await wakesAfter("what comes with a request", () =>
      two.outbox.acceptInbound(channel, { events: [], journal: [entry("b")] as never }),
    );
    await wakesAfter("the connection", () => deafen(url));
    await wakesAfter("the look", () =>
      command(
        url,
        `INSERT INTO journal (channel_id, chat, key, entry, created_at) VALUES ('${channel.id}', 'c', 'z', '{}', 1)`,
      ),
    );
    end();
  });
});

describe("changes of channels", () => {
  it("are heard by every process, and after a lost connection as perhaps of any", async () => {
    const { url, one, two, account, channel } = await processes();
    const heard: (string[] | undefined)[] = [];
    two.channels.onChanged((accounts) => void heard.push(accounts));
    await one.channels.setState(channel.id, "paused");
    await until("the change", () => heard.some((accounts) => accounts?.includes(account.id)));
    heard.length = 0;
    await deafen(url);
    await until("any change", () => heard.includes(undefined));
    expect(channel.id satisfies ChannelId).toBeDefined();
  });
});
