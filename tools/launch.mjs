// Entry of the npm scripts: installs what is missing, goes on with the Node that the repository brings, builds, then starts a
// built program in this same process, so that signals reach it. Plain JavaScript for any Node from 18 on, because it runs
// before anything is installed.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, realpathSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const inRoot = (...path) => join(ROOT, ...path);
/** Node of tools/runtime, where its packages have one for this platform. */
const BROUGHT_NODE = inRoot("node_modules", ".bin", "node");
/** As in package.json: the oldest that runs Gangway, major and minor. */
const OLDEST_NODE = [22, 19];
/** Programs by the first argument; `words` precede the program's own arguments. */
const PROGRAMS = {
  start: { purpose: "the server", main: "dist/main.js" },
  sandbox: { purpose: "the sandbox CRM", main: "sandbox/dist/main.js" },
  conformance: { purpose: "the conformance run", main: "sandbox/dist/main.js", words: ["conformance"] },
  demo: { purpose: "a sandbox CRM connected to Gangway", main: "sandbox/dist/main.js", words: ["demo"] },
  torture: { purpose: "the torture run", main: "tools/dist/torture/main.js" },
  simulate: { purpose: "the simulation", main: "tools/dist/simulate/main.js" },
  mutate: { purpose: "the mutations", main: "tools/dist/mutate/main.js" },
  bench: { purpose: "the bench", main: "tools/dist/bench/main.js" },
  screenshots: { purpose: "the pictures", main: "tools/dist/screenshots/main.js" },
  measure: { purpose: "the measurements", main: "tools/dist/measure/main.js" },
};
const SETTINGS = ["package.json", "package-lock.json", "tsconfig.json"];
/** Compiled before the product, which imports them. */
const PACKAGES = ["packages", "messengers"]
  .filter((folder) => existsSync(inRoot(folder)))
  .flatMap((folder) => readdirSync(inRoot(folder)).map((name) => `${folder}/${name}`))
  // Another branch may have left its build.
  .filter((folder) => existsSync(inRoot(folder, "tsconfig.build.json")));
const OF_PACKAGES = PACKAGES.flatMap((folder) =>
  ["src", "emulator", "sprite.mjs", "package.json", "tsconfig.build.json"].map((name) => `${folder}/${name}`),
).filter((path) => existsSync(inRoot(path)));
/** None needs another one; those without sources, as in the image, are skipped. */
const BUILDS = [
  {
    what: "the product",
    folder: ".",
    sources: ["src", ...OF_PACKAGES, "tsconfig.build.json", "tools/bundle.mjs", "tools/notices.mjs"],
    packages: PACKAGES,
    steps: [
      ["tsc", "-p", "tsconfig.build.json"],
      ["npm", "run", "-s", "bundle"],
    ],
  },
  {
    what: "the sandbox",
    folder: "sandbox",
    sources: [
      "sandbox/src",
      ...OF_PACKAGES,
      "sandbox/package.json",
      "sandbox/tsconfig.build.json",
      "sandbox/bundle.mjs",
      "tools/notices.mjs",
    ],
    steps: [
      ["tsc", "-p", "sandbox/tsconfig.build.json"],
      ["npm", "run", "-s", "bundle", "-w", "sandbox"],
    ],
  },
  {
    what: "the tools",
    folder: "tools",
    // The tools import types of the product and the sandbox.
    sources: [
      "tools/bench",
      "tools/measure",
      "tools/mutate",
      "tools/screenshots",
      "tools/simulate",
      "tools/torture",
      "tools/chromium.ts",
      "tools/options.ts",
      "tools/postgres-programs.ts",
      "tools/postgres-server.ts",
      "tools/root.ts",
      "tools/tsconfig.build.json",
      "src",
      "sandbox/src",
    ],
    steps: [["tsc", "-p", "tools/tsconfig.build.json"]],
  },
];
/** Interval of a running stage's sign of life. */
const STILL_MS = 10_000;
const SHOWN_LINES = 60;

/** When the first Node began, ms since 1970. */
const handedOver = process.env.LAUNCH_BEGAN;
const BEGAN = Number(handedOver ?? Date.now());
process.env.LAUNCH_BEGAN = String(BEGAN);
const say = (words) =>
  process.stderr.write(`${String(Math.round((Date.now() - BEGAN) / 1000)).padStart(4)} s  ${words}\n`);

/** Exits with the command's output and advice. */
function fail(stage, output, todo) {
  const lines = output.trimEnd().split("\n").slice(-SHOWN_LINES);
  say(`${stage} failed. Output:`);
  process.stderr.write(`\n${lines.join("\n")}\n\n${todo}\n`);
  process.exit(1);
}

/** Commands under way. */
const running = new Set();
// SIGKILL: on SIGTERM npm waits for its children, and a compiler finishes first.
process.on("exit", () => {
  for (const { pid } of running) process.kill(-pid, "SIGKILL");
});
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
const stop = (signal) => process.exit(128 + constants.signals[signal]);

/** Runs a command; resolves with its exit code. It ends with this process. */
function run(command, args, onOutput) {
  // First: a signal may come as soon as the child runs.
  if (running.size === 0) for (const signal of SIGNALS) process.on(signal, stop);
  // Own process group, to kill npm's children too.
  const child = spawn(command, args, { cwd: ROOT, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", onOutput);
  if (child.pid) running.add(child);
  return new Promise((resolve) => {
    const ended = (code) => {
      running.delete(child);
      if (running.size === 0) for (const signal of SIGNALS) process.off(signal, stop);
      resolve(code ?? 1);
    };
    child.on("error", (error) => {
      onOutput(error.message);
      ended(1);
    });
    child.on("close", ended);
  });
}

async function stage(words, command, args, todo) {
  say(`${words}: ${[command, ...args].join(" ")}`);
  let output = "";
  const still = setInterval(() => say(`${words} …`), STILL_MS);
  const code = await run(...programOf(command, args), (text) => {
    output += text;
  });
  clearInterval(still);
  if (code !== 0) fail(words, output, todo);
}

/** Uses the npm that runs this script; other commands come from node_modules. */
function programOf(command, args) {
  const npm = process.env.npm_execpath;
  if (command === "npm") return npm?.endsWith("npm-cli.js") ? [process.execPath, [npm, ...args]] : ["npm", args];
  return [join(ROOT, "node_modules", ".bin", command), args];
}

const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Whether anything had to be installed. */
async function install() {
  if (changedAt(inRoot("node_modules", ".package-lock.json")) > changedAt(inRoot("package-lock.json"))) return false;
  await stage(
    "Installing the packages",
    "npm",
    // No package needs its install script.
    ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=warn"],
    "Check that the registry is reachable (npm ping), then run the same command again.",
  );
  return true;
}

/** Goes on with the brought Node. Where there is none, or it cannot run, this one serves if it is new enough. */
async function useBroughtNode(isNew) {
  if (existsSync(BROUGHT_NODE)) {
    // A new one may be at the path of the one that runs this.
    if (!isNew && realpathSync(BROUGHT_NODE) === realpathSync(process.execPath)) return;
    if ((await run(BROUGHT_NODE, ["--version"], () => {})) === 0) return handOver();
    // Built for another C library, say. Without the link, npm scripts find the machine's own.
    say("The brought Node.js cannot run here: the machine's own goes on");
    rmSync(BROUGHT_NODE);
  }
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  const needed = `Gangway needs Node.js ${OLDEST_NODE.join(".")} or newer; this is ${process.version}`;
  process.stderr.write(
    `${needed}, and the repository brings none that runs here (${process.platform} ${process.arch}). Install Node.js 24.\n`,
  );
  process.exit(1);
}

/** Runs this same command on the brought Node, passes signals on, and ends as it does. */
function handOver() {
  // First: a signal may come as soon as the child runs.
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  const child = spawn(BROUGHT_NODE, process.argv.slice(1), {
    stdio: "inherit",
    env: { ...process.env, PATH: `${inRoot("node_modules", ".bin")}:${process.env.PATH}` },
  });
  return new Promise(() => {
    child.on("close", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
  });
}

/** Newest modification time in a file or folder. */
function newest(path) {
  const entry = statSync(path);
  if (!entry.isDirectory()) return entry.mtimeMs;
  return Math.max(entry.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

async function compile({ what, folder, sources, packages = [], steps }) {
  const stamp = inRoot(folder, "dist", ".built");
  const began = Date.now();
  if (changedAt(stamp) > Math.max(...[...SETTINGS, ...sources].map((path) => newest(inRoot(path))))) return;
  for (const made of [folder, ...packages]) rmSync(inRoot(made, "dist"), { recursive: true, force: true });
  const todo = "The sources do not compile. Check that the working copy is complete (git status).";
  const compiled = packages.map((each) => stage("Compiling", "tsc", ["-p", `${each}/tsconfig.build.json`], todo));
  await Promise.all(compiled);
  for (const [command, ...args] of steps) await stage(`Compiling ${what}`, command, args, todo);
  writeFileSync(stamp, "");
  // Date the stamp before the build, so that later changes are newer.
  utimesSync(stamp, began / 1000, began / 1000);
}

/** Ends this process when its parent dies: a killed parent cannot forward signals. */
function endWithParent() {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, "SIGTERM");
  }, 1_000).unref();
}

const [word = "build"] = process.argv.slice(2);
endWithParent();
const program = PROGRAMS[word];
const then = process.argv.includes("--help") ? "shows the options" : `starts ${program?.purpose}`;
if (!handedOver) say(`This installs and compiles what is missing${program ? `, then ${then}` : ""}`);
await useBroughtNode(await install());
const builds = (word === "start" ? BUILDS.slice(0, 1) : BUILDS).filter(({ sources }) => existsSync(inRoot(sources[0])));
await Promise.all(builds.map(compile));
if (word === "start") {
  say("Starting the server");
  // The environment takes precedence over .env.
  if (existsSync(inRoot(".env"))) process.loadEnvFile(inRoot(".env"));
}
if (program) {
  process.argv.splice(2, 1, ...(program.words ?? []));
  await import(inRoot(program.main));
}
