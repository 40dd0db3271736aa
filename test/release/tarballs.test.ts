import { execFile, spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startServer } from "gangway-sandbox/demo/server";
import { addWebChat, connectThroughForm } from "gangway-sandbox/demo/set-up";
import { enterShop } from "gangway-sandbox/demo/visitor";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { freePort } from "../../sandbox/src/ports.ts";
import { ROOT } from "../../tools/root.ts";
import { agentAnswers, runningProgram } from "../support/outside-program.ts";
import { temporaryFolder } from "../support/store.ts";
import { until } from "../support/until.ts";
import { begunOutside } from "../tools/outside.ts";

/** Of the server's package without what npm installs for it. */
const MAX_FILES = 140;
const MAX_BYTES = 12 * 1024 ** 2;
const MAX_TARBALL_BYTES = 3 * 1024 ** 2;

/** What a machine has that never saw this checkout. */
const ENV = { PATH: process.env.PATH ?? "", HOME: temporaryFolder(afterAll) };
const hasRegistry = spawnSync("npm", ["ping"], { timeout: 60_000 }).status === 0;
const machine = join(temporaryFolder(afterAll), "machine");
const installed = (...path: string[]) => join(machine, "node_modules", ...path);
const read = (...path: string[]) => readFileSync(installed(...path), "utf8");

interface Ran {
  code: number;
  said: string;
}
const run = (cwd: string, program: string, args: string[], env: Record<string, string> = {}) =>
  new Promise<Ran>((resolve) => {
    const options = { cwd, env: { ...ENV, ...env }, maxBuffer: 64 * 1024 ** 2 };
    execFile(program, args, options, (error, out, wrong) =>
      resolve({ code: Number(error?.code ?? 0), said: out + wrong }),
    );
  });

/** Runs it; returns what it says. Throws unless it succeeds. */
async function runs(...given: Parameters<typeof run>): Promise<string> {
  const { code, said } = await run(...given);
  expect(code, said).toBe(0);
  return said;
}

const bin = (name: string) => installed(".bin", name);
const npm = async (cwd: string, ...args: string[]) => runs(cwd, "npm", args, process.env as Record<string, string>);
const INSTALL = ["install", "--no-audit", "--no-fund", "--ignore-scripts"];

const running = (args: string[], word: string) =>
  runningProgram(bin("gangway-sandbox"), args, { cwd: machine, env: ENV }, word);

describe.skipIf(!hasRegistry)("tarballs in an empty folder (skipped where npm's registry cannot be reached)", () => {
  let pager: Awaited<ReturnType<typeof begunOutside>>;
  let tarballs: string[];
  beforeAll(async () => {
    pager = await begunOutside("pager");
    cpSync(join(ROOT, "docs", "pager"), pager.folder, { recursive: true });
    await npm(pager.folder, ...INSTALL);
    await npm(pager.folder, "run", "prove");
    await npm(pager.folder, "run", "build");
    await npm(pager.folder, "pack");
    tarballs = globSync("{vendor/,}*.tgz", { cwd: pager.folder }).map((file) => join(pager.folder, file));
    mkdirSync(machine);
    writeFileSync(join(machine, "package.json"), "{}");
    await npm(machine, ...INSTALL, ...tarballs);
  });
  afterAll(() => pager?.remove());

  const OURS = ["gangway-messenger", "gangway-pager", "gangway-sandbox", "gangway-server"];

  it("are all that is installed, besides packages of the registry", () => {
    expect(globSync("gangway-*", { cwd: installed() }).sort()).toEqual(OURS);
    for (const name of OURS) expect(realpathSync(installed(name))).toBe(join(realpathSync(installed()), name));
  });

  it.each(["gangway-messenger", "gangway-sandbox", "gangway-server"])("of %s hold its licence", (name) => {
    expect(read(name, "LICENSE")).toBe(readFileSync(join(ROOT, "LICENSE"), "utf8"));
  });

  it.each(["gangway-sandbox", "gangway-server"])("of %s hold the licence of each package in its bundle", (name) => {
    const { components } = JSON.parse(read(name, "dist", "sbom.cdx.json")) as {
      components: { name: string; version: string }[];
    };
    const notices = read(name, "dist", "NOTICES.txt");
    const isInstalled = (component: string) => existsSync(installed(component, "LICENSE"));
    const lacking = components.filter(
      (each) => !notices.includes(`\n${each.name} ${each.version} (`) && !isInstalled(each.name),
    );
    expect(components.length).toBeGreaterThan(5);
    expect(lacking).toEqual([]);
  });

  it("of the server hold only what runs", () => {
    const files = globSync("**/*", { cwd: installed("gangway-server"), exclude: ["node_modules"] }).filter((file) =>
      statSync(installed("gangway-server", file)).isFile(),
    );
    const bytes = files.reduce((sum, file) => sum + statSync(installed("gangway-server", file)).size, 0);
    expect(files.length).toBeLessThan(MAX_FILES);
    expect(bytes).toBeLessThan(MAX_BYTES);
    expect(statSync(tarballs.find((file) => file.includes("gangway-server")) ?? "").size).toBeLessThan(
      MAX_TARBALL_BYTES,
    );
    const isOf = /^(LICENSE|README\.md|package\.json|dist\/.*|migrations\/.*|deploy\/.*|docs\/.*\.md)$/;
    expect(
      files.filter((file) => !isOf.test(file) || /\.(ts|tsx|map|tgz)$|(^|[./])test\b|_snapshot/.test(file)),
    ).toEqual([]);
  });

  it("run a server that carries messages both ways, and a doctor that finds no fault", async () => {
    const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(await running(["--port", "0"], "Stop with Ctrl-C"))?.[0] ?? "";
    const [file, dataFolder, port] = [join(machine, "gangway.env"), join(machine, "data"), await freePort(0)];
    const init = ["--public-url", "https://gangway.example.com", "--module-code", "shop-chats"];
    await runs(machine, bin("gangway"), ["init", "--file", file, "--data-folder", dataFolder, ...init]);
    const settings = Object.fromEntries(
      [...readFileSync(file, "utf8").matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]),
    );
    const ports = { METRICS_PORT: `${await freePort(0)}`, CONSOLE_PORT: `${await freePort(0)}` };
    const env = { ...ENV, ...settings, ...ports, MESSENGERS: "gangway-pager" };
    const main = installed("gangway-server", "dist", "main.js");
    const server = await startServer({ port, dataFolder, env, main });
    onTestFinished(() => server.kill("SIGKILL"));
    const visit = await connectThroughForm(server.origin, origin, "sandbox-key");
    const { channel } = await addWebChat(visit);
    const visitor = await enterShop(`${server.origin}/m/${channel}`);
    onTestFinished(() => visitor.leave());
    await visitor.say({ text: "ahoy" });
    await agentAnswers(origin, "ahoy", "hello, sailor");
    await until("the answer", () => visitor.messages().some(({ text }) => text === "hello, sailor"));
    const own = { ...env, SANDBOX: "1", PORT: `${port}`, PUBLIC_URL: server.origin };
    const doctor = JSON.parse(await runs(machine, bin("gangway"), ["doctor", "--json"], own));
    expect(doctor.ok, JSON.stringify(doctor)).toBe(true);
    expect(await runs(machine, bin("gangway"), ["messengers"], own)).toMatch(/pager/);
    await server.kill("SIGTERM");
    await runs(machine, bin("gangway"), ["verify"], own);
  });

  it("run a messenger of a stranger's in the demo", async () => {
    const args = ["demo", "--messenger", installed("gangway-pager"), "--port", "0", "--crm-port", "0"];
    const [address = "", origin = ""] = /(http:\S+)\/pager\/phone/.exec(await running(args, "Ctrl-C")) ?? [];
    await fetch(address, { method: "POST", body: new URLSearchParams({ text: "ahoy" }) });
    await agentAnswers(origin, "ahoy", "hello, sailor");
    await until("the answer on the pager", async () =>
      (await (await fetch(`${address}/messages`)).text()).includes("hello, sailor"),
    );
  });

  it("run the kit: the contract test of a messenger, and its command", async () => {
    expect(await npm(pager.folder, "test")).toMatch(/Tests .*passed/);
    expect(await runs(machine, bin("gangway-kit"), ["--help"])).toContain("gangway-kit level");
  });
});
