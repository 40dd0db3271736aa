import { readdirSync, readFileSync } from "node:fs";
import type { Random } from "../support/random.ts";
import { OWN } from "../support/site.ts";
import { type Json, mutatedBody, mutatedForm } from "./mutate.ts";
import { anyAddress, knock, type Stage } from "./stage.ts";

/** A public endpoint, and a generator of hostile requests to it. */
export interface Door {
  name: string;
  knock(stage: Stage, random: Random): Promise<Response>;
  /** A short run sends this many times fewer bodies, because each also calls the CRM and the gateway. */
  weight?: number;
}

const SAMPLES = new URL("../../messengers/telegram/samples/", import.meta.url);
const updates = readdirSync(SAMPLES).map(
  (file) => (JSON.parse(readFileSync(new URL(file, SAMPLES), "utf8")) as { update: Json }).update,
);

/** A random UUID from the seed. */
const uuid = (random: Random) => {
  const digits = (count: number) => Array.from({ length: count }, () => random.int(16).toString(16)).join("");
  return `${digits(8)}-${digits(4)}-4${digits(3)}-8${digits(3)}-${digits(12)}`;
};

/** A webhook of a random type. */
function webhook({ bot, chat, visitor }: Stage, random: Random): Json {
  const toBot = random.chance(0.5);
  const chatRef = {
    channel_id: toBot ? bot.channel : chat.channel,
    external_chat_id: toBot ? bot.chat : visitor.chat,
    external_user_id: toBot ? bot.chat : visitor.chat,
  };
  const at = { ...chatRef, external_message_id: toBot ? `${bot.chat}:1` : visitor.message };
  const meta = { timestamp: random.int(2 ** 31) };
  const money = { value: 12.5, currency: "EUR" };
  const suggestions = [
    { type: "text", title: "Yes", payload: "yes" },
    { type: "url", title: "Shop", payload: "https://shop.example" },
  ];
  const product = {
    id: 1,
    name: "Rope",
    article: "R1",
    url: "https://shop.example",
    img: "https://x.example/a.jpg",
    cost: money,
  };
  const item = { name: "Rope", quantity: { value: 2, unit: "m" }, price: money };
  const delivery = { name: "Post", address: "Harbour 1", price: money };
  const order = {
    number: "1A",
    date: "2026-01-01T00:00:00Z",
    cost: money,
    status: { name: "New" },
    items: [item],
    delivery,
  };
  const sent = {
    ...chatRef,
    id: random.int(2 ** 40),
    type: "text",
    content: "hi",
    quote_external_id: null,
    quote_content: null,
  };
  const files = [{ id: uuid(random), caption: "a rope", size: 10, width: 1, height: 1 }];
  const author = { id: 1, first_name: "Ann", last_name: "Agent", avatar: "" };
  const bodies: [string, Json][] = [
    ["message_sent", { ...sent, user: author, attachments: { suggestions } }],
    [
      "message_sent",
      { ...sent, type: "image", content: "note", items: files, quote_external_id: at.external_message_id },
    ],
    ["message_sent", { ...sent, type: "product", product }],
    ["message_sent", { ...sent, type: "order", order, bot: { id: 1, name: "Bot", avatar: "" } }],
    ["message_updated", { ...at, type: "text", content: `x${random.int(99)}` }],
    ["message_deleted", at],
    ["message_read", at],
    ["reaction_add", { ...at, new_reaction: "👍", all_reactions: [] }],
    ["reaction_delete", { ...at, all_reactions: [] }],
    ["template_create", { channel_id: bot.channel, name: "n", body: "b", lang: "en", category: "c" }],
  ];
  const [type, data] = random.pick(bodies);
  return { type, meta, data };
}

const gateway: Door = {
  name: "gateway",
  knock: (stage, random) =>
    knock(
      stage,
      stage.hook,
      { headers: { clientid: stage.clientId } },
      mutatedBody(webhook(stage, random), random),
      anyAddress(random),
    ),
};

const telegram: Door = {
  name: "telegram",
  knock(stage, random) {
    const headers = { "x-telegram-bot-api-secret-token": stage.bot.secret };
    return knock(
      stage,
      stage.bot.door,
      { headers },
      mutatedBody(fresh(random.pick(updates), random), random),
      anyAddress(random),
    );
  },
};

/** Usually changes the message id: a known one would be dropped as a duplicate. */
function fresh(update: Json, random: Random): Json {
  if (random.chance(0.3)) return update;
  const text = JSON.stringify(update);
  return JSON.parse(text.replaceAll(/"message_id":\d+/g, `"message_id":${random.int(2 ** 31)}`)) as Json;
}

/** A random call of the widget. */
function widgetCall({ visitor }: Stage, random: Random): [string, Json] {
  const context = { page: "https://shop.example/rope", answers: "phone", utm: { source: "news", term: "rope" } };
  const message = { id: uuid(random), text: "+356 2123 4567", quote: visitor.message, ...context };
  return random.pick<[string, Json]>([
    ["open", { visitor: visitor.headers.authorization.slice("Bearer ".length) }],
    ["messages", message],
    ["messages", { ...message, files: [{ id: visitor.file }] }],
    ["read", { id: visitor.message }],
    ["files", "some bytes"],
  ]);
}

const webchat: Door = {
  name: "webchat",
  knock(stage, random) {
    const [path, body] = widgetCall(stage, random);
    const name = random.pick(["a.txt", "%ff", "%00", "../../x", "a".repeat(500), "%F0%9F%A7%B5"]);
    const headers = {
      ...stage.visitor.headers,
      "x-file-name": name,
      "content-type": random.pick(["image/png", "x", ""]),
    };
    return knock(stage, `${stage.chat.door}/${path}`, { headers }, mutatedBody(body, random), anyAddress(random));
  },
};

const CHANNEL_FIELDS: Record<string, string> = {
  name: "Shop chat",
  "setting.title": "t",
  "setting.accent": "#000000",
  unsure: "hold",
};

/** A form of our pages, sent with a valid token. */
function form(
  name: string,
  path: (stage: Stage, random: Random) => string,
  fields: Record<string, string>,
  weight = 1,
): Door {
  return {
    name,
    weight,
    knock(stage, random) {
      const { token: formToken, cookie } = stage;
      const sample = {
        formToken,
        ...fields,
        ...(name === "enter" || name === "activity" ? { clientId: stage.clientId } : {}),
      };
      // Keep the token valid: a mutated one would stop nearly every form at the first check.
      const mutated = Buffer.concat([Buffer.from(`formToken=${formToken}&`), mutatedForm(sample, random)]);
      const type = random.pick([
        "application/x-www-form-urlencoded",
        "application/x-www-form-urlencoded; charset=utf-8",
      ]);
      const headers = { cookie, origin: OWN, "content-type": type };
      return knock(stage, path(stage, random), { headers, redirect: "manual" }, mutated, anyAddress(random));
    },
  };
}

const channelPath = (end: string) => (stage: Stage, random: Random) =>
  `/account/channels/${random.chance(0.8) ? (stage.chat.ids[0] ?? "") : random.pick(["x", "%00", "%ff", "..", "__proto__"])}${end}`;
const at = (path: string) => () => path;

const sketch = { text: "three ropes", kind: "image", count: "3", size: "1", buttons: "Yes\nNo" };
const said = { activity: JSON.stringify({ active: true, freeze: false }), systemUrl: "https://evil.example" };
const jobPath = (_: Stage, random: Random) =>
  `/account/jobs/${random.pick(["1", "2", "0", "-1", "999999999999999", "1e3", "x", "%00"])}/again`;

/** Endpoints without a page of ours. */
export const webhookDoors: Door[] = [gateway, telegram, webchat];

/** Every form of the account page and the CRM's. */
export const formDoors: Door[] = [
  form("connect", at("/"), { crmUrl: "http://127.0.0.1:7001", apiKey: "sandbox-key" }, 3),
  form("check", at("/check"), { crmUrl: "http://127.0.0.1:7001", apiKey: "sandbox-key" }, 3),
  form("enter", at("/account"), {}),
  form("activity", at("/actions/activity"), said, 3),
  form("add", at("/account/channels"), { ...CHANNEL_FIELDS, kind: "webchat" }, 3),
  form("change", channelPath(""), CHANNEL_FIELDS, 3),
  form("resume", channelPath("/resume"), {}),
  form("preview", channelPath("/preview"), sketch),
  form("again", jobPath, {}),
  form("remove", (_, random) => `/account/channels/${random.pick(["x", "%00", "%ff"])}/remove`, {}),
];
