import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Call } from "gangway-messenger/call";
import type { Clock } from "gangway-messenger/clock";
import { callFrom } from "gangway-messenger/kit/call";
import { createClock } from "gangway-messenger/kit/emulator/clock";
import { onTestFinished } from "vitest";
import { SANDBOX_KEY } from "../../sandbox/src/crm/rights.ts";
import { createSandbox, type Sandbox } from "../../sandbox/src/sandbox.ts";
import { serveSandbox } from "../../sandbox/src/serve.ts";
import type { Unknowns } from "../../sandbox/src/unknowns.ts";
import { createOutgoing } from "../../src/calls/outgoing.ts";
import { readConfig } from "../../src/config.ts";
import { type CommandContext, parseArguments } from "../../src/operator/command.ts";
import { probe } from "../../src/operator/probe/probe.ts";
import type { Unknown } from "../../src/operator/probe/unknowns.ts";
import { handClock } from "./clock.ts";
import { temporaryFolder } from "./store.ts";

export const CODE = "gangway-probe";
const TICK_MS = 15;
const STEP_MS = 10;

export interface ProbedAccount {
  origin: string;
  sandbox: Sandbox;
  clock: Clock;
  call: Call;
  /** Calls of the inbox and of the control API, with an agent's token. */
  ask(method: string, path: string, body?: unknown): Promise<unknown>;
  /** How many times as fast as ours the time goes from now on, for sandbox and probe. */
  pace(speed: number): void;
}

/** An account for a probe. */
export async function probedAccount(settings: Partial<Unknowns> = {}, speed = 1): Promise<ProbedAccount> {
  const running = await serveSandbox({ port: 0, settings });
  const own = createClock(Date.now);
  const outgoing = createOutgoing({ allowLoopback: true });
  const ask = asker(running);
  let [calls, isOver] = [0, false];
  const call: Call = async (request) => {
    calls += 1;
    return outgoing.call(request).finally(() => {
      calls -= 1;
    });
  };
  const go = async () => {
    while (!isOver) {
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
      const jumpMs = TICK_MS * (speed - 1);
      if (calls > 0 || jumpMs === 0) continue;
      own.jump(jumpMs);
      await ask("POST", "/sandbox/clock", { jumpMs });
    }
  };
  void go();
  onTestFinished(async () => {
    isOver = true;
    own.stop();
    await running.close();
    await outgoing.close();
  });
  const clock: Clock = { now: own.now, monotonic: own.now, after: own.after };
  const pace = (next: number) => {
    speed = next;
  };
  return { ...running, clock, call, ask, pace };
}

/** One without sockets, whose time stands still while somebody computes: for rates. No webhook gets out of it. */
export function stillAccount(settings: Partial<Unknowns> = {}): ProbedAccount {
  let [calls, isOver] = [0, false];
  const clock = handClock(Date.UTC(2026, 0, 1), () => calls > 0);
  const origin = "http://127.0.0.1:7001";
  const sandbox = createSandbox({ origin: () => origin, now: clock.now, settings });
  const within = callFrom(sandbox);
  const call: Call = async (request) => {
    calls += 1;
    return within(request).finally(() => {
      calls -= 1;
    });
  };
  const go = async () => {
    while (!isOver) await clock.forward(STEP_MS);
  };
  void go();
  onTestFinished(() => {
    isOver = true;
    sandbox.stop();
  });
  return { origin, sandbox, clock, call, ask: asker({ sandbox, origin }), pace: () => {} };
}

const asker = ({ sandbox, origin }: Pick<ProbedAccount, "sandbox" | "origin">) => {
  const token = () => [...sandbox.world.users.values()][0]?.token ?? "";
  return async (method: string, path: string, body?: unknown) => {
    const headers = { "content-type": "application/json", "x-bot-token": token() };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const answer = await sandbox.fetch(new Request(origin + path, init), {});
    return (await answer.json().catch(() => undefined)) as unknown;
  };
};

/** Often: the time may go fast. */
async function once(look: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await look())) await new Promise((resolve) => setTimeout(resolve, 8));
}

/** Somebody in the CRM, who does what the probe says, and sees what the inbox shows. */
export function agentAt({ sandbox, ask }: ProbedAccount) {
  const { world } = sandbox;
  const unknowns = async () => (await ask("GET", "/sandbox/settings")) as Unknowns;
  const chatOf = (letter: string) => {
    const customer = [...world.customers.values()].find(({ nickname }) => nickname === `Gangway probe ${letter}`);
    return [...world.chats.values()].find(({ customerId }) => customerId === customer?.id)?.id;
  };
  const say = (letter: string, content: string) =>
    ask("POST", "/api/bot/v1/messages", { chat_id: chatOf(letter), scope: "public", content });
  const lastSaid = () => world.messages.findLast(({ from }) => from.type === "user");
  const level = async () =>
    ((await ask("GET", "/api/bot/v1/chats")) as { id: number; waiting_level: string }[]).find(
      ({ id }) => id === chatOf("B"),
    )?.waiting_level;
  const openPage = async () => {
    const { registration } = world.modules.get(CODE) ?? {};
    const home = await (await sandbox.fetch(new Request("http://sandbox/"), {})).text();
    const into = home.includes("<iframe") ? "iframe" : "document";
    const body = new URLSearchParams({ clientId: registration?.clientId ?? "" });
    await fetch(registration?.accountUrl ?? "", { method: "POST", body, headers: { "sec-fetch-dest": into } });
  };
  const write = async (letter: string, how: string, text: string) => {
    const isBold = how.includes("bold") && (await unknowns()).markup === "markdown";
    await say(letter, isBold ? `**${text}**` : text);
    if (text !== "1") return;
    await say("A", "2");
    await say("B", "3");
  };
  return {
    async does(line: string): Promise<void> {
      const [, letter = "", how = "", text = ""] = /in the chat "Gangway probe (\w)", (.*?): (.*)$/.exec(line) ?? [];
      if (letter) await write(letter, how, text);
      if (/open the chat/.test(line)) await ask("POST", `/sandbox/agent/chats/${chatOf("B")}/read`);
      if (/open the page/.test(line)) await openPage();
      const [, way] = /switch the module "Gangway probe" (on|off)/.exec(line) ?? [];
      if (way) await ask("POST", "/sandbox/activity", { code: CODE, active: way === "on", freeze: false });
    },
    async answers(question: string): Promise<string | undefined> {
      if (question.endsWith("[y/N] ")) return "y";
      if (/delivered \(d\)/.test(question)) return lastSaid()?.status === "failed" ? "n" : "d";
      if (/not sent/.test(question)) await once(() => lastSaid()?.status === "failed");
      const [, wanted] = /\((warning|danger)\)/.exec(question) ?? [];
      if (wanted) await once(async () => (await level()) === wanted);
      return "";
    },
  };
}

export interface Probing {
  args?: string[];
  /** Default: somebody who agrees to all, and acts in the CRM. `null`: nobody. */
  person?: Person | null;
  interrupted?: AbortSignal;
  tell?(line: string): void;
}
type Person = Pick<ReturnType<typeof agentAt>, "does" | "answers">;
export interface Probed {
  unknowns: { name: Unknown; verdict: string; seen?: string; why?: string }[];
  also: { about: string; seen: string }[];
  settings: Partial<Unknowns>;
  left: string[];
  files: string[];
  faults: string[];
}

/** Runs the command at the account. `told`: what it has told meanwhile. */
export async function probing(account: ProbedAccount, { args = [], person, interrupted, tell }: Probing = {}) {
  const folder = temporaryFolder();
  const keyFile = join(folder, "key");
  writeFileSync(keyFile, `${SANDBOX_KEY}\n`);
  const agent = person === undefined ? agentAt(account) : person;
  const told: string[] = [];
  const context = {
    ...{ clock: account.clock, call: account.call },
    ...(agent && { ask: (question: string) => agent.answers(question) }),
    config: () => readConfig({ SANDBOX: "1" }, []),
    tell: (line: string) => {
      told.push(line);
      // Half a minute, within which nobody does anything.
      if (line.startsWith("disabled: it will")) account.pace(100);
      if (line.startsWith("parallel: it will")) account.pace(1);
      tell?.(line);
      void agent?.does(line);
    },
    interrupted: () => interrupted ?? new AbortController().signal,
  } as unknown as CommandContext;
  const out = join(folder, "out");
  const given = ["--crm", account.origin, "--key-file", keyFile, "--out", out, ...args];
  const { ok, json, text } = await probe.run(context, parseArguments(probe, given));
  return { ...(json as Probed), ok, text, told, out };
}
