import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { agentAt } from "gangway-sandbox/demo/agent";
import { connectThroughForm } from "gangway-sandbox/demo/set-up";
import { expect, it, onTestFinished } from "vitest";
import { ROOT } from "../../../tools/root.ts";
import { runningPair } from "../../support/demo.ts";
import { temporaryFolder } from "../../support/store.ts";
import { SETTINGS } from "../../support/unknowns.ts";
import { until } from "../../support/until.ts";

/** A messenger as a stranger writes it, in JavaScript and from the package's own paths only. */
const adapterOf = (kind: string) => `
import { DeliveryError } from "gangway-messenger/errors";
import { featuresOf } from "gangway-messenger/features";
import { defineChannel } from "gangway-messenger/port";
import { emptyReceipt, readWebhook } from "gangway-messenger/webhooks";
import * as z from "zod";

const shown = { actions: { text: { creating: "both" } }, suggestions: {}, delivered: "none", read: "none" };
const inAll = (words) => ({ en: words, es: words, ru: words });
const post = async (context, path, body) => {
  const url = context.settings.url + path;
  const answer = await context.call({ method: "POST", url, body: JSON.stringify(body), timeoutMs: 5_000 });
  if (answer.type === "failure") throw new DeliveryError({ type: "retry" }, answer.detail);
  if (answer.status !== 200) throw new DeliveryError({ type: "reject", code: "general" }, "The ${kind} is torn");
  return JSON.parse(new TextDecoder().decode(answer.bytes));
};

export default defineChannel({
  kind: "${kind}",
  title: "A ${kind}",
  settings: z.object({ url: z.string(), secret: z.string().min(8, "should be longer").meta({ secret: true }) }),
  words: inAll({ url: { label: "Address" }, secret: { label: "Secret" } }),
  features: () =>
    featuresOf(shown, { type: "custom", text: { maxLength: 400 }, firstContact: "no", afterReplyTimeout: "no" }),
  capabilities: () => ({
    ...{ language: "en", text: 40, caption: 0, marks: false, webPictures: false, suggestions: [], albumButtons: false },
    ...{ image: { most: 0, size: 0 }, file: { most: 0, size: 0 }, audio: { most: 0, size: 0 } },
  }),
  pace: { perSecond: 10, perChat: () => ({ most: 10, everyMs: 100 }) },
  sendIdempotency: "none",
  bodyLimit: () => 4096,
  open: (context) => ({
    async connect() {
      await post(context, "/subscribe", { door: context.doorUrl });
      return { name: "A ${kind}" };
    },
    disconnect: async () => {},
    async receive(request) {
      const read = await readWebhook(request, { header: "x-toy", secret: context.settings.secret });
      if ("refusal" in read) return read.refusal;
      const { id, from, text } = read.body;
      const customer = { id: from, nickname: from };
      const content = { type: "text", text };
      const event = { type: "message", key: id, chat: from, messengerMessageId: id, at: 0, originator: "customer", customer, content };
      return { ...emptyReceipt(200), events: [event] };
    },
    async send(step, { chat }) {
      const { id } = await post(context, "/messages", { to: chat, text: step.text });
      return { parts: [{ messengerMessageId: id, holds: "text" }] };
    },
  }),
});
`;

interface Stranger {
  code: string;
  port?: string;
}

/** The built server as it is installed: nothing of this checkout but its files, and packages from their tarballs. */
function installation(strangers: Record<string, Stranger>): string {
  const folder = mkdtempSync(join(temporaryFolder(), "installed-"));
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  for (const name of readdirSync(join(ROOT, "node_modules")))
    if (!name.startsWith("gangway-")) symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  const isServer = (path: string) => !/\/dist\/(modules|scratch-[^/]*)$/.test(path);
  for (const part of ["dist", "migrations", "package.json"])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true, filter: isServer });
  const install = (name: string, source: string) => {
    const packed = execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], {
      cwd: source,
      encoding: "utf8",
    });
    const target = join(modules, name);
    mkdirSync(target, { recursive: true });
    execFileSync("tar", ["-xzf", join(folder, packed.trim()), "-C", target, "--strip-components=1"]);
  };
  install("gangway-messenger", join(ROOT, "packages", "messenger"));
  for (const [name, { code, port = "^0.1.0" }] of Object.entries(strangers)) {
    const source = join(folder, "sources", name);
    mkdirSync(source, { recursive: true });
    const manifest = {
      name,
      version: "1.2.3",
      license: "MIT",
      type: "module",
      exports: "./index.js",
      gangway: { port },
    };
    writeFileSync(join(source, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(source, "index.js"), code);
    install(name, source);
  }
  return folder;
}

/** The toys' network: takes messages, and knows where customers' messages go. */
async function network() {
  const doors: string[] = [];
  const sent: { to: string; text: string }[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await textOf(request));
    if (request.url === "/subscribe") doors.push(body.door);
    else if (body.text !== "tear it") sent.push(body);
    response.statusCode = body.text === "tear it" ? 403 : 200;
    response.end(JSON.stringify({ id: `m${sent.length}` }));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, doors, sent };
}

const SECRET = "a-secret-of-the-toys";

it("messengers of strangers carry messages both ways beside the built server; those that do not fit are refused", async () => {
  const folder = installation({
    "gangway-bottle": { code: adapterOf("bottle") },
    // Its timer never ends.
    "@acme/gangway-flag": { code: `setInterval(() => {}, 3_600_000);${adapterOf("flag")}` },
    "gangway-future": { code: adapterOf("future"), port: "^99.0.0" },
    "gangway-twin": { code: adapterOf("bottle") },
    "gangway-loud": { code: 'throw new Error("no toy at hand");' },
  });
  const names = "gangway-bottle,@acme/gangway-flag,gangway-future,gangway-twin,gangway-loud,gangway-absent";
  const { server, sandbox } = await runningPair(SETTINGS, undefined, onTestFinished, {
    main: join(folder, "dist", "main.js"),
    env: { MESSENGERS: names },
  });
  const refused = server.lines.filter((line) => line.includes('"messenger.refused"')).map((line) => JSON.parse(line));
  expect(refused.map(({ package: name, why }) => [name, why])).toEqual([
    ["gangway-future", "it is written for port ^99.0.0, and this server has 0.1.0"],
    ["gangway-twin", 'its kind "bottle" is that of gangway-bottle'],
    ["gangway-loud", "it fails when it is loaded: no toy at hand"],
    ["gangway-absent", "it is not installed beside the server"],
  ]);

  const cli = [join(folder, "dist", "cli.js"), "messengers", "--json"];
  const listed = await new Promise<string>((resolve) => {
    const options = { env: { ...process.env, MESSENGERS: names, SANDBOX: "1" }, timeout: 60_000 };
    execFile(process.execPath, cli, options, (_, out) => resolve(out));
  });
  const kinds = JSON.parse(listed).messengers.map(({ kind, version }: Record<string, string>) => `${kind} ${version}`);
  expect(kinds).toEqual(expect.arrayContaining(["bottle 1.2.3", "flag 1.2.3", "telegram 0.1.0"]));

  const toys = await network();
  const visit = await connectThroughForm(server.origin, sandbox.origin, "sandbox-key");
  await expect(visit.add("bottle", "Bottle", { url: toys.url, secret: "short" })).rejects.toThrow("Should be longer");
  for (const kind of ["bottle", "flag"]) await visit.add(kind, kind, { url: toys.url, secret: SECRET });
  expect(await visit.look()).not.toContain(SECRET);
  expect(toys.doors).toHaveLength(2);
  const agent = agentAt(sandbox.origin);
  for (const [n, door] of toys.doors.entries()) {
    const says = (secret: string) =>
      fetch(door, {
        method: "POST",
        headers: { "x-toy": secret },
        body: JSON.stringify({ id: `c${n}`, from: `robin${n}`, text: `ahoy ${n}` }),
      });
    expect((await says("a-stranger's-secret")).status).toBe(401);
    expect((await says(SECRET)).status).toBe(200);
    const texts = async (chat: number) => (await agent.messages(chat)).map(({ text }) => text);
    const chat = await until("the customer's message", async () => {
      for (const { id } of await agent.chats()) if ((await texts(id)).includes(`ahoy ${n}`)) return id;
      return undefined;
    });
    await agent.say(chat, { text: `hello ${n}` });
    await until("the agent's message", () =>
      toys.sent.some(({ to, text }) => to === `robin${n}` && text === `hello ${n}`),
    );
    // A refusal is an error of the package's own copy of gangway-messenger.
    const torn = await agent.say(chat, { text: "tear it" });
    const isRefused = async () => (await agent.messages(chat)).find(({ id }) => id === torn)?.status === "failed";
    await until("the refusal", isRefused);
  }
});
