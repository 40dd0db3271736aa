import { text } from "node:stream/consumers";
import { systemClock } from "gangway-messenger/clock";
import { describe, expect, it } from "vitest";
import { gangway, gangwayProcess } from "../../../../test/support/gangway.ts";
import { listening } from "../../../../test/support/listening.ts";
import { temporaryFolder } from "../../../../test/support/store.ts";
import { until } from "../../../../test/support/until.ts";
import { SECRET } from "../../emulator/emulator.ts";
import { signed } from "../../src/signature.ts";
import { besideApp, CHAT, fresh, step } from "../support.ts";

const { open } = besideApp({ callbackUrl: undefined });

async function channel() {
  const { session, context } = await open();
  const told: object[] = [];
  const origin = await listening(async (request, answer) => {
    const body = await text(request);
    const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const url = context.doorUrl + (request.url ?? "").replace(/^\//, "");
    const init = { method: request.method, headers, ...(request.method === "POST" && { body }) };
    const { events, reply } = await session.receive(new Request(url, init));
    told.push(...events);
    answer.writeHead(reply.status, Object.fromEntries(reply.headers)).end(await reply.text());
  });
  return { session, told, at: ["--door", origin, "--secret", SECRET] };
}
const run = (args: string[]) => gangway(temporaryFolder(), args);

it("gangway http listen takes callbacks on a port, and refuses those that are not signed", async () => {
  const child = gangwayProcess(temporaryFolder(), ["http", "listen", "--secret", SECRET, "--port", "0"]);
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    out += chunk;
  });
  const [, port] = await until("the port", () => /Listening on port (\d+)/.exec(out) ?? undefined);
  const post = async (headers: Record<string, string>) =>
    (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body: '{"n":1}' })).status;
  expect(await post(signed([SECRET], "evt_1", '{"n":1}', systemClock.now()))).toBe(204);
  expect(await post({})).toBe(401);
  await until("the lines", () => /\{"n":1\}\nrefused: the header webhook-id is missing/.test(out));
});

describe("gangway http", () => {
  it("makes a secret", async () => {
    const { code, out } = await run(["http", "secret"]);
    expect([code, out]).toEqual([0, expect.stringMatching(/^whsec_[\w+/]{43}=\n$/)]);
  });

  it("sends a customer's message, and shows the channel's answer", async () => {
    const { at, told } = await channel();
    const { code, out } = await run(["http", "send", ...at, "--text", "Hello", "--name", "Ann"]);
    expect([code, out]).toEqual([0, expect.stringMatching(/\n200 \{"id":"evt_/)]);
    expect(told).toMatchObject([{ chat: "try", content: { text: "Hello" }, customer: { nickname: "Ann" } }]);
  });

  it("fails where the channel refuses it, in the channel's words", async () => {
    const { at } = await channel();
    const empty = await run(["http", "send", ...at]);
    expect([empty.code, empty.out]).toEqual([1, expect.stringMatching(/\n400 .*should not be empty/)]);
    const other = `whsec_${Buffer.alloc(32).toString("base64")}`;
    const forged = await run(["http", "send", ...at.slice(0, 3), other, "--text", "Hello"]);
    expect([forged.code, forged.out]).toEqual([1, expect.stringMatching(/\n401 .*does not fit/)]);
  });

  it("prints what an app is told", async () => {
    const { session, at } = await channel();
    for (const words of ["one", "two"]) await session.send(step({ text: words }), { chat: CHAT, key: words }, fresh());
    const { code, out } = await run(["http", "listen", ...at, "--once"]);
    expect(code).toBe(0);
    const lines = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { data: { text: string } });
    expect(lines.map(({ data }) => data.text)).toEqual(["one", "two"]);
    const other = `whsec_${Buffer.alloc(32).toString("base64")}`;
    const refused = await run(["http", "listen", ...at.slice(0, 3), other, "--once"]);
    expect([refused.code, refused.out]).toEqual([1, expect.stringMatching(/^401 .*does not fit/)]);
  });

  it("says what is missing, and explains itself", async () => {
    const missing = await run(["http", "send", "--text", "Hello"]);
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining("--door is missing")]);
    const nowhere = await run(["http", "listen", "--secret", SECRET]);
    expect([nowhere.code, nowhere.out]).toEqual([1, expect.stringMatching(/--door/)]);
    const help = await run(["http", "--help"]);
    expect([help.code, help.out]).toEqual([0, expect.stringMatching(/gangway http send[\s\S]*--door <address>/)]);
    expect((await run(["http"])).err).toContain('"http" needs one of: secret, send, listen');
    expect((await run(["help"])).out).toMatch(/http listen +Prints what a channel tells its app/);
    expect((await run(["nothing"])).err).toContain('there is no command "nothing"');
  });
});
