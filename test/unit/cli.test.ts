import { execFile } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { adapters } from "../../src/messengers.ts";
import { settingsOf } from "../../src/settings.ts";
import { temporaryFolder } from "../support/store.ts";

const ROOT = join(import.meta.dirname, "..", "..");

const ended = (cli: string, word: string, env: Record<string, string> = {}) =>
  new Promise<{ code: unknown; out: string; said: string }>((resolve) =>
    execFile(process.execPath, [cli, word], { env: { ...process.env, ...env } }, (error, out, said) =>
      resolve({ code: error?.code, out, said }),
    ),
  );

/** The product alone, as in the image. */
function aloneCli(): string {
  const folder = temporaryFolder();
  for (const part of ["package.json", "dist/cli.js", "dist/runtime.js"]) cpSync(join(ROOT, part), join(folder, part));
  return join(folder, "dist", "cli.js");
}

describe("the command gangway", () => {
  it.each([
    ["sandbox", "install the package gangway-sandbox, or run it in a checkout: npm run sandbox"],
    ["conformance", "run it in a checkout: npm run conformance"],
    ["demo", "install the package gangway-sandbox, or run it in a checkout: npm run demo"],
    ["torture", "run it in a checkout: npm run torture"],
  ])("says how to get %s if it is not installed", async (word, way) => {
    const { code, said } = await ended(aloneCli(), word);
    expect(code).toBe(2);
    expect(said).toContain(way);
  });

  it("takes the name of an object's property for an operator's command", async () => {
    const { code, said } = await ended(join(ROOT, "dist", "cli.js"), "constructor");
    expect(code).toBe(2);
    expect(said).toContain("constructor");
    expect(said).not.toContain("checkout");
  });

  it.each(["cli.js", "main.js"])(
    "%s --help lists the settings with their defaults, and starts nothing",
    async (file) => {
      const secret = "a-token-of-16-letters";
      const { code, out } = await ended(join(ROOT, "dist", file), "--help", { METRICS_TOKEN: secret });
      expect(code).toBe(undefined);
      expect(out).toContain("gangway backup <file>");
      const lines = out.split("\n");
      for (const { name, default: value } of settingsOf(adapters)) {
        const line = lines.find((each) => each.startsWith(`  ${name} `));
        expect(line, name).toContain(value === undefined ? name : `default: ${value})`);
      }
      expect(out).not.toContain(secret);
    },
  );
});
