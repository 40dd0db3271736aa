import { mediaTypeOf } from "gangway-messenger/kit/emulator/media-types";
import { shapeFaults } from "gangway-messenger/kit/emulator/shape";
import { type Context, Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { z } from "zod";
import { connect } from "./business.ts";
import { type Phone, personOf } from "./phone.ts";
import { chatView } from "./phone-view.ts";
import type { BotCard, Person } from "./phone-wire.ts";
import { BotRefusal, PhoneRefusal } from "./refusal.ts";
import { addBot, addPerson, type Bot, newToken, type Room, type StoredPerson, type World } from "./world.ts";

export interface PhoneParts {
  world: World;
  phone: Phone;
  watch(bot: Bot): void;
  /** Aborted when the emulator stops. */
  ended: AbortSignal;
}

const personForm = z.object({
  firstName: z.string().min(1),
  lastName: z.string().optional(),
  username: z.string().optional(),
  language: z.string().optional(),
  phone: z.string().optional(),
  photo: z.string().optional(),
});
const botForm = z.object({
  username: z.string().regex(/^[A-Za-z]\w{1,28}bot$/i),
  name: z.string().min(1).max(64),
  isTest: z.boolean().optional(),
});
const mark = z.object({
  type: z.string(),
  offset: z.int(),
  length: z.int(),
  url: z.string().optional(),
  language: z.string().optional(),
  custom_emoji_id: z.string().optional(),
});
const mediaForm = z.object({
  kind: z.enum(["photo", "video", "animation", "video_note", "voice", "audio", "document", "sticker"]),
  file: z.string(),
  duration: z.number().optional(),
  emoji: z.string().optional(),
  animated: z.boolean().optional(),
  caption: z.string().optional(),
});
const editForm = z.object({
  text: z.string().nullable().optional(),
  marks: z.array(mark).optional(),
  media: mediaForm.optional(),
});
const draftForm = z.object({
  text: z.string().optional(),
  marks: z.array(mark).optional(),
  media: z.array(mediaForm).optional(),
  contact: z.object({ phone: z.string(), firstName: z.string(), lastName: z.string().optional() }).optional(),
  place: z
    .object({
      latitude: z.number().min(-90).max(90),
      longitude: z.number().min(-180).max(180),
      title: z.string().optional(),
      address: z.string().optional(),
    })
    .optional(),
  poll: z.object({ question: z.string().min(1), options: z.array(z.string().min(1)).min(1) }).optional(),
  dice: z.string().optional(),
  rich: z
    .array(z.looseObject({ type: z.string() }))
    .min(1)
    .max(500)
    .optional(),
  replyTo: z.int().optional(),
  quote: z.object({ text: z.string().min(1), position: z.int().min(0).optional() }).optional(),
  external: z
    .object({ from: z.string().min(1), isChannel: z.boolean().optional(), text: z.string().optional() })
    .optional(),
  story: z.int().min(1).optional(),
  gift: z
    .object({ stars: z.int().min(1), text: z.string().max(128).optional(), isPrivate: z.boolean().optional() })
    .optional(),
  uniqueGift: z.object({ name: z.string().min(1), number: z.int().min(1) }).optional(),
  forwardedFrom: z.string().optional(),
  start: z.string().max(64).optional(),
});
const groupForm = z.object({
  title: z.string().min(1),
  people: z.array(z.int()).min(1),
  bot: z.int(),
  supergroup: z.boolean().optional(),
  admin: z.boolean().optional(),
});

export async function readForm<T>(c: Context, form: z.ZodType<T>): Promise<T> {
  const parsed = form.safeParse(await c.req.json().catch(() => undefined));
  if (!parsed.success) throw new PhoneRefusal(400, shapeFaults(parsed.error));
  return parsed.data;
}
export function numberOf(c: Context, name: string): number {
  const value = Number(c.req.param(name));
  if (!Number.isSafeInteger(value)) throw new PhoneRefusal(404, `No such ${name}`);
  return value;
}
export function phoneFailure(error: Error, c: Context): Response {
  if (error instanceof PhoneRefusal) return c.json({ error: error.message }, error.status);
  return c.json({ error: error.message }, error instanceof BotRefusal ? 400 : 500);
}

const personView = ({ deactivated: _, photo: __, ...person }: StoredPerson): Person => person;
const botView = ({ id, username, name, token, queue }: Bot): BotCard => ({
  id,
  username,
  name,
  token,
  webhook: queue.webhook?.url ?? "",
});

export function phoneApi(parts: PhoneParts): Hono {
  const api = new Hono();
  api.onError(phoneFailure);
  peopleRoutes(api, parts);
  botRoutes(api, parts);
  businessRoutes(api, parts);
  fileRoutes(api, parts);
  groupRoutes(api, parts);
  chatRoutes(api, parts);
  messageRoutes(api, parts);
  return api;
}

function peopleRoutes(api: Hono, { world }: PhoneParts): void {
  api.get("/people", (c) => c.json([...world.people.values()].map(personView)));
  api.post("/people", async (c) => {
    const { photo: key, ...rest } = await readForm(c, personForm);
    const photo = key === undefined ? undefined : world.files.get(key);
    if (key !== undefined && !photo) throw new PhoneRefusal(400, `There is no file ${key}`);
    return c.json(personView(addPerson(world, rest, photo)));
  });
}

function botRoutes(api: Hono, { world, watch }: PhoneParts): void {
  api.get("/bots", (c) => c.json([...world.bots.values()].map(botView)));
  api.post("/bots", async (c) => {
    const form = await readForm(c, botForm);
    const isTaken = [...world.bots.values()].some(
      ({ username }) => username.toLowerCase() === form.username.toLowerCase(),
    );
    if (isTaken) throw new PhoneRefusal(400, "This username is already taken");
    const bot = addBot(world, form);
    watch(bot);
    return c.json(botView(bot));
  });
  api.post("/bots/:bot/revoke", (c) => {
    const bot = world.bots.get(numberOf(c, "bot"));
    if (!bot) throw new PhoneRefusal(404, "There is no such bot");
    bot.token = newToken(world, bot.id);
    return c.json(botView(bot));
  });
}

/** A business account has one chatbot at most. */
function businessRoutes(api: Hono, { world }: PhoneParts): void {
  const chatbotOf = (owner: number) =>
    [...world.connections.values()].find((each) => each.owner === owner && each.enabled)?.bot ?? null;
  api.get("/:person/chatbot", (c) => c.json({ bot: chatbotOf(numberOf(c, "person")) }));
  api.put("/:person/chatbot", async (c) => {
    const owner = personOf(world, numberOf(c, "person")).id;
    const { bot } = await readForm(c, z.object({ bot: z.int().nullable() }));
    if (bot !== null && !world.bots.has(bot)) throw new PhoneRefusal(404, "There is no such bot");
    const before = chatbotOf(owner);
    if (before === bot) return c.json({});
    if (before !== null) connect(world, { bot: before, owner, enabled: false });
    if (bot !== null) connect(world, { bot, owner });
    return c.json({});
  });
}

function fileRoutes(api: Hono, { world }: PhoneParts): void {
  api.post("/files", async (c) => {
    const bytes = new Uint8Array(await c.req.arrayBuffer());
    const name = decodeURIComponent(c.req.header("x-file-name") ?? "");
    const mediaType = c.req.header("content-type")?.split(";")[0]?.trim() || mediaTypeOf(name);
    return c.json({ id: world.files.add({ name, mediaType, bytes }).key });
  });
  api.get("/files/:key/:name?", (c) => {
    const file = world.files.get(c.req.param("key"));
    if (!file) throw new PhoneRefusal(404, "There is no such file");
    return c.body(Uint8Array.from(file.bytes), 200, {
      "content-type": file.mediaType,
      "content-security-policy": "sandbox",
      "x-content-type-options": "nosniff",
    });
  });
  api.get("/people/:person/photo", (c) => {
    const file = personOf(world, numberOf(c, "person")).photo;
    if (!file) throw new PhoneRefusal(404, "There is no photo");
    return c.body(Uint8Array.from(file.bytes), 200, { "content-type": file.mediaType });
  });
}

function groupRoutes(api: Hono, { phone }: PhoneParts): void {
  api.post("/groups", async (c) => c.json({ id: phone.makeGroup(await readForm(c, groupForm)) }));
  api.post("/groups/:chat/upgrade", (c) => c.json({ id: phone.upgrade(numberOf(c, "chat")) }));
}

function chatRoutes(api: Hono, parts: PhoneParts): void {
  const { phone } = parts;
  api.get("/:person/chats", (c) => c.json(phone.chats(numberOf(c, "person"))));
  api.get("/:person/events", (c) => events(c, parts, numberOf(c, "person")));
  api.post("/:person/chats/:chat/block", async (c) => {
    const { blocked } = await readForm(c, z.object({ blocked: z.boolean() }));
    phone.block(numberOf(c, "person"), numberOf(c, "chat"), blocked);
    return c.json({});
  });
}

const KEEP_ALIVE_MS = 20_000;

function events(c: Context, { world, ended }: PhoneParts, person: number): Response {
  personOf(world, person);
  return streamSSE(c, async (stream) => {
    const watcher = (room: Room) => {
      if (!room.people.includes(person)) return;
      void stream.writeSSE({ event: "chat", data: JSON.stringify(chatView(world, room, person)) });
    };
    world.watchers.add(watcher);
    // Comments show at once that the stream is open, and reveal dead connections.
    await stream.write(": open\n\n");
    const beat = setInterval(() => void stream.write(": beat\n\n"), KEEP_ALIVE_MS);
    await new Promise<void>((resolve) => {
      stream.onAbort(resolve);
      AbortSignal.any([ended, c.req.raw.signal]).addEventListener("abort", () => resolve(), { once: true });
    });
    clearInterval(beat);
    world.watchers.delete(watcher);
  });
}

function messageRoutes(api: Hono, { phone }: PhoneParts): void {
  const message = "/:person/chats/:chat/messages/:id";
  const at = (c: Context) => [numberOf(c, "person"), numberOf(c, "chat"), numberOf(c, "id")] as const;
  api.post("/:person/chats/:chat/messages", async (c) => {
    const draft = await readForm(c, draftForm);
    return c.json({ ids: phone.send(numberOf(c, "person"), numberOf(c, "chat"), draft) });
  });
  api.patch(message, async (c) => {
    phone.edit(...at(c), await readForm(c, editForm));
    return c.json({});
  });
  api.post("/:person/chats/:chat/erase", async (c) => {
    const { ids } = await readForm(c, z.object({ ids: z.array(z.int()).min(1) }));
    phone.erase(numberOf(c, "person"), numberOf(c, "chat"), ...ids);
    return c.json({});
  });
  api.delete(message, (c) => {
    phone.erase(...at(c));
    return c.json({});
  });
  api.put(`${message}/reaction`, async (c) => {
    const { emoji, as } = await readForm(c, z.object({ emoji: z.string().nullable(), as: z.int().optional() }));
    phone.react(...at(c), emoji, as);
    return c.json({});
  });
  api.post(`${message}/press`, async (c) => {
    phone.press(...at(c), (await readForm(c, z.object({ data: z.string() }))).data);
    return c.json({});
  });
}
