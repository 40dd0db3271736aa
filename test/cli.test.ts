import { execFile } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "./support/store.ts";

const ROOT = join(import.meta.dirname, "..");

const ended = (cli: string, word: string) =>
  new Promise<{ code: unknown; said: string }>((resolve) =>
    execFile(process.execPath, [cli, word], (error, _, said) => resolve({ code: error?.code, said })),
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
    ["demo", "run it in a checkout: npm run demo"],
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
});
