import { openChannel } from "./channels.ts";
import { openChat, post, say } from "./messages.ts";
import { NORMAL, type Stage } from "./stage.ts";

const COLOURS =
  "blue,gray,grayish-blue,green,light-blue,light-gray,light-grayish-blue,light-green,light-orange,light-red,orange,red";
const FLAGS = ["0", "1", "false", "true"];
interface Named {
  id: number;
}

export async function driveOwn({ bot }: Stage): Promise<void> {
  await bot("PUT", "/my/commands/go", { description: "Go" });
  await bot("PUT", "/my/commands/go", { name: "run", description: "Run" });
  await bot("GET", "/my/commands?name=run");
  await bot("DELETE", "/my/commands/run");
  const roles = ["distributor", "hidden", "responsible"];
  await bot("PATCH", "/my/info", { name: "Conformant", roles, avatar_url: null });
  await bot("GET", `/bots?${roles.map((role) => `role=${role}`).join("&")}&self=1`);
}

/** Dialogs opened, assigned, tagged and closed; each step adds a system message. */
export async function driveDialogs(stage: Stage, chat: number): Promise<void> {
  const { bot } = stage;
  const [self] = (await bot("GET", "/bots?self=true")).body as unknown as Named[];
  const [user] = (await bot("GET", "/users?active=true")).body as unknown as Named[];
  const { body } = await bot("POST", `/chats/${chat}/dialogs`, { user_id: user?.id });
  const path = `/dialogs/${body.id}`;
  await bot("PATCH", `${path}/assign`, { bot_id: self?.id });
  await bot("PATCH", `${path}/assign`, { user_id: user?.id, bot_id: 0 });
  await bot("GET", `/dialogs?assign=true&user_id=${user?.id}`);
  await bot("PATCH", `${path}/unassign`);
  const tags = COLOURS.split(",").map((color_code) => ({ name: color_code, color_code }));
  await bot("PATCH", `${path}/tags/add`, { tags });
  await bot("GET", "/dialogs?active=true");
  await bot("PATCH", `${path}/tags/delete`, { tags: tags.map(({ name }) => ({ name })) });
  await bot("DELETE", `${path}/close`);
}

export async function drivePeople(stage: Stage, chat: number): Promise<void> {
  const { agent, bot, user, control } = stage;
  const [{ customer }] = (await bot("GET", `/chats?id=${chat}`)).body as unknown as [{ customer: Named }];
  for (const blocked of [true, false]) await agent("PATCH", `/customers/${customer.id}`, { is_blocked: blocked });
  await agent("PATCH", "/me", { is_online: false, available: false });
  await agent("PATCH", "/me", { is_online: true, available: true, first_name: "Alexis" });
  await agent("POST", `/chats/${chat}/leave`);
  const { body: second } = await control("POST", "/agents", { first_name: "Sam" });
  const colleague = (await user("POST", `/chats/${chat}/dialogs`, { user_id: Number(second.id) })).body;
  await agent("DELETE", `/chats/${chat}/members/${second.id}`);
  await user("DELETE", `/dialogs/${colleague.id}/close`);
  await control("PATCH", `/agents/${second.id}`, { active: false });
  for (const state of ["active", "kicked", "leaved"]) await bot("GET", `/members?chat_id=${chat}&state=${state}`);
  await say(user, chat, { content: "One of us has gone" });
  await bot("GET", "/customers?limit=10");
}

/** Lists with every filter, short-lived statuses, waiting chats. */
export async function driveLists(stage: Stage, channel: number): Promise<void> {
  const { bot, user, control, reply, until, running } = stage;
  for (const flag of FLAGS)
    for (const query of [`/bots?self=${flag}`, `/users?online=${flag}`, `/channels?active=${flag}`])
      await bot("GET", query);
  for (const scope of ["private", "public"]) await bot("GET", `/messages?limit=1000&scope=${scope}`);
  for (const type of ["audio", "command", "file", "image", "order", "product", "system", "text"])
    await bot("GET", `/messages?type=${type}&include_mass_communication=1`);
  const waiting = await openChannel(stage);
  await post(
    stage,
    waiting,
    {},
    { external_chat_id: "patient", customer: { external_id: "patient", nickname: "Pat" } },
  );
  for (const jumpMs of [0, 301_000, 601_000]) {
    await control("POST", "/clock", { jumpMs });
    await bot("GET", `/chats?channel_id=${waiting}`);
  }
  const chat = await openChat(stage, channel);
  await control("PUT", "/settings", { webhookTimeoutMs: 300 });
  reply(() => "silence");
  const id = await say(user, chat, { content: "on its way" });
  await bot("GET", `/messages?id=${id}`);
  await until("its end", () => running.sandbox.world.messageById(id)?.status === "failed");
  reply(NORMAL);
}

/** `deleteAnswer: previous` makes the Transport API show messages of agents and the system. */
export async function drivePrevious(stage: Stage, channel: number): Promise<void> {
  const { control, transport, bot, user, agent, reply } = stage;
  await control("PUT", "/settings", { deleteAnswer: "previous" });
  const target = { external_chat_id: "previous", customer: { external_id: "previous", nickname: "Pre" } };
  await post(stage, channel, {}, target);
  const { body } = await bot("GET", "/chats?customer_external_id=previous");
  const [chat] = body as unknown as [Named & { customer: Named }];
  const spare: number[] = [];
  for (let n = 0; n < 16; n++) spare.push(await post(stage, channel, {}, target));
  const look = () => transport("DELETE", "/messages", { channel, message: { id: spare.shift() } });
  const [self] = (await bot("GET", "/bots?self=true")).body as unknown as Named[];
  const first = await say(user, chat.id, { content: "joins" });
  await transport("DELETE", "/messages", { channel, message: { id: first } });
  reply(() => "silence");
  await say(user, chat.id, { content: "on its way" });
  await look();
  reply(NORMAL);
  const { body: dialog } = await bot("POST", `/chats/${chat.id}/dialogs`, {});
  await look();
  const acts: (() => Promise<unknown>)[] = [
    () => bot("PATCH", `/dialogs/${dialog.id}/assign`, { bot_id: self?.id }),
    () => bot("PATCH", `/dialogs/${dialog.id}/unassign`),
    () => bot("PATCH", `/dialogs/${dialog.id}/tags/add`, { tags: [{ name: "a" }] }),
    () => bot("PATCH", `/dialogs/${dialog.id}/tags/delete`, { tags: [{ name: "a" }] }),
    () => agent("PATCH", `/customers/${chat.customer.id}`, { is_blocked: true }),
    () => agent("PATCH", `/customers/${chat.customer.id}`, { is_blocked: false }),
    () => agent("POST", `/chats/${chat.id}/leave`),
    () => bot("DELETE", `/dialogs/${dialog.id}/close`),
    () => say(bot, chat.id, { content: "a bot's note", scope: "private" }),
  ];
  for (const act of acts) {
    await act();
    await look();
  }
  const { body: joined } = await bot("POST", `/chats/${chat.id}/dialogs`, {});
  await agent("POST", `/chats/${chat.id}/read`);
  await user("PATCH", `/dialogs/${joined.id}/assign`, { user_id: await ownId(stage) });
  await look();
  await control("PUT", "/settings", { deleteAnswer: "deleted" });
  await agent("DELETE", "/chats", { ids: [chat.id] });
}

async function ownId({ control }: Stage): Promise<number> {
  const [agent] = (await control("GET", "/agents")).body as unknown as Named[];
  return agent?.id ?? 0;
}
