import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "gangway-messenger/clock";
import { describe, expect, it } from "vitest";
import type { Account } from "../../../src/domain/account.ts";
import { backupFinding, findingsOf } from "../../../src/operator/findings.ts";
import { askAll, askOwn } from "../../../src/operator/reach.ts";
import type { ContentFigures, Figures, PostgresFigures } from "../../../src/store/care.ts";
import { onPostgres, writeRows } from "../../support/engine.ts";
import { customerSays } from "../../support/events.ts";
import { builtGangway, gangway, KEYS } from "../../support/gangway.ts";
import { addAccount, addChannel, storeIn, temporaryFolder, temporaryStore } from "../../support/store.ts";

const GIB = 1024 ** 3;
const NOW = Date.UTC(2026, 0, 2);
const contents: ContentFigures = {
  jobs: { waiting: 0, held: 0, dead: 0 },
  parked: { ofChannels: 0, strangers: 7 },
  newest: NOW,
  unopened: [],
  troubled: [],
};
const healthy: Figures = {
  ...contents,
  engine: "SQLite",
  served: true,
  quickCheck: "ok",
  missing: 0,
  bytes: { database: 1_000, log: 0, free: 0 },
  disk: { free: 50 * GIB, all: 100 * GIB },
};
const ofPostgres: Figures = {
  ...contents,
  engine: "PostgreSQL",
  ...{ version: "18.1", bytes: GIB },
  ...{ members: [{ owner: "a", accounts: 3 }], unheld: 0 },
  connections: { used: 20, own: 20, max: 97 },
  commits: { synchronous: "on", standbys: "" },
  replicas: { all: 0, synchronous: 0, lagMs: 0 },
  long: [],
  messages: { live: 1_000_000, dead: 100_000 },
  age: { now: 1_000, freeze: 200_000_000 },
  aheadMs: -20,
};
const states = (change: object, of: Figures = healthy) =>
  findingsOf({ ...of, ...change } as Figures, [], NOW).flatMap(({ state, about }) =>
    state === "ok" ? [] : [`${state} ${about}`],
  );

describe("gangway doctor", () => {
  it("finds nothing when nothing is wrong", () => {
    expect(states({})).toEqual([]);
    expect(states({}, ofPostgres)).toEqual([]);
  });

  it("says how old the newest backup is, and warns when there is none or none of the last two days", () => {
    const hour = 3_600_000;
    expect(backupFinding(NOW - 5 * hour, NOW)).toMatchObject({ state: "ok", seen: "made 5 h ago" });
    expect(backupFinding(NOW - 49 * hour, NOW)).toMatchObject({ state: "warn", seen: "made 2 days ago" });
    expect(backupFinding(undefined, NOW)).toMatchObject({ state: "warn", seen: "gangway backup has made none" });
  });

  it("says why an account is paused, and how it is resumed, whatever the CRM says of it", () => {
    const account = { id: "a", crmUrl: "https://shop.example", active: true, frozen: true, pauseReason: "unpaid" };
    const own = findingsOf(healthy, [account as Account], NOW).filter(({ about }) => about.startsWith("account "));
    expect(own).toEqual([
      {
        ...{ state: "warn", about: "account https://shop.example", seen: "paused by you: unpaid" },
        todo: "its messages wait until you resume it: gangway accounts resume a",
      },
    ]);
  });

  it.each<[string, object]>([
    ["fail database", { quickCheck: "row 7 missing from index" }],
    ["fail database", { served: false, missing: 7 }],
    ["warn database", { served: false }],
    ["fail database", { served: "cannot tell whether a Gangway runs on the folder" }],
    ["warn parked requests", { parked: { ofChannels: 1, strangers: 0 } }],
    ["warn database size", { bytes: { database: GIB, log: GIB, free: 0 } }],
    ["warn disk", { disk: { free: 14 * GIB, all: 100 * GIB } }],
    ["warn disk", { disk: { free: 0.9 * GIB, all: 2 * GIB } }],
    ["fail disk", { disk: { free: 1_000, all: 100 * GIB } }],
    ["fail time in the database", { newest: NOW + 3_600_000 }],
    ["warn waiting messages", { jobs: { waiting: 1, held: 0, dead: 0 }, oldestWaiting: NOW - 3_600_000 }],
    ["warn dead messages", { jobs: { waiting: 0, held: 0, dead: 2 } }],
    ["warn held messages", { jobs: { waiting: 0, held: 2, dead: 0 } }],
  ])("says %s", (line, change) => {
    expect(states(change)).toEqual([line]);
  });

  it.each<[string, Partial<PostgresFigures>]>([
    ["warn database", { members: [], unheld: 3 }],
    ["warn accounts of each process", { unheld: 1 }],
    ["warn connections", { connections: { used: 90, own: 20, max: 97 } }],
    ["warn fail-over", { replicas: { all: 1, synchronous: 0, lagMs: 0 } }],
    [
      "warn fail-over",
      { replicas: { all: 1, synchronous: 1, lagMs: 0 }, commits: { synchronous: "local", standbys: "*" } },
    ],
    ["fail fail-over", { commits: { synchronous: "on", standbys: "one" } }],
    [
      "warn replicas",
      { replicas: { all: 1, synchronous: 1, lagMs: 60_000 }, commits: { synchronous: "on", standbys: "*" } },
    ],
    ["warn replicas", { replicas: { all: 1 }, commits: { synchronous: "on", standbys: "*" } }],
    ["warn long transactions", { long: [{ who: "process 7, reports", ms: 600_000 }] }],
    ["warn long transactions", { long: undefined }],
    ["warn dead rows of messages", { messages: { live: 100_000, dead: 90_000 } }],
    ["warn age of transactions", { age: { now: 1_100_000_000, freeze: 200_000_000 } }],
    ["fail age of transactions", { age: { now: 1_700_000_000, freeze: 200_000_000 } }],
    ["warn database's clock", { aheadMs: -60_000 }],
    ["fail database's clock", { aheadMs: 600_000 }],
  ])("says %s of PostgreSQL", (line, change) => {
    expect(states(change, ofPostgres)).toEqual([line]);
  });

  it("warns of accounts and channels in trouble, and fails for rows from the future", async () => {
    const folder = temporaryFolder();
    const store = await temporaryStore(systemClock, folder);
    const account = await addAccount(store);
    const channel = await addChannel(store, account);
    await store.outbox.acceptInbound(channel, { events: [customerSays("a")] });
    await store.channels.setState(channel.id, "stopped", "the token was revoked");
    await store.accounts.setTrouble(account.id, { text: "the CRM refuses the key", restUntil: 0 });
    await writeRows(folder, "UPDATE message SET created_at = ?", Date.now() + 86_400_000);
    const { code, out } = await gangway(folder, ["doctor", "--offline", "--json"]);
    expect(code).toBe(1);
    const { findings } = JSON.parse(out) as {
      findings: { state: string; about: string; seen: string; todo?: string }[];
    };
    const told = findings.filter(({ state }) => state !== "ok");
    // No server is a member of its database.
    const server = onPostgres ? ["warn database"] : [];
    const backup = onPostgres ? [] : ["warn newest backup"];
    expect(told.map(({ state, about }) => `${state} ${about}`)).toEqual([
      ...server,
      "fail time in the database",
      `warn account ${account.crmUrl}`,
      `warn channel ${channel.id} (Toy)`,
      ...backup,
    ]);
    expect(told.every(({ todo }) => todo)).toBe(true);
    expect(told.map(({ seen }) => seen)).toContain("stopped: the token was revoked");
    for (const secret of [account.apiKey, account.clientId, account.gatewayToken]) expect(out).not.toContain(secret);
  });

  it("warns of accounts that have one gateway token, by their addresses and without the token", async () => {
    const folder = temporaryFolder();
    const store = await temporaryStore(systemClock, folder);
    const [first, second] = [await addAccount(store, "shop"), await addAccount(store, "x17")];
    await addAccount(store, "other");
    const told = async () => (await gangway(folder, ["doctor", "--offline"])).out;
    expect(await told()).not.toContain("gateway token");
    await store.accounts.setGatewayToken(second.id, first.gatewayToken);
    const out = await told();
    expect(out).toContain(
      `warn  gateway token: accounts ${first.id} (${first.crmUrl}) and ${second.id} (${second.crmUrl}) have the same`,
    );
    expect(out).not.toContain("other.retailcrm.ru");
    expect(out).not.toContain(first.gatewayToken);
  });

  it("exits with 0 when only an account or its messenger is in trouble: the server works", async () => {
    const folder = temporaryFolder();
    const store = await temporaryStore(systemClock, folder);
    const account = await addAccount(store);
    const channel = await addChannel(store, account);
    await store.channels.setState(channel.id, "stopped", "the token was revoked");
    await store.accounts.setTrouble(account.id, { text: "the CRM refuses the key", restUntil: 0 });
    const { code, out } = await gangway(folder, ["doctor", "--offline"]);
    expect(out).toMatch(/warn {2}channel .* stopped: the token was revoked\n +the account's user/);
    expect(out).toMatch(/0 failures\.\n$/);
    expect(code).toBe(0);
  });

  it.skipIf(onPostgres)("reports invalid settings and a missing database", async () => {
    const folder = temporaryFolder();
    expect((await gangway(folder, ["doctor", "--offline"], { SECRET_KEYS: "x", PORT: "many" })).out).toMatch(
      /fail {2}settings: .*PORT.*SECRET_KEYS/,
    );
    expect((await gangway(folder, ["doctor", "--offline"])).out).toContain("fail  database: there is no database");
  });

  it("warns when PUBLIC_URL is https and TRUSTED_PROXIES is not set", async () => {
    const folder = temporaryFolder();
    const told = async (env: Record<string, string>) =>
      (await gangway(folder, ["doctor", "--offline"], { PUBLIC_URL: "https://own.example", ...env })).out;
    expect(await told({})).toMatch(
      /warn {2}TRUSTED_PROXIES: not set.*\n +set TRUSTED_PROXIES to the number of proxies/,
    );
    for (const TRUSTED_PROXIES of ["0", "1", "10.0.0.0/8"])
      expect(await told({ TRUSTED_PROXIES })).not.toContain("TRUSTED_PROXIES");
    expect(await told({ PUBLIC_URL: "http://127.0.0.1:3000" })).not.toContain("TRUSTED_PROXIES");
  });

  it.skipIf(onPostgres)(
    "reports a damaged or lost database as one finding, and the server in one sentence",
    async () => {
      const folder = temporaryFolder();
      await (await storeIn(folder)).close();
      const said = async () => {
        const { out, code } = await gangway(folder, ["doctor", "--offline", "--json"]);
        const { findings } = JSON.parse(out) as { findings: { state: string; about: string; seen: string }[] };
        expect(code).toBe(1);
        expect(findings.map(({ state, about }) => `${state} ${about}`)).toEqual([
          "ok runtime",
          "ok settings",
          "fail database",
        ]);
        const server = await builtGangway(folder, []);
        expect(server.err).toMatch(/^gangway: .*gangway restore <backup> --force\n$/);
        return findings[2]?.seen;
      };
      writeFileSync(join(folder, "gangway.db"), Buffer.alloc(8192, 7));
      expect(await said()).toContain("is damaged (file is not a database)");
      truncateSync(join(folder, "gangway.db"), 0);
      expect(await said()).toContain("is empty");
    },
  );

  it("reports keys that do not fit, and then suggests no restore", async () => {
    const folder = temporaryFolder();
    await temporaryStore(systemClock, folder);
    for (const [keys, words] of [
      [KEYS.next, 'SECRET_KEYS does not fit this database: it lacks the key "test"'],
      [`test:${Buffer.alloc(32, 9).toString("base64")}`, "SECRET_KEYS does not fit this database"],
    ] as const) {
      const { out } = await gangway(folder, ["doctor", "--offline"], { SECRET_KEYS: keys });
      expect(out).toContain(`fail  database: ${words}`);
      expect(out).toContain("set SECRET_KEYS to the server's value");
      expect(out).not.toContain("restore");
    }
  });

  it("asks every host once and compares its clock with theirs", async () => {
    const asked: string[] = [];
    const clock = { now: () => NOW, monotonic: () => NOW, after: () => () => {} };
    const call: Parameters<typeof askOwn>[0] = async ({ url }) => {
      asked.push(url);
      if (url.includes("dead")) return { type: "failure", sent: "no", reason: "refused", detail: "dead ECONNREFUSED" };
      const headers = { date: new Date(NOW - 60_000).toUTCString() };
      return { type: "answer", status: url.includes("broken") ? 502 : 404, headers, bytes: new Uint8Array() };
    };
    const hosts = ["https://a.example", "https://a.example", "https://dead.example", "https://broken.example"];
    const context = { call, clock };
    const findings = await askAll(
      context,
      hosts.map((origin) => ({ about: "CRM", origin })),
    );
    expect(asked).toHaveLength(3);
    expect(findings.map(({ state, about }) => `${state} ${about}`)).toEqual([
      "warn clock",
      "ok CRM https://a.example",
      "warn CRM https://dead.example",
      "warn CRM https://broken.example",
    ]);
    const dead = await askAll(context, [
      { about: "CRM", origin: "https://dead.example" },
      { about: "gateway", origin: "https://dead-too.example" },
    ]);
    expect(dead.map(({ state }) => state)).toEqual(["fail", "fail"]);
    expect((await askOwn(call, "https://own.example")).state).toBe("fail");
    expect(
      (
        await askOwn(
          async () => ({ type: "failure", sent: "no", reason: "blocked", detail: "" }),
          "https://own.example",
        )
      ).state,
    ).toBe("warn");
  });
});

describe("gangway", () => {
  it("lists all commands and their arguments", async () => {
    const folder = temporaryFolder();
    const help = await gangway(folder, ["--help"]);
    expect(help.code).toBe(0);
    for (const words of [
      "doctor",
      "backup <file>",
      "restore <backup>",
      "verify [backup]",
      "keys rotate",
      "dead list",
      "dead show <id>",
      "dead replay",
      "dead drop",
      "\n  gangway replay ",
      "audit list",
      "accounts list",
      "accounts show <account>",
      "messages find <what>",
      "messages show <id>",
      "gangway sandbox",
    ])
      expect(help.out).toContain(words);
    expect((await gangway(folder, ["restore", "--help"])).out).toMatch(/--resend .*held/);
    const ofDead = (await gangway(folder, ["dead", "--help"])).out;
    for (const words of ["gangway dead replay [options]", "gangway dead show <id> [options]", "--all"])
      expect(ofDead).toContain(words);
    expect(await gangway(folder, ["doctor", "-h"])).toMatchObject({
      code: 0,
      out: expect.stringContaining("--offline"),
    });
    const failed = await gangway(folder, ["audit", "list", "--json"]);
    if (onPostgres) expect(failed.json()).toEqual({ ok: true, acts: [] });
    else expect(failed.json()).toEqual({ ok: false, error: `there is no database in the data folder ${folder}` });
  });

  it.each(["--version", "-v", "version"])("prints its version in one line: %s", async (word) => {
    const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
    const { code, out, err } = await builtGangway(temporaryFolder(), [word]);
    expect({ code, out, err }).toEqual({ code: 0, out: `gangway ${version}\n`, err: "" });
  });

  it("lists filtered audit entries, and the accounts, without a secret", async () => {
    const folder = temporaryFolder();
    const store = await temporaryStore(systemClock, folder);
    const account = await addAccount(store);
    await store.audit.record(account.id, { actor: "account user", action: "channel added", detail: { channel: "c1" } });
    await store.audit.record(undefined, { actor: "operator", action: "backup made" });
    const audit = await gangway(folder, ["audit", "list"]);
    expect(audit.out.split("\n")[1]).toContain("backup made");
    expect(audit.out).toMatch(/account user {2}channel added .* channel=c1/);
    const mine = await gangway(folder, ["audit", "list", "--account", account.id, "--from", "1h", "--json"]);
    expect((mine.json() as unknown as { acts: unknown[] }).acts).toHaveLength(1);
    const { out } = await gangway(folder, ["accounts", "list"]);
    expect(out).toContain(account.crmUrl);
    for (const secret of [account.apiKey, account.clientId, account.gatewayToken]) expect(out).not.toContain(secret);
  });
});
