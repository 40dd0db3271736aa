import { type ChildProcess, spawn } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { isNoScratch, ROOT } from "../../tools/root.ts";
import { until } from "../support/until.ts";

/** A separate working copy, so that builds do not disturb other tests. */
function workingCopy(parts: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "gangway-launch-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const part of ["package.json", "package-lock.json", "tools", "packages", "messengers", ...parts])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true, preserveTimestamps: true, filter: isNoScratch });
  return folder;
}

/** The same, installed and compiled. */
function builtCopy(): string {
  const folder = workingCopy(["src", "dist", "sandbox", "migrations", "tsconfig.json", "tsconfig.build.json"]);
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const now = Date.now() / 1000;
  for (const part of [".", "sandbox", "tools"]) utimesSync(join(folder, part, "dist", ".built"), now, now);
  return folder;
}

/** All descendants of a process. */
function descendantsOf(pid: number): number[] {
  const parents = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name): [number, number] => {
      try {
        return [Number(name), Number(/^\d+ \(.*\) \w (\d+)/s.exec(readFileSync(`/proc/${name}/stat`, "utf8"))?.[1])];
      } catch {
        return [Number(name), 0];
      }
    });
  const children = (of: number): number[] =>
    parents.filter(([, parent]) => parent === of).flatMap(([child]) => [child, ...children(child)]);
  return children(pid);
}
const isAlive = (pid: number) => {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
};

function npm(folder: string, args: string[], env: Record<string, string> = {}) {
  const given = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", SANDBOX: "1", PORT: "0", ...env };
  const child: ChildProcess = spawn("npm", args, { cwd: folder, env: { ...given, DATA_FOLDER: join(folder, "data") } });
  const said = { out: "" };
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      said.out += text;
    });
  const ended = new Promise<number | null>((resolve) => void child.once("close", resolve));
  onTestFinished(() => void child.kill("SIGKILL"));
  return { pid: child.pid ?? 0, said, ended };
}

const START: [string[], RegExp] = [["start"], /server\.listening/];
const SANDBOX: [string[], RegExp] = [["run", "sandbox", "--", "--port", "0"], /Ctrl-C/];
const DEMO: [string[], RegExp] = [["run", "demo", "--", "--port", "0", "--crm-port", "0"], /Ctrl-C/];
const ENDS: [string, NodeJS.Signals, [string[], RegExp]][] = [
  ["npm start", "SIGTERM", START],
  ["npm start", "SIGINT", START],
  ["npm start", "SIGKILL", START],
  ["npm run sandbox", "SIGTERM", SANDBOX],
  ["npm run demo", "SIGTERM", DEMO],
  ["npm run demo", "SIGKILL", DEMO],
];

describe("a program that npm has started", () => {
  it.each(ENDS)("ends with npm: %s, by %s", async (_, signal, [args, ready]) => {
    const { pid, said, ended } = npm(builtCopy(), args);
    await until("the program", () => ready.test(said.out));
    const all = descendantsOf(pid);
    // After a failure they may be orphans.
    onTestFinished(() => {
      for (const each of all.filter(isAlive)) process.kill(each, "SIGKILL");
    });
    expect(all.length).toBeGreaterThan(0);
    process.kill(pid, signal);
    await until("the end of every process", () => ![pid, ...all].some(isAlive));
    expect(await ended).toBe(signal === "SIGKILL" ? null : 0);
    if (args[0] === "start") expect(said.out).toContain("server.stopped");
  });

  it("ends npm when it exits by itself", async () => {
    const { said, ended } = npm(builtCopy(), ["start"], { SANDBOX: "0" });
    expect(await ended).toBe(1);
    expect(said.out).toContain("SECRET_KEYS is missing");
  });

  it("reads the server's settings from .env, and the environment wins", async () => {
    const folder = builtCopy();
    writeFileSync(join(folder, ".env"), "SANDBOX=0\nLOG_LEVEL=loud\n");
    const { said, ended } = npm(folder, ["start"], { SANDBOX: "1" });
    expect(await ended).toBe(1);
    expect(said.out).toContain("LOG_LEVEL");
    expect(said.out).not.toContain("SECRET_KEYS");
  });

  it("asked for help does not claim to start anything", async () => {
    const { said, ended } = npm(builtCopy(), ["run", "demo", "--", "--help"]);
    expect(await ended).toBe(0);
    expect(said.out).toMatch(/installs and compiles what is missing, then shows the options/);
  });
});

/** Another Node than the brought one: the same file, by another path. */
function ownNode(folder: string): string {
  mkdirSync(join(folder, "own"));
  const file = join(folder, "own", "node");
  copyFileSync(realpathSync(process.execPath), file);
  return file;
}
/** A Node of the repository that says how it was started, and whether it can run at all. */
function bring(folder: string, script: string): void {
  rmSync(join(folder, "node_modules"), { force: true });
  mkdirSync(join(folder, "node_modules", ".bin"), { recursive: true });
  writeFileSync(join(folder, "node_modules", ".package-lock.json"), "{}");
  writeFileSync(join(folder, "node_modules", ".bin", "node"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

describe("the Node that the repository brings", () => {
  const launch = (folder: string, args: string[], prelude: string[] = []) => {
    const child = spawn(ownNode(folder), [...prelude, "tools/launch.mjs", ...args], {
      cwd: folder,
      env: { PATH: "/usr/bin:/bin", HOME: process.env.HOME ?? "" },
    });
    const said = { out: "" };
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        said.out += text;
      });
    const ended = new Promise<number | null>((resolve) => void child.once("close", resolve));
    onTestFinished(() => void child.kill("SIGKILL"));
    return { child, said, ended };
  };

  it("goes on with the command, first in its path, and its exit code is the command's", async () => {
    const folder = workingCopy([]);
    bring(folder, '[ "$1" = --version ] || { echo "$@"; echo "$PATH"; exit 7; }');
    const { said, ended } = launch(folder, ["demo", "--script"]);
    expect(await ended).toBe(7);
    expect(said.out).toMatch(new RegExp(`launch.mjs demo --script\n${folder}/node_modules/.bin:/usr/bin:/bin\n$`));
  });

  it.each(["SIGTERM", "SIGINT"] as const)("is told of %s, and ends first", async (signal) => {
    const folder = workingCopy([]);
    const name = signal.slice(3);
    bring(
      folder,
      `[ "$1" = --version ] && exit; trap 'echo told; exit 3' ${name}; echo up; while :; do sleep 0.05; done`,
    );
    const { child, said, ended } = launch(folder, ["start"]);
    await until("the brought Node", () => said.out.includes("up"));
    child.kill(signal);
    expect(await ended).toBe(3);
    expect(said.out).toContain("told");
  });

  it("goes if it cannot run here, and the machine's own serves", async () => {
    const folder = builtCopy();
    bring(folder, "exit 127");
    const { said, ended } = launch(folder, ["build"]);
    expect(await ended).toBe(0);
    expect(said.out).not.toContain("failed");
    expect(existsSync(join(folder, "node_modules", ".bin", "node"))).toBe(false);
  });

  it("is missed in one line where the machine's own is too old", async () => {
    const folder = workingCopy([]);
    mkdirSync(join(folder, "node_modules"));
    writeFileSync(join(folder, "node_modules", ".package-lock.json"), "{}");
    const old = 'data:text/javascript,Object.defineProperty(process.versions, "node", { value: "20.20.2" })';
    const { said, ended } = launch(folder, ["build"], ["--import", old]);
    expect(await ended).toBe(1);
    expect(said.out.trimEnd().split("\n").at(-1)).toMatch(/needs Node\.js 22\.19 or newer.*Install Node\.js 24\.$/);
  });
});

describe("a fresh working copy", () => {
  it("says at once what it does, and shows a failed step's output", async () => {
    const folder = workingCopy([]);
    mkdirSync(join(folder, "npm"));
    const failing = join(folder, "npm", "npm-cli.js");
    writeFileSync(failing, "console.error(process.argv[2], 'says: no way to the registry'); process.exitCode = 7;");
    const child = spawn(process.execPath, ["tools/launch.mjs", "demo"], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? "", npm_execpath: failing },
    });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    expect(await new Promise((resolve) => child.once("close", resolve))).toBe(1);
    const lines = said.split("\n").map((line) => line.trim());
    expect(lines[0]).toMatch(
      /^\d+ s {2}This installs and compiles what is missing, then starts a sandbox CRM connected to Gangway/,
    );
    expect(lines[1]).toMatch(/^\d+ s {2}Installing the packages: npm ci/);
    expect(lines[2]).toMatch(/^\d+ s {2}Installing the packages failed\. Output:$/);
    expect(said).toContain("ci says: no way to the registry");
    expect(said).toContain("then run the same command again.");
  });
});
