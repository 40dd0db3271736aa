import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { agentAt } from "gangway-sandbox/demo/agent";
import { enterShop } from "gangway-sandbox/demo/visitor";
import { beforeAll, describe, expect, it } from "vitest";
import { runningDemo } from "../../support/demo.ts";
import { LONG } from "../../support/long.ts";
import { afterTests } from "../../support/store.ts";
import { until as untilFound } from "../../support/until.ts";

const DEMO = join(import.meta.dirname, "..", "..", "..", "sandbox", "dist", "main.js");
const ports = ["--port", "0", "--crm-port", "0"];
const script = (...options: string[]) =>
  promisify(execFile)(process.execPath, [DEMO, "demo", "--script", ...ports, ...options]).catch(
    (error: Error & { stdout: string }) => {
      throw new Error(`${error.message}\n${error.stdout}`);
    },
  );
const control = (origin: string, path: string, body: object) =>
  fetch(`${origin}/sandbox/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

const until = <T>(look: () => Promise<T | undefined | false>) => untilFound("what was said", look);

type Demo = Awaited<ReturnType<typeof runningDemo>>;

/** Of a new visitor. */
async function conversation(running?: Demo) {
  const demo = running ?? (await runningDemo());
  const agent = agentAt(demo.sandbox.origin);
  const visitor = await enterShop(demo.door);
  const others = (await agent.chats()).map(({ id }) => id);
  await visitor.say({ text: "hello" });
  const chat = await until(async () => (await agent.chats()).find(({ id }) => !others.includes(id)));
  const inbox = async () => (await agent.messages(chat.id)).filter((m) => m.from === "customer").map((m) => m.text);
  const faults = () => demo.sandbox.sandbox.calls.entries(true);
  return { ...demo, agent, visitor, chat: chat.id, inbox, faults };
}

describe("a conversation over real sockets", () => {
  it("is played by the demo's script, with a gateway that fails and a server that is killed", async () => {
    const { stdout } = await script();
    expect(stdout).toContain("Everything arrived.");
    expect(stdout).toMatch(/ 0 faults/);
  });

  it.each(LONG ? [1, 2, 3] : [1])(
    "survives a server that is killed again and again at random moments (seed %i)",
    { timeout: 300_000 },
    async (seed) => {
      const { stdout } = await script("--kill-every", LONG ? "250" : "1000", "--seed", String(seed));
      expect(stdout).toContain("Everything arrived.");
      expect(Number(/(\d+) kills/.exec(stdout)?.[1])).toBeGreaterThan(0);
    },
  );

  it("keeps the order of a burst through a kill", async () => {
    const { visitor, server, inbox, faults } = await conversation();
    const texts = Array.from({ length: 40 }, (_, n) => `burst ${n}`);
    for (const text of texts) await visitor.say({ text });
    await server.kill("SIGKILL");
    await server.start();
    await until(async () => (await inbox()).length === 41);
    expect(await inbox()).toEqual(["hello", ...texts]);
    expect(faults()).toEqual([]);
    visitor.leave();
  });

  it("loses and duplicates nothing on SIGTERM", async () => {
    const { visitor, agent, chat, server, inbox, sandbox } = await conversation();
    for (let n = 0; n < 20; n++) await visitor.say({ text: `m${n}` });
    for (let n = 0; n < 10; n++) await agent.say(chat, { text: `a${n}` });
    await server.kill("SIGTERM");
    // By itself: one that does not end is killed.
    expect(server.lines.join("\n")).toContain('"server.stopped"');
    await server.start();
    await until(async () => (await inbox()).length === 21);
    await until(async () => visitor.messages().filter((m) => m.from === "agent").length === 10);
    expect(visitor.repeats()).toBe(0);
    const posts = sandbox.sandbox.calls.entries().filter((call) => call.operation === "sendMessage");
    expect(posts.filter((call) => call.status === 400)).toEqual([]);
    visitor.leave();
  });
});

describe("a conversation with a server that goes on running", () => {
  let demo: Demo;
  const ending = afterTests();
  beforeAll(async () => {
    demo = await runningDemo({ ending });
  });

  // First: it counts all that the server has delivered.
  it("is not duplicated at the gateway by lost answers", async () => {
    const { visitor, sandbox, server, inbox } = await conversation(demo);
    const ended = () => server.lines.filter((line) => /"delivery.attempted".*"verdict":"done"/.test(line)).length;
    await control(sandbox.origin, "faults", { operation: "sendMessage", times: 3, drop: "after" });
    for (const text of ["one", "two"]) await visitor.say({ text });
    await until(async () => (await inbox()).length === 3);
    await until(async () => ended() >= 3);
    expect(await inbox()).toEqual(["hello", "one", "two"]);
    visitor.leave();
  });

  it("goes on with a new token from the CRM when the gateway's token is revoked", async () => {
    const { visitor, sandbox, inbox } = await conversation(demo);
    await control(sandbox.origin, "token/rotate", {});
    await visitor.say({ text: "after" });
    await until(async () => (await inbox()).includes("after"));
    visitor.leave();
  });

  it("waits while the account is frozen and arrives afterwards", async () => {
    const { visitor, sandbox, inbox } = await conversation(demo);
    await control(sandbox.origin, "activity", { code: "gangway", active: true, freeze: true });
    await visitor.say({ text: "while frozen" });
    for (let n = 0; n < 20; n++) await visitor.say({ text: `behind it ${n}` });
    expect(await inbox()).toEqual(["hello"]);
    await control(sandbox.origin, "activity", { code: "gangway", active: true, freeze: false });
    await until(async () => (await inbox()).includes("while frozen"));
    visitor.leave();
  });

  it("holds no secret in the log", async () => {
    const { visitor, server, sandbox, agent, chat } = await conversation(demo);
    await control(sandbox.origin, "faults", { operation: "*", times: 2, status: 500 });
    await agent.say(chat, { text: "a text that is nobody's business" });
    await until(async () => visitor.messages().some((m) => m.from === "agent"));
    const log = server.lines.join("\n");
    const module = [...sandbox.sandbox.world.modules.values()][0];
    const webhook = module?.registration.integrations.mgTransport?.webhookUrl.split("/").at(-1);
    for (const secret of ["sandbox-key", module?.token, module?.registration.clientId, webhook, "nobody's business"])
      expect(log).not.toContain(secret);
    expect(log).toContain("delivery.attempted");
    visitor.leave();
  });
});
