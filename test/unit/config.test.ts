import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import type { ChannelAdapter } from "gangway-messenger/port";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { selfSigned } from "../../sandbox/src/certificate.ts";
import { readConfig as readConfigOf } from "../../src/config.ts";
import { ConfigError } from "../../src/domain/errors.ts";
import { adapters } from "../../src/messengers.ts";
import { bottles } from "../system/contract/toy/bottles.ts";

const KEY = `k1:${Buffer.alloc(32, 1).toString("base64")}`;
const PRODUCTION = { SECRET_KEYS: KEY, PUBLIC_URL: "https://gangway.example.com" };

const readConfig = (env: Record<string, string | undefined>) => readConfigOf(env, adapters);

const faultsOf = (env: Record<string, string>): string[] => {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
  }
  return [];
};

describe("the settings", () => {
  it("need no variables in sandbox mode", () => {
    const config = readConfig({ SANDBOX: "1" });
    expect(config).toMatchObject({ port: 3000, publicUrl: "http://127.0.0.1:3000", dataFolder: "data" });
    expect(config.module.logoUrl).toBe("http://127.0.0.1:3000/logo.svg");
  });

  it("are in .env.example once each, with their defaults", () => {
    const example = readFileSync(join(import.meta.dirname, "..", "..", ".env.example"), "utf8");
    const names = [...example.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name);
    expect(names).toEqual([...new Set(names)]);
    expect(readConfig({ ...parseEnv(example), SANDBOX: "1" })).toEqual(readConfig({ SANDBOX: "1" }));
  });

  it.each([
    ["RETAIN_DONE_DAY", "RETAIN_DONE_DAYS"],
    ["METRIC_PORT", "METRICS_PORT"],
    ["TRUSTED_PROXY", "TRUSTED_PROXIES"],
    ["METAAPP_ID", "META_APP_ID"],
  ])("are recognised although misspelt: %s", (name, meant) => {
    expect(readConfig({ ...PRODUCTION, [name]: "1" }).misspelt).toEqual([{ name, meant }]);
    expect(readConfig({ ...PRODUCTION, [name]: "" }).misspelt).toEqual([]);
  });

  it("are not seen in what other programs read", () => {
    const names = [
      "HOME",
      "HOSTNAME",
      "PWD",
      "LANG",
      "NODE_ENV",
      "NODE_NAME",
      "PORTS_OPEN",
      "IS_SANDBOX",
      "SHELL",
      "TZ",
    ];
    const others = Object.fromEntries(names.map((name) => [name, "x"]));
    expect(readConfig({ ...PRODUCTION, ...others }).misspelt).toEqual([]);
    expect(readConfig({ ...PRODUCTION, TRUSTED_PROXIES: "1", TRUSTED_PROXY: "1" }).misspelt).toEqual([]);
  });

  it("take a database of PostgreSQL only, by a socket, too", () => {
    for (const url of ["postgres://gangway:p@db:6432/gangway?sslmode=require", "postgresql:///gangway?host=/run/pg"])
      expect(readConfig({ ...PRODUCTION, DATABASE_URL: url }).databaseUrl).toBe(url);
    expect(faultsOf({ ...PRODUCTION, DATABASE_URL: "mysql://db/gangway" })).toEqual([
      "DATABASE_URL should be an address such as postgres://gangway@db.example.com/gangway",
    ]);
  });

  it("take a bucket for files as a whole, and with PostgreSQL only", () => {
    const onPostgres = { ...PRODUCTION, DATABASE_URL: "postgres://db/gangway" };
    const bucket = { FILES_S3_URL: "http://minio:9000/files/", FILES_S3_KEY: "k", FILES_S3_SECRET: "a-secret-key" };
    const read = { url: "http://minio:9000/files", keyId: "k", secret: "a-secret-key", region: "us-east-1" };
    expect(readConfig({ ...onPostgres, ...bucket }).bucket).toEqual(read);
    expect(readConfig({ ...onPostgres, FILES_S3_REGION: "eu-central-1" }).bucket).toBeUndefined();
    expect(faultsOf({ ...PRODUCTION, ...bucket })).toEqual([
      "FILES_S3_URL needs DATABASE_URL: on SQLite files are in DATA_FOLDER",
    ]);
    expect(faultsOf({ ...onPostgres, FILES_S3_KEY: "k" })).toEqual([
      "FILES_S3_URL and FILES_S3_SECRET are missing: a bucket for files needs all of FILES_S3_URL, FILES_S3_KEY, FILES_S3_SECRET",
    ]);
    for (const url of ["minio:9000/files", "https://k:s@minio/files", "https://minio/files?x=1", "https://minio/a b"])
      expect(faultsOf({ ...onPostgres, ...bucket, FILES_S3_URL: url })).toEqual([
        "FILES_S3_URL should be the address of a bucket such as https://s3.example.com/bucket, with no user name in it",
      ]);
  });

  it("take the logo from a web address only: a browser's pages and the CRM load it from there", () => {
    for (const url of ["data:image/svg+xml,x", "javascript:alert(1)", "file:///logo.svg", "logo.svg"])
      expect(faultsOf({ ...PRODUCTION, MODULE_LOGO_URL: url })).toEqual([
        "MODULE_LOGO_URL should be the address of an SVG picture",
      ]);
    const url = "https://vendor.example/logo.svg";
    expect(readConfig({ ...PRODUCTION, MODULE_LOGO_URL: url }).module.logoUrl).toBe(url);
  });

  it("that several messengers share are refused once", () => {
    expect(faultsOf({ ...PRODUCTION, META_API_VERSION: "latest" })).toEqual([
      "META_API_VERSION should be a version such as v26.0",
    ]);
  });

  it("of a messenger are read as it declares, and their faults reported with the others", () => {
    const set = { ...PRODUCTION, TELEGRAM_API_URL: "https://proxy.example/telegram/" };
    expect(readConfig(set).messengers.telegram).toEqual({ TELEGRAM_API_URL: "https://proxy.example/telegram" });
    expect(readConfig({ ...PRODUCTION, TELEGRAM_API_URL: "" }).messengers.telegram).toEqual({});
    expect(faultsOf({ ...PRODUCTION, TELEGRAM_API_URL: "proxy", PORT: "eighty" })).toEqual([
      "PORT should be a whole number from 0 to 65535",
      "TELEGRAM_API_URL should be an address such as https://api.telegram.org",
    ]);
  });

  it("turn metrics off unless a port is set, and keep webhooks for three days", () => {
    expect(readConfig(PRODUCTION)).toMatchObject({ rawWebhookDays: 3 });
    expect(readConfig(PRODUCTION).metrics).toBeUndefined();
    const token = "0123456789abcdef";
    const given = { ...PRODUCTION, METRICS_PORT: "9464", METRICS_TOKEN: token, RAW_WEBHOOK_DAYS: "0" };
    expect(readConfig(given)).toMatchObject({ metrics: { host: "127.0.0.1", port: 9464, token }, rawWebhookDays: 0 });
    expect(faultsOf({ ...PRODUCTION, METRICS_TOKEN: "short" })).toHaveLength(1);
  });

  it("open no console without a token", () => {
    const console = { CONSOLE_PORT: "9465", CONSOLE_TOKEN: "the-token-of-the-console-is-long-enough" };
    expect(readConfig({ ...PRODUCTION, ...console }).console).toEqual({
      ...{ host: "127.0.0.1", port: 9465, token: console.CONSOLE_TOKEN },
    });
    expect(faultsOf({ ...PRODUCTION, CONSOLE_PORT: "9465" })).toEqual([
      expect.stringMatching(/^CONSOLE_TOKEN is missing: .*openssl rand -hex 32$/),
    ]);
    expect(faultsOf({ ...PRODUCTION, ...console, CONSOLE_TOKEN: "short" })).toHaveLength(1);
    expect(readConfig(PRODUCTION).console).toBeUndefined();
  });

  it("tell the vendor's system nothing without an address and a secret, and outside the sandbox over https alone", () => {
    const secret = `whsec_${Buffer.alloc(32, 5).toString("base64")}`;
    const events = { EVENTS_URL: "https://vendor.example/events?of=us", EVENTS_SECRET: secret };
    const read = readConfig({ ...PRODUCTION, ...events });
    expect(read.events).toEqual({ url: events.EVENTS_URL, key: Buffer.alloc(32, 5) });
    expect(readConfig(PRODUCTION).events).toBeUndefined();
    expect(faultsOf({ ...PRODUCTION, EVENTS_URL: events.EVENTS_URL })).toEqual([
      expect.stringMatching(/^EVENTS_SECRET is missing: /),
    ]);
    expect(faultsOf({ ...PRODUCTION, EVENTS_SECRET: secret })).toEqual([
      expect.stringMatching(/^EVENTS_URL is missing/),
    ]);
    const short = `whsec_${Buffer.alloc(23).toString("base64")}`;
    for (const wrong of [secret.slice(6), short, `whsec_${Buffer.alloc(65).toString("base64")}`, "whsec_%"])
      expect(faultsOf({ ...PRODUCTION, ...events, EVENTS_SECRET: wrong })).toEqual([
        expect.stringMatching(/^EVENTS_SECRET should be whsec_/),
      ]);
    for (const wrong of ["http://vendor.example", "https://vendor.example:8443", "https://me:pw@vendor.example"])
      expect(faultsOf({ ...PRODUCTION, ...events, EVENTS_URL: wrong })).toEqual([
        "EVENTS_URL should begin with https://, without a port and a user name",
      ]);
    const local = { ...events, EVENTS_URL: "http://127.0.0.1:8080/events" };
    expect(readConfig({ SANDBOX: "1", ...local }).events?.url).toBe(local.EVENTS_URL);
  });

  it("let other machines read metrics only with a token", () => {
    const given = (METRICS_HOST: string, METRICS_TOKEN = "") =>
      faultsOf({ ...PRODUCTION, METRICS_PORT: "9464", METRICS_HOST, METRICS_TOKEN });
    for (const host of ["0.0.0.0", "::", "10.0.0.5", "192.168.127.1", "127.example.com", "metrics.internal"]) {
      expect(given(host)).toEqual([expect.stringMatching(/^METRICS_TOKEN is missing: .*openssl rand -hex 32$/)]);
      expect(given(host, "0123456789abcdef")).toEqual([]);
    }
    for (const host of ["", "127.0.0.1", "127.1.2.3", "::1", "localhost"]) expect(given(host)).toEqual([]);
    // Without a port nothing serves them.
    expect(faultsOf({ ...PRODUCTION, METRICS_HOST: "0.0.0.0" })).toEqual([]);
  });

  it("send plain texts to the gateway unless its notation is set", () => {
    expect(readConfig(PRODUCTION).markup).toBe("none");
    expect(readConfig({ ...PRODUCTION, GATEWAY_MARKUP: "markdown" }).markup).toBe("markdown");
    expect(faultsOf({ ...PRODUCTION, GATEWAY_MARKUP: "html" })).toEqual(["GATEWAY_MARKUP should be none or markdown"]);
  });

  it("require a key ring and a public address outside the sandbox", () => {
    const faults = faultsOf({});
    expect(faults).toHaveLength(2);
    expect(faults[0]).toMatch(/^SECRET_KEYS is missing.*echo "k1:\$\(openssl rand -base64 32\)"/);
    expect(faults[1]).toMatch(/^PUBLIC_URL is missing/);
    expect(faultsOf(PRODUCTION)).toEqual([]);
  });

  it("report every fault at once, by name, with what it should be", () => {
    const faults = faultsOf({
      ...PRODUCTION,
      PORT: "eighty",
      LOG_LEVEL: "loud",
      SECRET_KEYS: "k1:c2hvcnQ=",
      PUBLIC_URL: "gangway.example.com/path",
      MODULE_CODE: "my module",
      CRM_HOSTS: "https://crm",
      CALLS: "0",
    });
    expect(faults.map((fault) => fault.split(" ")[0]).sort()).toEqual([
      "CALLS",
      "CRM_HOSTS",
      "LOG_LEVEL",
      "MODULE_CODE",
      "PORT",
      "PUBLIC_URL",
      "SECRET_KEYS",
    ]);
    for (const fault of faults) expect(fault).toMatch(/ should be /);
    expect(faults.join()).not.toContain("c2hvcnQ=");
  });

  it("set how many days data is kept", () => {
    const { retainDays, rawWebhookDays } = readConfig({
      ...PRODUCTION,
      RETAIN_AUDIT_DAYS: "30",
      RAW_WEBHOOK_DAYS: "0",
    });
    expect(retainDays).toEqual({ settled: 7, dedupe: 90, dead: 90, audit: 30, journal: 365, notes: 90 });
    expect(rawWebhookDays).toBe(0);
    const faults = faultsOf({ ...PRODUCTION, RETAIN_DEDUPE_DAYS: "1", RETAIN_DONE_DAYS: "0" });
    expect(faults.map((fault) => fault.split(" ")[0])).toEqual(["RETAIN_DONE_DAYS", "RETAIN_DEDUPE_DAYS"]);
  });

  it("keep no webhook where no contents are kept, and refuse to be told to", () => {
    expect(readConfig(PRODUCTION)).toMatchObject({ keepContents: true, rawWebhookDays: 3 });
    for (const more of [{}, { RAW_WEBHOOK_DAYS: "0" }, { RAW_WEBHOOK_DAYS: "" }]) {
      const config = readConfig({ ...PRODUCTION, KEEP_CONTENTS: "0", ...more });
      expect(config).toMatchObject({ keepContents: false, rawWebhookDays: 0 });
    }
    expect(faultsOf({ ...PRODUCTION, KEEP_CONTENTS: "false", RAW_WEBHOOK_DAYS: "3" })).toEqual([
      "RAW_WEBHOOK_DAYS should be 0, or not set, with KEEP_CONTENTS=0: webhooks hold the contents of messages",
    ]);
    expect(faultsOf({ ...PRODUCTION, KEEP_CONTENTS: "no" })).toEqual(["KEEP_CONTENTS should be 1 or 0"]);
  });

  it("treat an empty variable as absent and ignore a trailing slash", () => {
    const config = readConfig({ ...PRODUCTION, PUBLIC_URL: "https://gangway.example.com/", PORT: "", CRM_HOSTS: "" });
    expect(config.port).toBe(3000);
    expect(config.publicUrl).toBe("https://gangway.example.com");
    expect(config.crmHosts).toContain("*.simla.com");
  });

  it("accept several keys in order", () => {
    const two = `${KEY},k2:${Buffer.alloc(32, 2).toString("base64")}`;
    expect(readConfig({ ...PRODUCTION, SECRET_KEYS: two }).keyRing.keys.map((key) => key.id)).toEqual(["k1", "k2"]);
    expect(faultsOf({ ...PRODUCTION, SECRET_KEYS: `${KEY},${KEY}` })).toHaveLength(1);
  });

  it("refuse plain http as public address outside the sandbox", () => {
    expect(faultsOf({ ...PRODUCTION, PUBLIC_URL: "http://gangway.example.com" })[0]).toMatch(/https/);
  });

  it("read the authorities that a messenger's setting names, for its hosts alone", () => {
    const folder = mkdtempSync(join(tmpdir(), "gangway-config-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [good, bad] = [join(folder, "good.pem"), join(folder, "bad.pem")];
    const { cert } = selfSigned(["pager.example"], Date.now());
    writeFileSync(good, cert);
    writeFileSync(bad, "no certificate");
    const serverSettings = z.object({ PAGER_CA_FILE: z.string().optional().describe("Its authorities.") });
    const caFile = (server: { PAGER_CA_FILE?: string }) => server.PAGER_CA_FILE;
    const pager = { ...bottles, kind: "pager", hosts: ["pager.example"], serverSettings, caFile } as ChannelAdapter;
    const given = (file?: string) => readConfigOf({ SANDBOX: "1", PAGER_CA_FILE: file }, [pager]).authorities;
    expect(given()).toEqual([]);
    expect(given(good)).toEqual([{ hosts: ["pager.example"], pem: cert }]);
    for (const file of [bad, join(folder, "none.pem")])
      expect(() => given(file)).toThrow(`${file} should be a file with certificates`);
  });
});
