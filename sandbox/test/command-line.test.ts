import { execFile, spawn } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";

const CLI = join(import.meta.dirname, "..", "..", "dist", "cli.js");

/** Exit code and stderr of a command that cannot start. */
const ended = (...args: string[]) =>
  new Promise<{ code: unknown; said: string }>((resolve) =>
    execFile(process.execPath, [CLI, ...args], (error, _, said) => resolve({ code: error?.code, said })),
  );

function takenPort(): Promise<number> {
  const server = createServer();
  onTestFinished(() => void server.close());
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port)),
  );
}

describe("the sandbox's command line", () => {
  it.each([
    [["sandbox", "--prot", "1"], "sandbox: Unknown option '--prot'; see --help\n"],
    [["sandbox", "replya"], "sandbox: unknown command replya; see --help\n"],
    [["sandbox", "--port", "99999"], /--port 99999 is not a port: .*65535; see --help\n$/],
    [["demo", "--crm-port", "seven"], /--crm-port seven is not a port/],
    [["sandbox", "torture"], /--messenger <folder> is required; see --help\n$/],
    [["sandbox", "torture", "--messenger", ".", "--seconds", "x"], /--seconds x is no number of seconds/],
  ])("points at the help and ends with 2 where it is not understood: %j", async (args, words) => {
    const { code, said } = await ended(...args);
    expect(code).toBe(2);
    expect(said).toMatch(words);
  });

  it("prints addresses that exist", async () => {
    const child = spawn(process.execPath, [CLI, "sandbox", "--port", "0"]);
    const ended = new Promise((resolve) => child.once("exit", resolve));
    onTestFinished(async () => {
      child.kill();
      await ended;
    });
    let said = "";
    for await (const part of child.stdout) {
      said += String(part);
      if (said.includes("Stop with")) break;
    }
    // The Bot API's root and the registration's form are no pages.
    const pages = [...said.matchAll(/http:\/\/[\d.:]+\/[\w/-]*(?![\w/{-])/g)].map(([url]) => url);
    const unknown = await Promise.all(
      pages.filter((url) => !/\/(telegram|edit)$/.test(url)).map(async (url) => [(await fetch(url)).status, url]),
    );
    expect(unknown.filter(([status]) => status !== 200)).toEqual([]);
    expect(unknown.map(([, url]) => new URL(String(url)).pathname)).toContain("/inbox");
  });

  it("says in words that a port is taken", async () => {
    const port = await takenPort();
    const { code, said } = await ended("sandbox", "--port", String(port));
    expect(code).toBe(1);
    expect(said).toBe(`sandbox: port ${port} is taken; choose another --port, or 0 for a free one\n`);
  });
});
