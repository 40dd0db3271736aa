import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readConfig } from "../../src/config.ts";
import { adapters } from "../../src/messengers.ts";
import { secretsIn, settingsOf } from "../../src/settings.ts";
import { settingsPages } from "../../tools/settings.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

const settings = settingsOf(adapters);

describe("the table of settings", () => {
  it("has each setting once, messengers' own included, with a group and one line of help", () => {
    const names = settings.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
    expect(names).toEqual(expect.arrayContaining(["PORT", "TELEGRAM_API_URL", "META_APP_ID", "DIALOG_360_URL"]));
    for (const { name, help, group } of settings) {
      expect(help, name).toMatch(/^\S.{5,}\S$/);
      expect(group, name).not.toBe("");
    }
  });

  it("names the messengers that share a setting", () => {
    const groupOf = (name: string) => settings.find((each) => each.name === name)?.group;
    expect(groupOf("META_APP_ID")).toBe("WhatsApp, Facebook Messenger, Instagram");
    expect(groupOf("WHATSAPP_API_URL")).toBe("WhatsApp");
  });

  it("marks each secret, whose value no refusal repeats", () => {
    const secrets = settings.filter(({ secret }) => secret).map(({ name }) => name);
    expect(secrets).toEqual([
      "SECRET_KEYS",
      "DATABASE_URL",
      "FILES_S3_SECRET",
      "MODULE_SECRET",
      "PROXIES",
      "METRICS_TOKEN",
      "CONSOLE_TOKEN",
      "EVENTS_SECRET",
      "META_APP_SECRET",
      "META_VERIFY_TOKEN",
      "INSTAGRAM_APP_SECRET",
    ]);
    const looksSecret = settings.filter(({ name }) => /SECRET|TOKEN|PASSWORD/.test(name)).map(({ name }) => name);
    expect(secrets).toEqual(expect.arrayContaining(looksSecret));
    const refused = "sesame";
    for (const name of secrets)
      expect(() => readConfig({ SANDBOX: "1", [name]: refused }, adapters)).toThrow(
        new RegExp(`^(?!.*${refused}).* ${name} should `, "s"),
      );
  });

  it("says what a log must not show: of an address its password only, of a key what follows its id", () => {
    const given = {
      SECRET_KEYS: "k2:AAAA,k1:BBB/",
      DATABASE_URL: "postgres://gangway:open-sesame@db/gangway",
      METRICS_TOKEN: "shop:0123456789",
      META_APP_SECRET: "",
      MODULE_NAME: "Shop",
    };
    expect(secretsIn(given, adapters)).toEqual(["AAAA", "BBB/", "open-sesame", "shop:0123456789"]);
    expect(secretsIn({ DATABASE_URL: "postgresql:///gangway?host=/run/pg" }, adapters)).toEqual([]);
  });
});

describe("what is made from the table", () => {
  it.each(Object.entries(settingsPages()))("%s is up to date: npm run docs:settings", (path, made) => {
    expect(read(path)).toBe(made);
  });

  it("has all settings", () => {
    for (const text of Object.values(settingsPages()))
      for (const { name } of settings) expect(text).toMatch(new RegExp(`^(${name}=|\\| \`${name}\`)`, "m"));
  });
});

/** Names in deployments and documents that other programs read, and Meta's tag. */
const OTHERS = [
  ...[
    "NODE_ENV",
    "NODE_EXTRA_CA_CERTS",
    "SSL_CERT_FILE",
    "PWD",
    "POSTGRES_PASSWORD",
    "POSTGRES_USER",
    "MODEL_SEED",
    "LONG",
    "PICTURES",
    "ARGS",
  ],
  "HUMAN_AGENT",
];

/** Variables that a text sets, passes on or names. */
const variablesIn = (text: string) =>
  [
    ...text.matchAll(
      /\b([A-Z][A-Z\d_]+)=|^ +([A-Z][A-Z\d_]+):|-e ([A-Z][A-Z\d_]+)|\$\{?([A-Z][A-Z\d_]+)|`([A-Z][A-Z\d]*_[A-Z\d_]+)`/gm,
    ),
  ].flatMap((match) => match.slice(1).filter((name) => name !== undefined));

describe("deployments and documents", () => {
  const under = (folder: string) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1));
  const readmes = globSync("messengers/*/README.md", { cwd: ROOT });
  // The tutorial's code has constants of its own.
  const files = ["compose.yaml", "Dockerfile", "README.md", ...under("deploy"), ...under("docs"), ...readmes].filter(
    (file) => !file.endsWith(".png") && file !== "packages/messenger/README.md" && !file.startsWith("docs/pager/"),
  );
  const known = new Set([...settings.map(({ name }) => name), ...OTHERS]);

  it.each(files)("%s names settings that exist", (file) => {
    expect(variablesIn(read(file)).filter((name) => !known.has(name))).toEqual([]);
  });

  it("are searched for names in every place", () => {
    const text = ["A_1=2", "  B_B: x", "-e CC", "$DD", "$" + "{EE:-}", "`F_F`", "`GG`"].join("\n");
    expect(variablesIn(text)).toEqual(["A_1", "B_B", "CC", "DD", "EE", "F_F"]);
  });
});
