import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { answerJson, answerText } from "gangway-messenger/call";
import { pause } from "gangway-messenger/clock";
import type { AdapterCommand, CommandIo } from "gangway-messenger/port";
import { page } from "./events.ts";
import { faultIn, signed } from "./signature.ts";
import { newSigningSecret } from "./wire.ts";

type Given = Parameters<AdapterCommand["run"]>[0];

const DOOR = { value: "address", help: "the channel's address, from its page" };
const SECRET = { value: "whsec_…", needed: true, help: "the channel's signing secret" } as const;
/** Longer than the server lets a poll wait, ms. */
const [TIMEOUT_MS, WAIT_S] = [35_000, 20];
const AGAIN_MS = 3_000;

const textOf = (given: Given, name: string): string | undefined => {
  const value = given[name];
  return typeof value === "string" ? value : undefined;
};

async function ask({ call, clock }: CommandIo, method: "GET" | "POST", url: string, secret: string, body = "") {
  const headers = { "content-type": "application/json", ...signed([secret], `evt_${randomUUID()}`, body, clock.now()) };
  const sent = method === "POST" ? { body } : {};
  const result = await call({ method, url, headers, ...sent, timeoutMs: TIMEOUT_MS });
  if (result.type === "failure") throw new Error(`no answer: ${result.reason} (${result.detail})`);
  return result;
}

const send: AdapterCommand = {
  summary: "Signs a customer's message, and sends it to a channel.",
  options: {
    ...{ door: { ...DOOR, needed: true }, secret: SECRET },
    text: { value: "text", help: "what the customer writes" },
    file: { value: "address", help: "a file of the customer's, by its web address" },
    chat: { value: "id", help: "your id of the chat; default: try" },
    name: { value: "name", help: "the customer's name" },
  },
  async run(given, io) {
    const [door, secret] = [textOf(given, "door") ?? "", textOf(given, "secret") ?? ""];
    const [text, file, name] = [textOf(given, "text"), textOf(given, "file"), textOf(given, "name")];
    const data = {
      chat: textOf(given, "chat") ?? "try",
      id: randomUUID(),
      ...(name !== undefined && { customer: { name } }),
      ...(text !== undefined && { text }),
      ...(file !== undefined && { files: [{ url: file }] }),
    };
    const body = JSON.stringify({ type: "message.created", timestamp: new Date(io.clock.now()).toISOString(), data });
    io.print(body);
    const answer = await ask(io, "POST", door, secret, body);
    io.print(`${answer.status} ${answerText(answer)}`);
    return answer.status < 300 ? 0 : 1;
  },
};

const listen: AdapterCommand = {
  summary: "Prints what a channel tells its app, one event a line, until it is stopped.",
  options: {
    ...{ door: DOOR, secret: SECRET },
    after: { value: "cursor", help: "of the events to begin after; default: all" },
    once: { help: "end once the events that are there are printed" },
    port: { value: "number", help: "take callbacks on this port of this machine, instead of asking the channel" },
  },
  run(given, io) {
    const port = textOf(given, "port");
    return port === undefined ? follow(given, io) : receive(Number(port), textOf(given, "secret") ?? "", io);
  },
};

/** Polls for events. A server that has answered once may be away for a while. */
async function follow(given: Given, io: CommandIo): Promise<number> {
  const [door, secret] = [textOf(given, "door"), textOf(given, "secret") ?? ""];
  if (door === undefined) throw new Error("name the channel with --door, or a port for callbacks with --port");
  const wait = given.once ? 0 : WAIT_S;
  for (let [after, answered] = [textOf(given, "after") ?? "0", false]; ; ) {
    const asked = ask(io, "GET", `${door}?after=${encodeURIComponent(after)}&wait=${wait}`, secret);
    const answer = await (answered && !given.once ? asked.catch(() => undefined) : asked);
    if (!answer || answer.status === 429 || answer.status >= 500) {
      await pause(io.clock, AGAIN_MS);
      continue;
    }
    const read = page.safeParse(answerJson(answer));
    if (answer.status !== 200 || !read.success) {
      io.print(`${answer.status} ${answerText(answer)}`);
      return 1;
    }
    for (const event of read.data.events) io.print(JSON.stringify(event));
    [after, answered] = [read.data.cursor, true];
    if (given.once && !read.data.more) return 0;
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Takes callbacks; never ends by itself. */
function receive(port: number, secret: string, { clock, print }: CommandIo): Promise<number> {
  const server = createServer(async (request, answer) => {
    const body = await bodyOf(request);
    const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const fault = faultIn(headers, body, secret.split(" "), clock.now());
    print(fault ? `refused: ${fault}` : body.toString());
    answer.writeHead(fault ? 401 : 204).end();
  });
  return new Promise((_, reject) => {
    server.on("error", reject);
    server.listen(port, () => print(`Listening on port ${(server.address() as { port: number }).port}`));
  });
}

const secret: AdapterCommand = {
  summary: "Makes a signing secret.",
  options: {},
  async run(_, { print }) {
    print(newSigningSecret());
    return 0;
  },
};

export const commands: Record<string, AdapterCommand> = { secret, send, listen };
