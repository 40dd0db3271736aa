import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { SANDBOX_KEY } from "../../sandbox/src/crm/rights.ts";
import { VARIANTS } from "../../sandbox/src/unknowns.ts";
import { agentAt, CODE, probedAccount, probing } from "../support/probe.ts";
import { combined, faultsOf, GROUPS } from "../support/probed-unknowns.ts";
import { temporaryFolder } from "../support/store.ts";

it.each(GROUPS)(
  "confirms what the sandbox does by default, and contradicts what it does otherwise: $only",
  async (group) => {
    // At the same time: each waits more than it computes.
    const runs = [{}, ...combined(group, VARIANTS)].map((settings) => faultsOf(group, settings));
    expect((await Promise.all(runs)).flat()).toEqual([]);
  },
);

it("tells of webhooks whether they wait for each other, and of messages how large they may be", async () => {
  const { also } = await probing(await probedAccount({}, 10), { args: ["--only", "texts,parallel,limits,messages"] });
  expect(Object.fromEntries(also.map(({ about, seen }) => [about, seen]))).toMatchObject({
    "an agent's text": "comes as written",
    "webhooks of one chat": "wait for each other",
    "webhooks of several chats": "wait for each other",
    "a text of 65535 characters": "taken (200)",
    "a text of 65536 characters": "refused (400)",
    "20 items": "taken (200)",
    "21 items": "refused (400)",
    "an external_id is known": "in the whole channel: another chat's answers 400",
  });
});

/** The command as a process, with somebody in the CRM. Stopped once it tells a line that matches. */
async function stopped(stopAt: RegExp, signal: NodeJS.Signals) {
  const account = await probedAccount();
  const folder = temporaryFolder();
  const keyFile = join(folder, "key");
  writeFileSync(keyFile, SANDBOX_KEY);
  const agent = agentAt(account);
  const given = ["--crm", account.origin, "--key-file", keyFile, "--out", join(folder, "out"), "--yes"];
  const args = ["--conditions=source", "src/cli.ts", "probe", ...given, "--only", "messages,repeats"];
  const child = spawn(process.execPath, args, { env: { ...process.env, SANDBOX: "1" }, stdio: "pipe" });
  let [out, told] = ["", ""];
  child.stdout.on("data", (bytes) => {
    out += bytes;
  });
  child.stderr.on("data", (bytes) => {
    told += bytes;
    for (const line of String(bytes).split("\n")) void agent.does(line);
    if (stopAt.test(String(bytes))) setTimeout(() => child.kill(signal), 1_000);
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  return { account, code, out, told };
}

it.each(["SIGINT", "SIGTERM"] as const)(
  "takes away its channel and its module on %s, and tells what is left",
  async (signal) => {
    const { account, code, out, told } = await stopped(/Is refused with 500/, signal);
    const { channels, modules } = account.sandbox.world;
    expect([...channels.values()].map(({ active }) => active)).toEqual([false]);
    expect(modules.get(CODE)?.active).toBe(false);
    expect([code, told]).toEqual([1, expect.stringContaining("Interrupted")]);
    expect(out).toContain("its channel, deactivated");
    expect(out).toContain("the module gangway-probe, switched off");
  },
);
