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
  expect(bundled.filter((name) => !new RegExp(`^${name} \\S+ \\(\\S+\\)$`, "m").test(notices))).toEqual([]);
});
