import { execFileSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { describe, expect, it } from "vitest";
import { readConfig } from "../../../src/config.ts";
import { runCommand } from "../../../src/operator/run.ts";
import { temporaryFolder } from "../../support/store.ts";

const GIVEN = ["--public-url", "https://chats.example.com", "--module-code", "chats"];

/** Runs the command with answers of a person, if there is one. */
async function run(args: string[], answers?: string[]) {
  const file = join(temporaryFolder(), "settings.env");
  const asked: string[] = [];
  let [out, err] = ["", ""];
  const code = await runCommand(["init", "--file", file, ...args], {
    env: {},
    write: (text) => {
      out += text;
    },
    complain: (text) => {
      err += text;
    },
    ...(answers && {
      ask: async (question) => {
        asked.push(question);
        return answers.shift() ?? "";
      },
    }),
  });
  return { code, out, err, file, asked };
}

describe("the first settings", () => {
  it("are taken by the server, have keys of their own, and are for their owner's eyes", async () => {
    const [one, other] = [await run(GIVEN), await run(GIVEN)];
    expect(one.code, one.err).toBe(0);
    const settings = parseEnv(readFileSync(one.file, "utf8"));
    const config = readConfig(settings, []);
    expect([config.publicUrl, config.module.code, config.host]).toEqual([
      "https://chats.example.com",
      "chats",
      "127.0.0.1",
    ]);
    expect(config.console?.token).toHaveLength(64);
    expect(parseEnv(readFileSync(other.file, "utf8")).SECRET_KEYS).not.toBe(settings.SECRET_KEYS);
    expect(statSync(one.file).mode & 0o777).toBe(0o600);
    for (const secret of [settings.SECRET_KEYS, settings.CONSOLE_TOKEN]) expect(one.out).not.toContain(secret);
  });

  it("are read alike by a shell and by the server, whatever the folder's name", async () => {
    const folder = "/var/lib/gang way $x";
    const { file } = await run([...GIVEN, "--data-folder", folder]);
    expect(parseEnv(readFileSync(file, "utf8")).DATA_FOLDER).toBe(folder);
    const sourced = execFileSync("sh", ["-c", `. ${file}; printf %s "$DATA_FOLDER"`], { encoding: "utf8" });
    expect(sourced).toBe(folder);
    const refused = await run([...GIVEN, "--data-folder", "/var/o'brien"]);
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining("--data-folder should have no apostrophe"),
    ]);
  });

  it("are asked for at a terminal, and named without one", async () => {
    const asked = await run([], ["https://chats.example.com/", "chats"]);
    expect([asked.code, asked.asked.length]).toEqual([0, 2]);
    const mute = await run(["--public-url", "https://chats.example.com"]);
    expect([mute.code, mute.err]).toEqual([2, expect.stringContaining("--module-code is missing")]);
  });

  it("leave a file that exists alone, and write none with a wrong value", async () => {
    const file = join(temporaryFolder(), "own.env");
    writeFileSync(file, "PORT=1\n");
    const again = await run([...GIVEN, "--file", file]);
    expect([again.code, again.out + again.err]).toEqual([1, expect.stringContaining("exists: nothing was changed")]);
    expect(readFileSync(file, "utf8")).toBe("PORT=1\n");
    const wrong = await run(["--public-url", "http://chats.example.com/path", "--module-code", "chats"]);
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining("PUBLIC_URL should be")]);
    expect(() => statSync(wrong.file)).toThrow("ENOENT");
  });

  it.each(["nginx", "caddy"])("come with the lines of %s for this address", async (proxy) => {
    const { code, out } = await run([...GIVEN, "--proxy", proxy]);
    expect([code, out.includes("chats.example.com"), out.includes("gangway.example.com")]).toEqual([0, true, false]);
    expect((await run([...GIVEN, "--proxy", "apache"])).code).toBe(2);
  });
});
