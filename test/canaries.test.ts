import { writeFileSync } from "node:fs";
import { join } from "node:path";
import telegram from "gangway-telegram";
import { describe, expect, it } from "vitest";
import { canaryLog, recordOutput, recordPage, searchForSecrets } from "./support/canaries.ts";
import { handClock } from "./support/clock.ts";
import { writeRows } from "./support/engine.ts";
import { addAccount, KEY_RING, storeIn, temporaryFolder } from "./support/store.ts";

const TOKEN = `1234567:${"c".repeat(35)}`;

/** A stopped server's data folder with an account and a bot. */
async function shop() {
  const folder = temporaryFolder();
  const store = await storeIn(folder, handClock());
  const account = await addAccount(store);
  const settings = telegram.settings.parse({ token: TOKEN });
  const channel = await store.channels.add(account.id, { kind: "telegram", name: "Bot", settings });
  await store.close();
  return { folder, account, channel };
}
type Shop = Awaited<ReturnType<typeof shop>>;

const leaks: [string, (shop: Shop) => unknown][] = [
  [
    "a token in a column that is not sealed",
    ({ folder }) => writeRows(folder, "UPDATE channel SET trouble = ?", TOKEN),
  ],
  ["an API key in a log line", ({ folder, account }) => canaryLog(folder).log.warn("x", { error: account.apiKey })],
  [
    "a gateway token in what a command prints",
    ({ folder, account }) => recordOutput(folder, [`is ${account.gatewayToken}`]),
  ],
  ["a client id in a page", ({ folder, account }) => recordPage(folder, `<p>${account.clientId}</p>`)],
  ["a door in an address", ({ folder, channel }) => recordPage(folder, `<a href="/m/${channel.door}">`)],
  ["a token in a file", ({ folder }) => writeFileSync(join(folder, "dead-letters.json"), `{"error":"${TOKEN}"}`)],
];

describe("the search for secrets after every test", () => {
  it.each(leaks)("finds %s", async (_, leak) => {
    const there = await shop();
    await leak(there);
    await expect(searchForSecrets(there.folder, KEY_RING)).rejects.toThrow("secrets in");
    await writeRows(there.folder, "DELETE FROM channel");
    await writeRows(there.folder, "DELETE FROM account");
    await writeRows(there.folder, "VACUUM");
  });

  it("finds nothing if all are sealed, and counts them", async () => {
    const { folder } = await shop();
    // Four of the account; of the bot its door, its token and its webhook secret.
    expect(await searchForSecrets(folder, KEY_RING)).toMatchObject({ secrets: 7, databases: 1 });
  });
});
