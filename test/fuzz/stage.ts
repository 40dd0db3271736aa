import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import type { Call } from "gangway-messenger/call";
import type { Clock } from "gangway-messenger/clock";
import { readRows } from "../support/engine.ts";
import type { Random } from "../support/random.ts";
import { OWN, runningSite } from "../support/site.ts";
import { BOT_TOKEN, permissiveTelegram } from "../support/telegram.ts";
import { until } from "../support/until.ts";

/** The clock's speed-up, so that the gateway's limit of thirty requests a second does not delay the run. */
const SPEED_UP = 20;
export function fastClock(): Clock {
  const began = Date.now();
  const now = () => began + (Date.now() - began) * SPEED_UP;
  return {
    now,
    monotonic: now,
    after(ms, run) {
      const timer = setTimeout(run, ms / SPEED_UP);
      return () => clearTimeout(timer);
    },
  };
}

interface Changes {
  around?(call: Call): Call;
  apiKey?: string;
  clock?: Clock;
  /** Opens its console. */
  consoleToken?: string;
}

/** A server with an account, a web chat and a bot, each with one known customer. */
export async function openStage({
  around = (call) => call,
  apiKey,
  clock = fastClock(),
  consoleToken: token,
}: Changes = {}) {
  const telegram = permissiveTelegram();
  const console = token === undefined ? undefined : { host: "127.0.0.1", port: 0, token };
  const site = await runningSite({ call: (real) => around(telegram.before(real)), clock, console });
  const rights = { scopes: ["integration_read", "integration_write"], credentials: [] };
  if (apiKey) site.sandbox.world.keys.set(apiKey, rights);
  const cookie = await site.connect(apiKey);
  await site.addChannel(cookie);
  const formToken = await site.formToken(cookie);
  const bot = { formToken, kind: "telegram", name: "Bot", "setting.token": BOT_TOKEN };
  await site.submit("/account/channels", { ...bot, "setting.groups": "members" }, { cookie });
  const ids = [...(await site.page(cookie)).matchAll(/ data-channel="([\w-]{22})"/g)].map((found) => found[1] ?? "");
  const { registration } = site.sandbox.world.modules.get("gangway") ?? {};
  const [webchat = 0, telegramId = 0] = [...site.sandbox.world.channels.keys()];
  const widget = /data-channel=&quot;([\w-]{43})&quot;/.exec(await site.page(cookie))?.[1];
  if (!widget) throw new Error(`the web chat was not added: ${site.lines.join("\n")}`);
  const stage = {
    ...site,
    cookie,
    token: formToken,
    /** Paths and their credentials. */
    hook: (registration?.integrations.mgTransport?.webhookUrl ?? "").replace(OWN, ""),
    clientId: registration?.clientId ?? "",
    bot: { door: telegram.door().replace(OWN, ""), secret: telegram.secret(), channel: telegramId, chat: "5120000042" },
    chat: { door: `/m/${widget}`, channel: webchat, ids },
  };
  const isDone = async () => {
    const { message = [] } = await readRows(site.folder, ["message"]);
    return message.every(({ state }) => state === "done");
  };
  /** Resolves once what they have said is delivered: nothing changes rows any more. */
  const settled = () => until("the delivery of all messages", isDone);
  return { ...stage, settled, visitor: await begin(stage) };
}

type Begun = Pick<Awaited<ReturnType<typeof runningSite>>, "ask"> & {
  bot: { door: string; secret: string; chat: string };
  chat: { door: string };
};

/** Sends the first message of a visitor and of a phone user, so that their chats exist. */
async function begin({ ask, bot, chat }: Begun) {
  const opened = await ask(`${chat.door}/open`, { method: "POST", body: "{}" });
  const { visitor } = (await opened.json()) as { visitor: string };
  const headers = { authorization: `Bearer ${visitor}` };
  const body = JSON.stringify({ id: randomUUID(), text: "hello" });
  const said = await ask(`${chat.door}/messages`, { method: "POST", headers, body });
  const { id } = (await said.json()) as { id: string };
  const file = await ask(`${chat.door}/files`, {
    method: "POST",
    headers: { ...headers, "content-type": "text/plain", "x-file-name": "a.txt" },
    body: "some bytes",
  });
  const person = { id: Number(bot.chat), type: "private", first_name: "Robin" };
  const update = {
    update_id: 1,
    message: { message_id: 1, date: 1_764_000_000, chat: person, from: person, text: "hi" },
  };
  await ask(bot.door, {
    method: "POST",
    headers: { "x-telegram-bot-api-secret-token": bot.secret },
    body: JSON.stringify(update),
  });
  return { headers, message: id, chat: visitor.split(".")[0] ?? "", file: ((await file.json()) as { id: string }).id };
}

export type Stage = Awaited<ReturnType<typeof openStage>>;

export const anyAddress = (random: Random) => `198.51.${random.int(256)}.${random.int(256)}`;

/** Sends a request as if from a socket. */
export function knock(
  stage: Pick<Stage, "ask">,
  path: string,
  init: RequestInit,
  body: Uint8Array,
  remoteAddress: string,
): Promise<Response> {
  const socket = { remoteAddress };
  const incoming = Object.assign(Readable.from(body.length > 0 ? [Buffer.from(body)] : []), { socket });
  return stage.ask(path, { method: "POST", ...init, body: new Uint8Array(body) }, { incoming });
}
