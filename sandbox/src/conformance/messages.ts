import { NORMAL, type Stage } from "./stage.ts";

const cost = { value: 12.5, currency: "EUR" };
const PRODUCT = { id: 1, name: "Rope", article: "R", unit: "m", url: "https://a.example/r", cost };
const STATES = ["approval", "assembling", "cancel", "complete", "delivery", "new"];
const orderIn = (code: string) => ({
  number: "7",
  date: "2026-01-01T00:00:00Z",
  cost,
  status: { code, name: code },
  items: [{ name: "Rope", price: cost, quantity: { value: 2, unit: "m" } }],
  delivery: { name: "Parcel", price: cost, address: "Quay 7" },
  payments: [{ name: "Card", amount: cost, status: { name: "Paid", payed: true } }],
});
const MEDIA = {
  image: "image/png",
  file: "text/plain",
  audio: "audio/ogg",
  video: "video/mp4",
  none: "application/octet-stream",
};
export const CODES = [
  "access_restricted",
  "async_send_timeout",
  "customer_not_exists",
  "general",
  "malformed_response",
  "network_error",
  "reply_timed_out",
  "spam_suspicion",
  "unknown",
];
const ACK_CODES = ["access_restricted", "customer_not_exists", "general", "reply_timed_out", "spam_suspicion"];

export interface ChatRef {
  channel: number;
  chat: number;
}

const CUSTOMER = {
  external_id: "u1",
  nickname: "Jo",
  first_name: "Jo",
  phone: "+123",
  utm: { source: "ad" },
  secondary_external_ids: ["u1b"],
};

let count = 0;
/** Posts a message from the messenger; resolves with the gateway's id. */
export async function post({ transport }: Stage, channel: number, message: object, top: object = {}): Promise<number> {
  count += 1;
  const { body } = await transport("POST", "/messages", {
    channel,
    external_chat_id: "chat1",
    customer: CUSTOMER,
    ...top,
    message: { type: "text", text: `hi ${count}`, external_id: `m${count}`, ...message },
  });
  return Number(body.message_id);
}

export async function openChat(stage: Stage, channel: number): Promise<number> {
  await post(stage, channel, {}, { reply_deadline: "2030-01-01T00:00:00Z" });
  const { body } = await stage.user("GET", `/chats?channel_id=${channel}`);
  return Number((body as unknown as { id: number }[])[0]?.id);
}

/** Inbound: every type and originator; edit, delete, restore, react, read, import history. */
export async function driveInbound(stage: Stage, { channel }: ChatRef): Promise<void> {
  const { transport } = stage;
  const kinds = Object.values(MEDIA);
  const files = await Promise.all(kinds.map((mediaType) => stage.upload("transport", mediaType)));
  await transport("GET", `/files/${files[0]}`);
  const { origin } = stage.running;
  await transport("POST", "/files/upload_by_url", { url: `${origin}/shop/rope.svg` });
  const [image, file, audio] = files.map((id) => [{ id, caption: "c" }]);
  const ids = [
    await post(stage, channel, { type: "image", items: image, note: "n" }),
    await post(stage, channel, { type: "file", items: files.slice(1).map((id) => ({ id })) }),
    await post(stage, channel, { type: "audio", items: audio, text: undefined }),
    await post(stage, channel, { type: "product", product: PRODUCT }),
    await post(stage, channel, { type: "command", text: "/start" }),
    await post(stage, channel, {}, { originator: "channel" }),
    await post(stage, channel, {}, { originator: "user" }),
    await post(stage, channel, {}, { originator: "customer" }),
  ];
  for (const code of STATES) ids.push(await post(stage, channel, { type: "order", order: orderIn(code) }));
  for (const id of ids) {
    await transport("DELETE", "/messages", { channel, message: { id } });
    await transport("POST", "/messages/restore", { channel_id: channel, message: { id } });
    const reply = await post(stage, channel, {}, { quote: { id } });
    await transport("DELETE", "/messages", { channel, message: { id: reply } });
  }
  await driveMarks(stage, channel, ids[0] ?? 0);
  for (const originator of ["", "channel", "customer", "user"])
    await transport("POST", "/messages/history", {
      channel_id: channel,
      customer: CUSTOMER,
      originator,
      message: { type: "file", items: file, external_id: `past-${originator}`, created_at: "2020-01-01T00:00:00Z" },
    });
}

async function driveMarks({ transport, agent }: Stage, channel: number, id: number): Promise<void> {
  const message = { id };
  await transport("PUT", "/messages", { channel, message: { id, text: "Edited", edited_at: 1 } });
  await transport("POST", "/messages/reaction", { channel, message, reaction: "👍" });
  await transport("DELETE", "/messages/reaction", { channel, message, reaction: null });
  await agent("PUT", `/messages/${id}/reaction`, { reaction: "👍" });
  await agent("PUT", `/messages/${id}/reaction`, { reaction: "🔥" });
  await agent("DELETE", `/messages/${id}/reaction`);
}

/** Outbound: everything agents and bots write, edit, delete and read. */
export async function driveOutbound(stage: Stage, { channel, chat }: ChatRef): Promise<void> {
  const { user, bot, agent, transport, hooks, until } = stage;
  const files = Object.fromEntries(
    await Promise.all(Object.entries(MEDIA).map(async ([kind, type]) => [kind, await stage.upload("bot", type)])),
  ) as Record<keyof typeof MEDIA, string>;
  const suggestions = ["email", "phone", "text", "url"].map((type) => ({ type, title: type, payload: type }));
  const bodies: object[] = [
    { content: "Hello", transport_attachments: { suggestions } },
    { type: "image", items: [{ id: files.image, caption: "c" }], note: "n" },
    { type: "file", items: [{ id: files.file }, { id: files.video }, { id: files.none }] },
    { type: "audio", items: [{ id: files.audio }] },
    { type: "product", product: PRODUCT },
    ...STATES.map((code) => ({ type: "order", order: orderIn(code) })),
    { content: "To everybody", mass_communication: true },
    { type: "command", content: "/go" },
  ];
  const ids: number[] = [];
  for (const body of bodies) ids.push(await say(user, chat, body));
  await say(bot, chat, { content: "A bot" });
  await say(bot, chat, { content: "A note", scope: "private" });
  const sent = await say(user, chat, { content: "Typo", transport_attachments: { suggestions } });
  await until("the webhook", () => hooks.some((hook) => hook.data.id === sent));
  await until("delivery", () => stage.running.sandbox.world.messageById(sent)?.status === "received");
  await user("PATCH", `/messages/${sent}`, { content: "Mended" });
  await transport("POST", "/messages/read", { channel_id: channel, message: { id: sent } });
  const until2030 = { customer_external_id: "u1", until: "2030-01-01T00:00:00Z" };
  await transport("POST", "/messages/read_until", { channel_id: channel, ...until2030 });
  // The Transport API shows agents' messages with their allowed actions.
  await transport("DELETE", "/messages", { channel, message: { id: sent } });
  await transport("POST", "/messages/restore", { channel_id: channel, message: { id: sent } });
  const quoting = await say(user, chat, { content: "Quoting", quote_message_id: sent });
  await user("DELETE", `/messages/${quoting}`);
  await agent("POST", `/chats/${chat}/read`);
  for (const status of ["ready", "in_progress", "error"])
    await bot("PUT", `/files/${files.audio}/meta`, { transcription: "words", transcription_status: status });
  await bot("GET", `/files/${files.audio}`);
  await bot("POST", "/files/upload_by_url", { url: `${stage.running.origin}/shop/rope.svg` });
  await until("every webhook", () => ["message_deleted", "message_read"].every((t) => hooks.some((h) => h.type === t)));
}

export async function say(ask: Stage["user"], chat: number, body: object): Promise<number> {
  return Number(
    (await ask("POST", "/messages", { chat_id: chat, scope: "public", type: "text", ...body })).body.message_id,
  );
}

/** Every failure of a message: the module's answer, its ack, and the gateway's own. */
export async function driveFailures(stage: Stage, { channel, chat }: ChatRef): Promise<void> {
  const { user, bot, transport, reply, running, until, control } = stage;
  const failed = async (id: number, code: string) => {
    await until(`${code} on a message`, () => running.sandbox.world.messageById(id)?.error?.code === code);
    await bot("GET", `/messages?id=${id}`);
    await transport("DELETE", "/messages", { channel, message: { id } });
  };
  for (const code of CODES) {
    reply(() => ({ status: 422, body: { error: { code, message: "The messenger said no" } } }));
    await failed(await say(user, chat, { content: code }), code);
  }
  reply(() => ({ body: { async: true } }));
  for (const code of ACK_CODES) {
    const id = await say(user, chat, { content: `ack ${code}` });
    await until("acceptance", () => running.sandbox.world.messageById(id)?.status === "sent");
    const error = { code, message: "no", external_code: "17" };
    await transport("POST", "/messages/ack", { channel, message: { id }, error });
    await failed(id, code);
  }
  const late = await say(user, chat, { content: "never acked" });
  await until("acceptance", () => running.sandbox.world.messageById(late)?.status === "sent");
  await control("POST", "/clock", { jumpMs: 3_600_000 });
  await failed(late, "async_send_timeout");
  reply(() => ({ body: "<html>not JSON" }));
  await failed(await say(user, chat, { content: "malformed" }), "malformed_response");
  await stage.moduleIsUp(false);
  await failed(await say(user, chat, { content: "nobody there" }), "network_error");
  await stage.moduleIsUp(true);
  reply(NORMAL);
  const acked = await say(user, chat, { content: "acked" });
  await transport("POST", "/messages/ack", { channel, message: { id: acked }, transport_message_id: "t-late" });
}

/** The module refuses every webhook except messages; the gateway carries on. */
export async function driveRefusedWebhooks(stage: Stage, { channel, chat }: ChatRef): Promise<void> {
  const { user, agent, reply, hooks, until, running } = stage;
  const id = await say(user, chat, { content: "To be edited" });
  await until("delivery", () => running.sandbox.world.messageById(id)?.status === "received");
  const theirs = await post(stage, channel, {});
  const template = { name: "Refused", body: "x" };
  const code = ((await agent("POST", `/channels/${channel}/templates`, template)).body as { code?: string }).code ?? "";
  const before = hooks.length;
  reply(() => ({ status: 422, body: { error: { code: "general", message: "Not now" } } }));
  await user("PATCH", `/messages/${id}`, { content: "Edited" });
  await user("DELETE", `/messages/${id}`);
  await agent("POST", `/chats/${chat}/read`);
  await agent("PUT", `/messages/${theirs}/reaction`, { reaction: "👍" });
  await agent("DELETE", `/messages/${theirs}/reaction`);
  const path = `/channels/${channel}/templates/${encodeURIComponent(code)}`;
  await agent("PUT", path, { body: "y" });
  await agent("DELETE", path);
  await agent("POST", `/channels/${channel}/templates`, template);
  await until("all eight", () => new Set(hooks.slice(before).map(({ type }) => type)).size === 8);
  reply(NORMAL);
}
