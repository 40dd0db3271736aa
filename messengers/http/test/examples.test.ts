import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { systemClock } from "gangway-messenger/clock";
import { freePort } from "gangway-sandbox";
import { describe, expect, it, onTestFinished } from "vitest";
import { listening } from "../../../test/support/listening.ts";
import { until } from "../../../test/support/until.ts";
import { SECRET } from "../emulator/emulator.ts";
import { signed } from "../src/signature.ts";
import { besideApp } from "./support.ts";

const { open } = besideApp();

const isThere = (program: string) => spawnSync(program, ["--version"]).status === 0;

/** Programs that run the examples, and how each takes callbacks. Only Node.js is certain to be there. */
const LANGUAGES = [
  { language: "TypeScript", program: process.execPath, file: "app.ts", serve: () => [] },
  { language: "Python", program: "python3", file: "app.py", serve: () => [] },
  { language: "PHP", program: "php", file: "app.php", serve: (port: number) => ["-S", `127.0.0.1:${port}`] },
].map((each): [string, typeof each & { isThere: boolean }] => {
  const there = isThere(each.program);
  return [
    there ? each.language : `${each.language}, left out as there is no ${each.program},`,
    { ...each, isThere: there },
  ];
});
const fileOf = (name: string) => join(import.meta.dirname, "..", "examples", name);

function run(program: string, args: string[], env: Record<string, string>): ChildProcess {
  const child = spawn(program, args, { env: { PATH: process.env.PATH, SECRET, ...env } });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** A channel's door at a socket. */
async function doorOf({ session, context }: Awaited<ReturnType<typeof open>>) {
  const told: unknown[] = [];
  const origin = await listening(async (request, answer) => {
    const body = await text(request);
    const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const { events, reply } = await session.receive(new Request(context.doorUrl, { method: "POST", headers, body }));
    told.push(...events);
    answer.writeHead(reply.status, { "content-type": "application/json" }).end(await reply.text());
  });
  return { door: origin, told };
}

describe.each(LANGUAGES)("the example in %s", (_, { program, file, serve, ...example }) => {
  it.skipIf(!example.isThere)("sends a customer's message that the channel takes", async () => {
    const { door, told } = await doorOf(await open());
    const child = run(program, [fileOf(file), "send", "¿Hay alguien?"], { DOOR: door });
    expect(await text(child.stdout as NodeJS.ReadableStream)).toMatch(/^200 \{"id":"evt_/);
    expect(told).toMatchObject([
      { type: "message", content: { type: "text", text: "¿Hay alguien?" }, customer: { nickname: "Robin" } },
    ]);
  });

  it.skipIf(!example.isThere)("takes a callback once, and none that is not signed", async () => {
    const port = await freePort(0);
    let out = "";
    const child = run(program, [...serve(port), fileOf(file)], { PORT: String(port) });
    child.stdout?.setEncoding("utf8").on("data", (chunk) => {
      out += chunk;
    });
    const post = async (body: string, headers: Record<string, string>) =>
      (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers: { ...headers, connection: "close" }, body }))
        .status;
    await until("the example", () => post("{}", {}).catch(() => undefined));
    const id = `evt_${systemClock.now()}`;
    const body = JSON.stringify({
      id,
      type: "message.created",
      data: { chat: "robin", id: "msg_1", text: "Es blau, ja: ß" },
    });
    const other = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;
    const now = systemClock.now();
    // As while the secret is exchanged: a signature by each.
    expect(await post(body, signed([other, SECRET], id, body, now))).toBe(204);
    expect(await post(body, signed([SECRET], id, body, now))).toBe(204);
    expect(await post(`${body} `, signed([SECRET], id, body, now))).toBe(401);
    expect(await post(body, signed([other], id, body, now))).toBe(401);
    expect(await post(body, signed([SECRET], id, body, now - 301_000))).toBe(401);
    expect(await post(body, { ...signed([SECRET], id, body, now), "webhook-timestamp": "soon" })).toBe(401);
    await until("its output", () => out.includes("Es blau"));
    expect(out.match(/message\.created: Es blau, ja: ß/g)).toHaveLength(1);
  });
});
