import { readBody } from "gangway-meta/emulator/control";
import { type Context, Hono } from "hono";
import { z } from "zod";
import {
  bring,
  changeNumber,
  changeUserId,
  type Draft,
  edit,
  goOnline,
  openChat,
  prefer,
  press,
  react,
  revoke,
  write,
} from "./acts.ts";
import { statusError } from "./codes.ts";
import { staffEdits, staffRevokes, staffWrites } from "./coexistence.ts";
import { besideControl } from "./control-beside.ts";
import { accountOf, announce, type Network } from "./network.ts";
import { templateAt } from "./owned.ts";
import { addCustomer, newNumber } from "./seed.ts";
import { fail, mark } from "./statuses.ts";
import { rate, recategorize, review } from "./templates.ts";
import { type Chat, type Content, type Customer, chatOf, type Message } from "./world.ts";

/** What customers, staff and Meta do, as JSON: for tests and other programs. */
export function whatsappControl(network: Network): Hono {
  const api = new Hono();
  api.onError((error, c) => c.json({ error: error.message }, 400));
  customerRoutes(api, network);
  messageRoutes(api, network);
  businessRoutes(api, network);
  templateRoutes(api, network);
  api.route("/", besideControl(network));
  return api;
}

const view = ({ blocked, optedOut, ...rest }: Customer) => ({
  ...rest,
  blocked: [...blocked],
  optedOut: [...optedOut],
});

const newCustomer = z.strictObject({
  name: z.string().min(1),
  phone: z.string().regex(/^\d{5,15}$/),
  username: z.string().optional(),
  isHidden: z.boolean().optional(),
  readsAtOnce: z.boolean().optional(),
});
const customerChange = z.strictObject({
  name: z.string().min(1).optional(),
  phone: z
    .string()
    .regex(/^\d{5,15}$/)
    .optional(),
  userId: z.string().optional(),
  isHidden: z.boolean().optional(),
  isOnline: z.boolean().optional(),
  readsAtOnce: z.boolean().optional(),
  blocks: z.boolean().optional(),
  marketing: z.enum(["stop", "resume"]).optional(),
  reads: z.literal(true).optional(),
});

function customerOf({ world }: Network, c: Context): Customer {
  const customer = world.customers.find(({ n }) => n === Number(c.req.param("n")));
  if (!customer) throw new Error("There is no such customer");
  return customer;
}
/** With `?number=<phone number id>`, else the first number. */
export function chatFor(network: Network, customer: Customer, id: string | undefined): Chat {
  const { numbers } = network.world;
  const number = id === undefined ? [...numbers.values()][0] : numbers.get(id);
  if (!number) throw new Error(`There is no number ${id}`);
  return chatOf(network.world, number, customer);
}

function customerRoutes(api: Hono, network: Network): void {
  const { world, core } = network;
  api.get("/customers", (c) => c.json(world.customers.map(view)));
  api.post("/customers", async (c) => c.json(view(addCustomer(world, core.random, await readBody(c, newCustomer)))));
  api.patch("/customers/:n", async (c) => {
    const customer = customerOf(network, c);
    const chat = chatFor(network, customer, c.req.query("number"));
    await change(network, customer, chat, await readBody(c, customerChange));
    return c.json(view(customer));
  });
  api.post("/customers/:n/messages", async (c) => {
    const chat = chatFor(network, customerOf(network, c), c.req.query("number"));
    const { id } = await write(network, chat, draftOf(await readBody(c, draft)));
    return c.json({ id });
  });
}

async function change(
  network: Network,
  customer: Customer,
  chat: Chat,
  asked: z.infer<typeof customerChange>,
): Promise<void> {
  const { phone, userId, isOnline, blocks, marketing, reads, ...plain } = asked;
  Object.assign(customer, plain);
  if (blocks === true) customer.blocked.add(chat.number.id);
  if (blocks === false) customer.blocked.delete(chat.number.id);
  if (phone !== undefined) await changeNumber(network, customer, phone);
  if (userId !== undefined) await changeUserId(network, customer, userId);
  if (isOnline !== undefined) await goOnline(network, customer, isOnline);
  if (marketing !== undefined) await prefer(network, chat, marketing);
  if (reads) await openChat(network, chat);
}

const draft = z.strictObject({
  text: z.string().optional(),
  media: z
    .strictObject({
      kind: z.enum(["image", "video", "audio", "voice", "document", "sticker", "animated"]),
      name: z.string().default("file"),
      mediaType: z.string(),
      base64: z.string(),
      caption: z.string().optional(),
    })
    .optional(),
  location: z.looseObject({ latitude: z.number(), longitude: z.number() }).optional(),
  contacts: z.array(z.looseObject({})).optional(),
  order: z.looseObject({ catalog_id: z.string(), product_items: z.array(z.looseObject({})).min(1) }).optional(),
  unsupported: z.string().optional(),
  raw: z.looseObject({ type: z.string() }).optional(),
  quote: z.string().optional(),
  forwarded: z.enum(["once", "often"]).optional(),
  referral: z
    .looseObject({ source_url: z.string(), source_id: z.string(), source_type: z.enum(["ad", "post"]) })
    .optional(),
  product: z.strictObject({ catalog_id: z.string(), product_retailer_id: z.string() }).optional(),
});

function draftOf({ media, ...rest }: z.infer<typeof draft>): Draft {
  const { base64 = "", ...file } = media ?? {};
  const read = media && { ...file, bytes: Buffer.from(base64, "base64") };
  return { ...rest, ...(read && { media: read }) } as Draft;
}

const status = z.strictObject({
  status: z.enum(["sent", "delivered", "read", "played", "failed"]),
  code: z.int().optional(),
  details: z.string().optional(),
});

function messageRoutes(api: Hono, network: Network): void {
  const of = (c: Context): { chat: Chat; message: Message } => {
    const found = network.world.messages.get(c.req.param("id") ?? "");
    if (!found) throw new Error("There is no such message");
    return found;
  };
  api.post("/messages/:id/status", async (c) => {
    const { chat, message } = of(c);
    const { status: reached, code = 131_000, details } = await readBody(c, status);
    if (reached === "failed") await fail(network, chat, message, statusError(code, details));
    else await mark(network, chat, message, reached);
    return c.json({});
  });
  api.post("/messages/:id/press", async (c) => {
    const { chat, message } = of(c);
    const { button } = await readBody(c, z.strictObject({ button: z.string() }));
    return c.json({ id: (await press(network, chat, message, button)).id });
  });
  api.put("/messages/:id/reaction", async (c) => {
    const { chat, message } = of(c);
    await react(network, chat, message, (await readBody(c, z.strictObject({ emoji: z.string().nullable() }))).emoji);
    return c.json({});
  });
  api.patch("/messages/:id", async (c) => {
    const { chat, message } = of(c);
    const { text } = await readBody(c, z.strictObject({ text: z.string() }));
    await (message.from === "staff" ? staffEdits : edit)(network, chat, message, text);
    return c.json({});
  });
  api.delete("/messages/:id", async (c) => {
    const { chat, message } = of(c);
    await (message.from === "staff" ? staffRevokes : revoke)(network, chat, message);
    return c.json({});
  });
}

const numberChange = z.strictObject({
  quality: z.enum(["GREEN", "YELLOW", "RED", "UNKNOWN"]).optional(),
  tier: z.string().optional(),
  status: z.enum(["CONNECTED", "FLAGGED", "RESTRICTED", "BANNED", "PENDING"]).optional(),
  isCoexistence: z.boolean().optional(),
  isRegistered: z.boolean().optional(),
  /** Announces the change so. */
  event: z.enum(["ONBOARDING", "UPGRADE", "DOWNGRADE", "FLAGGED", "UNFLAGGED", "THROUGHPUT_UPGRADE"]).optional(),
});

function businessRoutes(api: Hono, network: Network): void {
  const { world } = network;
  const numberOf = (c: Context) => {
    const number = world.numbers.get(c.req.param("id") ?? "");
    if (!number) throw new Error("There is no such number");
    return number;
  };
  api.post("/numbers", async (c) =>
    c.json(newNumber(network, await readBody(c, z.strictObject({ name: z.string() })))),
  );
  api.patch("/numbers/:id", async (c) => {
    const number = numberOf(c);
    const { event, ...plain } = await readBody(c, numberChange);
    const before = number.tier;
    Object.assign(number, plain);
    const value = { display_phone_number: number.digits, event, current_limit: number.tier, old_limit: before };
    if (event) await announce(network, accountOf(network, number), "phone_number_quality_update", value);
    return c.json(number);
  });
  api.post("/numbers/:id/echoes", async (c) => {
    const number = numberOf(c);
    const form = z.strictObject({ customer: z.int(), text: z.string().optional(), raw: draft.shape.raw });
    const { customer: n, text, raw } = await readBody(c, form);
    const customer = world.customers.find((each) => each.n === n);
    if (!customer) throw new Error("There is no such customer");
    const content = (raw as Content | undefined) ?? { type: "text", text: { body: text ?? "" } };
    return c.json({ id: (await staffWrites(network, chatOf(world, number, customer), content)).id });
  });
  /** An interactive answer whose body is missing, as Meta sends it now and then. */
  api.post("/numbers/:id/broken", async (c) => {
    const number = numberOf(c);
    const [customer] = world.customers;
    const { href: _, ...error } = statusError(131_000);
    const id = `wamid.B${Math.floor(network.core.random() * 1e12)}`;
    if (customer)
      await bring(network, chatOf(world, number, customer), { id, type: "interactive" }, { errors: [error] });
    return c.json({});
  });
  api.post("/accounts/:id/update", async (c) => {
    const account = world.accounts.get(c.req.param("id"));
    if (!account) throw new Error("There is no such account");
    await announce(network, account, "account_update", await readBody(c, z.looseObject({ event: z.string() })));
    return c.json({});
  });
}

function templateRoutes(api: Hono, network: Network): void {
  const of = (c: Context) => {
    const found = templateAt(network, c.req.param("id") ?? "");
    if (!found) throw new Error("There is no such template");
    return found;
  };
  api.get("/templates", (c) =>
    c.json([...network.world.accounts.values()].flatMap(({ templates }) => [...templates.values()])),
  );
  api.post("/templates/:id/review", async (c) => {
    const { account, template } = of(c);
    const events = [
      "APPROVED",
      "REJECTED",
      "PENDING",
      "PAUSED",
      "DISABLED",
      "IN_APPEAL",
      "PENDING_DELETION",
      "FLAGGED",
      "REINSTATED",
    ] as const;
    const form = z.strictObject({
      event: z.enum(events),
      reason: z.string().optional(),
      recommendation: z.string().optional(),
    });
    await review(network, account, template, await readBody(c, form));
    return c.json(template);
  });
  api.post("/templates/:id/quality", async (c) => {
    const { account, template } = of(c);
    const { quality } = await readBody(c, z.strictObject({ quality: z.enum(["GREEN", "YELLOW", "RED", "UNKNOWN"]) }));
    await rate(network, account, template, quality);
    return c.json(template);
  });
  api.post("/templates/:id/category", async (c) => {
    const { account, template } = of(c);
    const { category } = await readBody(
      c,
      z.strictObject({ category: z.enum(["MARKETING", "UTILITY", "AUTHENTICATION"]) }),
    );
    await recategorize(network, account, template, category);
    return c.json(template);
  });
}
