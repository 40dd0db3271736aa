import { execFileSync, spawn } from "node:child_process";
import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { freePort } from "../../sandbox/src/ports.ts";
import { ROOT } from "../../tools/root.ts";
import { databaseEnv } from "../support/engine.ts";
import { temporaryFolder } from "../support/store.ts";
import { until } from "../support/until.ts";

it("the image's files are few, and run alone", async () => {
  const folder = join(temporaryFolder(), "image");
  execFileSync(process.execPath, [join(ROOT, "tools/pack.mjs"), "--image", folder]);
  const files = globSync("**/*", { cwd: folder }).map((file) => statSync(join(folder, file)));
  const bytes = files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
  expect(bytes).toBeGreaterThan(1024 ** 2);
  expect(bytes).toBeLessThan(25 * 1024 ** 2);
  const data = temporaryFolder();
  const port = await freePort(0);
  const env = { SANDBOX: "1", PORT: `${port}`, DATA_FOLDER: data, ...(await databaseEnv(data)) };
  const main = join(folder, "dist/main.js");
  const server = spawn(process.execPath, [main], { cwd: folder, env, stdio: "ignore" });
  onTestFinished(() => void server.kill("SIGKILL"));
  const ready = () =>
    fetch(`http://127.0.0.1:${port}/health/ready`).then(
      (answer) => answer.ok,
      () => false,
    );
  await until("the server to be ready", ready);
});

it.each([
  ["dist", "dist/server.js"],
  ["sandbox/dist", "sandbox/dist/main.js"],
])("%s has the licence of each package in its bundle", (folder) => {
  const programs = globSync(`${folder}/{,operator/}*.js`, { cwd: ROOT }).map((file) =>
    readFileSync(join(ROOT, file), "utf8"),
  );
  const named = programs.flatMap((text) => [
    ...text.matchAll(/^\/\/ (?:[a-z]+:)?(?:\.\.\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//gm),
  ]);
  const bundled = [...new Set(named.map(([, name]) => name))];
  const notices = readFileSync(join(ROOT, folder, "NOTICES.txt"), "utf8");
  expect(bundled.length).toBeGreaterThan(5);
  expect(notices).not.toContain("has no text of its licence");
  expect(bundled.filter((name) => !new RegExp(`^${name} \\S+ \\(\\S+\\)$`, "m").test(notices))).toEqual([]);
});

it.each([
  ["dist", ["better-sqlite3"]],
  ["sandbox/dist", []],
])("%s has a list of what is inside: each package with its licence and the hash of the lockfile", (folder, beside) => {
  const list = JSON.parse(readFileSync(join(ROOT, folder, "sbom.cdx.json"), "utf8"));
  expect(list).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.5" });
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  expect(list.metadata.component).toMatchObject({ version, licenses: [{ license: { id: "MIT" } }] });
  const notices = readFileSync(join(ROOT, folder, "NOTICES.txt"), "utf8");
  const noticed = [...notices.matchAll(/^(\S+) (\d\S+) \(\S+\)$/gm)].map(([, name, each]) => `${name}@${each}`);
  const listed = list.components.map((each: { name: string; version: string }) => `${each.name}@${each.version}`);
  const isBeside = (each: string) => beside.some((name) => each.startsWith(`${name}@`));
  expect(listed.filter((each: string) => !isBeside(each))).toEqual(noticed.sort());
  expect(listed.filter(isBeside)).toHaveLength(beside.length);
  for (const each of list.components) {
    expect(each.purl).toBe(`pkg:npm/${each.name.replace("@", "%40")}@${each.version}`);
    expect(each.licenses[0].license.id).toMatch(/^[A-Z][\w.-]+$/);
    expect(each.hashes).toEqual([{ alg: "SHA-512", content: expect.stringMatching(/^[0-9a-f]{128}$/) }]);
  }
});
