import { expect, it } from "vitest";
import { FORMER_TABLES, fillFormer } from "../../support/former-database.ts";
import { gangway } from "../../support/gangway.ts";
import { command, temporaryDatabase } from "../../support/postgres.ts";
import { rowsOf } from "../../support/rows.ts";
import { temporaryFolder, temporaryStore } from "../../support/store.ts";

const MODULE = "mg-transport-telegram";

async function setUp() {
  const [folder, from] = [temporaryFolder(), await temporaryDatabase()];
  await temporaryStore(undefined, folder);
  const env = { PUBLIC_URL: "https://gangway.example" };
  const run = (...args: string[]) => gangway(folder, ["import", ...args], env);
  return { folder, from, run };
}

it("import reads the other database without writing, reports each account, and prints no secret", async () => {
  const { folder, from, run } = await setUp();
  await command(from, FORMER_TABLES);
  const account = (n: number) => ({
    ...{
      clientId: `client-${n}-secret`,
      apiKey: `key-${n}-secret`,
      apiUrl: `http://127.0.0.1:${n}`,
      mgUrl: "https://mg",
    },
    ...{ mgToken: `token-${n}-secret`, active: true },
    bots: [{ token: `${n}:bot-secret`, name: "@bot", channel: String(n), lang: "en" }],
  });
  // Ports on which nobody answers.
  await fillFormer(from, [account(1), account(2)]);
  await command(from, "INSERT INTO bot (channel, token) VALUES ('7', 'stray-secret')");
  const both = await run(MODULE, "--from", from);
  expect([both.code, both.out]).toEqual([
    1,
    expect.stringMatching(/^http:\/\/127\.0\.0\.1:1: .*its CRM does not answer/),
  ]);
  expect(both.out).toContain("1 logins in it belong to no account");
  expect(both.err).toContain("2 of 2: ");
  const one = await run(MODULE, "--from", from, "--account", "client-2-secret", "--dry-run", "--json");
  expect(one.json()).toMatchObject({ ok: false, dryRun: true, accounts: [{ crm: "http://127.0.0.1:2" }] });
  const same = await run(MODULE, "--from", from, "--account", "http://127.0.0.1:2/", "--json");
  expect(same.json()).toMatchObject({ accounts: [{ crm: "http://127.0.0.1:2", outcome: "refused" }] });
  expect([both, one, same].map(({ out, err }) => out + err).join()).not.toMatch(/-secret/);
  expect(rowsOf(folder, ["account", "audit"])).toEqual({ account: [], audit: [] });
});

it("import refuses in words what it cannot do", async () => {
  const { from, run } = await setUp();
  const password = "postgres://someone:pass-word@127.0.0.1:1/former";
  for (const [args, code, words] of [
    [["other", "--from", from], 2, `knows a module "other"; known: ${MODULE}`],
    [[MODULE], 2, "--from is missing"],
    [[MODULE, "--from", "mysql://x"], 2, "the database is named as postgres://"],
    [[MODULE, "--from", from, "--force"], 2, "--force goes with --undo"],
    [[MODULE, "--from", from], 1, 'it has no table "connection"'],
    [[MODULE, "--from", password], 1, "no PostgreSQL answers at 127.0.0.1:1/former"],
    [[MODULE, "--undo", "--account", "nobody.example"], 1, "There is no account nobody.example here"],
    [[MODULE, "--undo"], 0, "There is nothing to give back."],
  ] as const) {
    const ran = await run(...args);
    expect([ran.code, ran.out + ran.err], args.join(" ")).toEqual([code, expect.stringContaining(words)]);
    expect(ran.out + ran.err).not.toContain("pass-word");
  }
});
