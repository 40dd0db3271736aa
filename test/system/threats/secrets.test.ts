import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Call, CallRequest } from "gangway-messenger/call";
import { describe, expect, it } from "vitest";
import { knock, openStage, type Stage } from "../../fuzz/stage.ts";
import { readRows } from "../../support/engine.ts";
import { CRM } from "../../support/site.ts";
import { KEY_RING, storeIn } from "../../support/store.ts";
import { BOT_TOKEN } from "../../support/telegram.ts";

const API_KEY = "canaryKey4f9c2e7a1b8d6035";
const ADDRESS = "198.51.100.1";

/** A secret in plain form, URL-encoded, and in every encoding that could embed it in another text. */
function formsOf(secret: string): string[] {
  const cores = (as: "base64" | "base64url") =>
    [0, 1, 2].map((shift) => {
      const text = Buffer.from(" ".repeat(shift) + secret)
        .toString(as)
        .replace(/=+$/, "");
      // The first and last characters depend on the neighbouring bytes.
      return text.slice(shift === 0 ? 0 : shift + 1, -2);
    });
  return [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString("hex"),
    ...cores("base64"),
    ...cores("base64url"),
  ];
}

/** Records every outgoing call. A fault makes the other side answer badly, echoing what it was sent. */
function hostileCounterparts() {
  const asked: CallRequest[] = [];
  let fault = 0;
  const echo = (request: CallRequest, status: number) => {
    const words = `no: ${request.url} ${JSON.stringify(request.headers ?? {})} ${typeof request.body === "string" ? request.body : ""}`;
    const body = {
      errors: [words],
      success: false,
      errorMsg: words,
      ok: false,
      error_code: status,
      description: words,
    };
    return { type: "answer" as const, status, headers: {}, bytes: Buffer.from(JSON.stringify(body)) };
  };
  const faults: ((request: CallRequest) => ReturnType<Call>)[] = [
    async (request) => echo(request, 400),
    async (request) => echo(request, 500),
    async (request) => echo(request, 401),
    async (request) => echo(request, 404),
    async (request) => echo(request, 429),
    async (request) => ({ ...echo(request, 200), bytes: Buffer.from(`<html>${request.url}`) }),
    async () => ({ type: "failure", sent: "perhaps", reason: "reset", detail: "host" }),
    async (request) => {
      throw new Error(`socket hang up: ${request.url} ${JSON.stringify(request.headers)}`);
    },
  ];
  const set = (n: number) => {
    fault = n;
  };
  const around =
    (real: Call): Call =>
    async (request) => {
      asked.push(request);
      const bad = faults[fault - 1];
      return bad ? bad(request) : real(request);
    };
  return { around, asked, count: faults.length, set };
}

/** Events that the log must contain at least. */
const EVENTS = [
  "http.failed",
  "account.connected",
  "account.not-connected",
  "account.activity",
  "account.activity-unconfirmed",
  "account.token-not-renewed",
  "gateway.token-refused",
  "channel.opened",
  "channel.not-restored",
  "delivery.attempted",
];

/** Uses everything people and machines can; resolves with the answers. */
async function live(stage: Stage, round: number): Promise<string[]> {
  const { cookie, token } = stage;
  const hook = (body: object) =>
    knock(stage, stage.hook, { headers: { clientid: stage.clientId } }, Buffer.from(JSON.stringify(body)), ADDRESS);
  const person = { id: 5120000042, type: "private", first_name: "Robin" };
  const photo = [{ file_id: `photo${round}`, file_size: 10 }];
  const said = { message_id: 100 + round, date: 1_764_000_000, chat: person, from: person, photo };
  const update = Buffer.from(JSON.stringify({ update_id: 100 + round, message: said }));
  const words = (channel_id: number, chat: string, id: number) => ({
    type: "message_sent",
    meta: { timestamp: 1 },
    data: {
      channel_id,
      external_chat_id: chat,
      external_user_id: chat,
      id,
      type: "text",
      content: "hi",
      quote_content: null,
      quote_external_id: null,
    },
  });
  const fields = { formToken: token, name: `Bot ${round}`, "setting.title": "t", "setting.accent": "#000000" };
  const id = stage.chat.ids[1] ?? "";
  const accept = { accept: "text/html" };
  const answers = [
    await knock(
      stage,
      stage.bot.door,
      { headers: { "x-telegram-bot-api-secret-token": stage.bot.secret } },
      update,
      ADDRESS,
    ),
    await hook(words(stage.bot.channel, stage.bot.chat, 100 + round)),
    await hook(words(stage.chat.channel, stage.visitor.chat, 200 + round)),
    await hook({ type: "message_read", meta: { timestamp: 1 }, data: {} }),
    await stage.submit(`/account/channels/${id}`, fields, { cookie }),
    await stage.submit(`/account/channels/${id}/resume`, { formToken: token }, { cookie }),
    await stage.submit(
      "/account/channels",
      { ...fields, kind: "telegram", "setting.token": `1234567:${"B".repeat(35)}` },
      { cookie },
    ),
    await stage.submit("/actions/activity", { clientId: stage.clientId, activity: '{"active":true,"freeze":false}' }),
    await stage.submit("/", { crmUrl: CRM, apiKey: API_KEY }),
    await stage.submit("/", { crmUrl: CRM, apiKey: "wrong" }),
    await stage.submit("/check", { crmUrl: CRM, apiKey: API_KEY }),
    await stage.ask(`/account?done=${cookie}`, { headers: { cookie: "gangway=x" } }),
    await stage.ask(`/nowhere/${BOT_TOKEN}`, { headers: accept }),
    await stage.ask("/health/ready"),
    await stage.ask(`${stage.chat.door}/nowhere`, { headers: stage.visitor.headers }),
  ];
  await new Promise((resolve) => setTimeout(resolve, 300));
  const texts = await Promise.all(answers.map((answer) => answer.text()));
  // The form token belongs in its own form.
  return [await stage.page(cookie), ...texts].map((text) => text.replaceAll(`name="formToken" value="${token}"`, ""));
}

async function plantedSecrets(stage: Stage): Promise<Record<string, string>> {
  const store = await storeIn(stage.folder);
  const [account] = await store.accounts.list();
  const channels = account ? await store.channels.list(account.id) : [];
  await store.close();
  const settings = (kind: string) =>
    channels.find((channel) => channel.kind === kind)?.settings as Record<string, string>;
  return {
    "API key": API_KEY,
    "gateway token": account?.gatewayToken ?? "",
    "client id": account?.clientId ?? "",
    "webhook path": account?.webhookSecret ?? "",
    "bot token": BOT_TOKEN.split(":")[1] ?? "",
    "webhook secret of the bot": settings("telegram")?.webhookSecret ?? "",
    "door of the bot": stage.bot.door.split("/").at(-1) ?? "",
    "visitor key": settings("webchat")?.visitorKey ?? "",
    "visitor token": stage.visitor.headers.authorization.split(".").at(-1) ?? "",
    "web session": stage.cookie.split("=")[1] ?? "",
    "form token": stage.token,
    "key of the key ring": KEY_RING.keys[0]?.key.toString("base64") ?? "",
  };
}

describe("twelve planted secrets", () => {
  it("appear only in sealed form after every kind of failure, even at the most verbose log level", async () => {
    const counterparts = hostileCounterparts();
    const stage = await openStage({ around: counterparts.around, apiKey: API_KEY });
    const answers: string[] = [];
    for (let fault = 0; fault <= counterparts.count; fault++) {
      counterparts.set(fault);
      answers.push(...(await live(stage, fault)));
    }
    counterparts.set(0);
    answers.push(...(await live(stage, 99)));
    await stage.close();
    const secrets = await plantedSecrets(stage);
    expect(Object.keys(secrets)).toHaveLength(12);
    const rows = await readRows(stage.folder);
    const files = readdirSync(stage.folder).map((name) => bytesOf(join(stage.folder, name)));
    const toGateway = counterparts.asked
      .filter(({ url }) => url.includes("/api/transport/"))
      .map(({ body }) => JSON.stringify(body));
    const outputs = {
      log: stage.lines.join("\n"),
      answers: answers.join("\n"),
      rows: JSON.stringify(rows),
      file: files.join(""),
      gateway: toGateway.join("\n"),
    };
    const found = Object.entries(secrets).flatMap(([name, secret]) =>
      Object.entries(outputs).flatMap(([output, text]) =>
        formsOf(secret).some((form) => text.includes(form)) ? [`${name} in the ${output}`] : [],
      ),
    );
    expect(found).toEqual([]);
    expect(Object.values(secrets).filter((secret) => secret.length < 16)).toEqual([]);
    // The failures did happen: there are dead letters, and the log has every kind of failure.
    expect(rows.message?.filter(({ state, ack }) => state === "dead" || ack === "refused")).not.toEqual([]);
    const events = stage.lines.map((line) => (JSON.parse(line) as { event: string }).event);
    expect(events).toEqual(expect.arrayContaining(EVENTS));
    expect(outputs.log).toContain("***");
  });

  it("reach only the services they belong to", async () => {
    const counterparts = hostileCounterparts();
    const stage = await openStage({ around: counterparts.around, apiKey: API_KEY });
    await live(stage, 1);
    await stage.close();
    const { "gateway token": gateway = "", "client id": client = "" } = await plantedSecrets(stage);
    for (const { url, headers, body } of counterparts.asked) {
      const text = JSON.stringify([url, headers, body]);
      const toTelegram = url.startsWith("https://api.telegram.org/");
      const toTransport = url.includes("/api/transport/");
      if (!toTelegram) expect(text).not.toContain(BOT_TOKEN);
      if (!toTransport) expect(text).not.toContain(gateway);
      if (toTelegram || toTransport) for (const secret of [API_KEY, client]) expect(text).not.toContain(secret);
      if (!toTelegram) expect(url).not.toMatch(new RegExp([API_KEY, gateway, client].join("|")));
    }
  });
});

const bytesOf = (path: string): string => {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
};
