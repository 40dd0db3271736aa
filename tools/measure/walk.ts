import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort, SANDBOX_KEY, serveSandbox } from "gangway-sandbox";
import { agentAt } from "gangway-sandbox/demo/agent";
import { ask } from "gangway-sandbox/demo/ask";
import { phonesAt } from "gangway-sandbox/demo/phone";
import { addBot, connectThroughForm } from "gangway-sandbox/demo/set-up";
import { pause, until } from "gangway-sandbox/demo/waiting";
import { startChild } from "../bench/child.ts";
import type { Ran } from "./coverage.ts";

/** Functions of the product that one plain text runs, each way, as `<file> <name>:<offset>`. */
export interface Walk {
  inbound: string[];
  outbound: string[];
}

/** Time for a delivered message's ack and bookkeeping. */
const SETTLES_MS = 500;
/** What a timer happens to run beside one of them does not run beside all. */
const MESSAGES = 4;
const COVERAGE = fileURLToPath(new URL("./coverage.js", import.meta.url));

/** Sends texts each way through a warm server. `main`: the server's entry file. */
export async function walk(main: string): Promise<Walk> {
  const crm = await serveSandbox({ port: 0 });
  const folder = mkdtempSync(join(tmpdir(), "gangway-walk-"));
  const port = await freePort(0);
  const origin = `http://127.0.0.1:${port}`;
  const server = startChild(["--import", COVERAGE, main], {
    SANDBOX: "1",
    HOST: "127.0.0.1",
    PORT: String(port),
    PUBLIC_URL: origin,
    DATA_FOLDER: folder,
    TELEGRAM_API_URL: `${crm.origin}/telegram`,
    LOG_LEVEL: "error",
  });
  try {
    await until("the server", async () => (await ask(`${origin}/health/ready`).catch(() => undefined))?.ok === true);
    const phones = phonesAt(`${crm.origin}/telegram`);
    const bot = await phones.newBot("walk_bot", "Walk");
    await addBot(await connectThroughForm(origin, crm.origin, SANDBOX_KEY), {
      name: bot.username,
      token: bot.token,
      updates: "webhook",
    });
    const { id: person } = await phones.newPerson({ firstName: "Walker", language: "en" });
    const agent = agentAt(crm.origin);
    const { world } = crm.sandbox;
    const inbound = async (text: string) => {
      await phones.say(person, bot.id, { text });
      await until(text, () => world.messages.some((message) => message.text === text));
    };
    const outbound = async (text: string) => {
      await agent.say([...world.chats.keys()][0] ?? 0, { text });
      await until(text, () => world.messages.some((each) => each.text === text && each.status === "received"));
    };
    const ran = () => server.ask<Ran>("ran");
    await inbound("the first");
    await outbound("the first answer");
    return {
      inbound: await ranBy(ran, (n) => inbound(`text ${n}`)),
      outbound: await ranBy(ran, (n) => outbound(`answer ${n}`)),
    };
  } finally {
    await server.stop();
    await crm.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What ran for each of some messages. What an idle server runs as often in the same time is no part of their way. */
async function ranBy(ran: () => Promise<Ran>, act: (n: number) => Promise<void>): Promise<string[]> {
  let names: string[] | undefined;
  for (let n = 1; n <= MESSAGES; n++) {
    await pause(SETTLES_MS);
    await ran();
    const from = performance.now();
    await act(n);
    await pause(SETTLES_MS);
    const busy = await ran();
    await pause(performance.now() - from);
    const idle = await ran();
    names = (names ?? Object.keys(busy)).filter((name) => (busy[name] ?? 0) > (idle[name] ?? 0));
  }
  return names ?? [];
}
