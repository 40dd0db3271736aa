import { describe, expect, it } from "vitest";
import { adapters } from "../src/channels/registry.ts";
import { readConfig } from "../src/config.ts";
import { settingsOf } from "../src/settings.ts";

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
      "METRICS_TOKEN",
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
});
