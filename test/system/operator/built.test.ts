import { join } from "node:path";
import { expect, it } from "vitest";
import { readRows } from "../../support/engine.ts";
import { agentSays, customerSays } from "../../support/events.ts";
import { builtGangway, gangway, KEYS } from "../../support/gangway.ts";
import { roomFor } from "../../support/room.ts";
import { oneChannel, takeLease, temporaryFolder } from "../../support/store.ts";

it("operators' commands run as built, and say what they say in the tests' own process", async () => {
  const { folder, store, account, channel } = await oneChannel();
  for (const key of ["one", "two"])
    await store.outbox.acceptOutbound(channel, { key, act: agentSays(key), patienceMs: 60_000 });
  const lease = await takeLease(store, account.id, "test");
  for (const job of await store.outbox.claim(lease, roomFor(10)))
    await store.outbox.failed(job, { state: "dead", code: "general" }, "the bot was blocked");
  await store.outbox.acceptInbound(channel, { events: [customerSays("three", "hi", "chat-9")] });
  await store.close();
  const [{ id = 0 } = {}] = (await readRows(folder, ["message"])).message ?? [];
  const backup = join(temporaryFolder(), "backup.db");
  const of = ["--account", account.id];

  const looks = [
    ["accounts", "list"],
    ["audit", "list"],
    ["dead", "list"],
    ["dead", "show", String(id)],
  ];
  for (const args of [...looks, ["replay", ...of, "--from", "2020-01-01", "--dry-run"], ["verify"]]) {
    const { json: _, ...built } = await builtGangway(folder, args);
    const { json: __, ...own } = await gangway(folder, args);
    expect(built).toEqual(own);
    expect({ args, ...built }).toMatchObject({ args, code: 0, err: "" });
  }

  const does = async (...args: string[]) => {
    const { code, out, err } = await builtGangway(folder, [...args, "--json"], {
      SECRET_KEYS: `${KEYS.next},${KEYS.test}`,
    });
    expect({ args, err, code }).toEqual({ args, err: "", code: 0 });
    expect(JSON.parse(out)).toMatchObject({ ok: true });
  };
  await does("backup", backup);
  await does("verify", backup);
  await does("keys", "rotate");
  await does("dead", "replay", "--id", String(id));
  await does("dead", "drop", "--all");
  await does("erase", "customer", ...of, "--channel", channel.id, "--chat", "chat-9");
  await does("restore", backup, "--force");
  expect((await builtGangway(folder, ["doctor", "--offline", "--json"])).json()).toHaveProperty("findings");
});
