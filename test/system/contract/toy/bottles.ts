import { randomUUID } from "node:crypto";
import { DeliveryError } from "gangway-messenger/errors";
import { featuresOf } from "gangway-messenger/features";
import type { ChatId, CustomerId, MessengerMessageId } from "gangway-messenger/ids";
import {
  type ChannelAdapter,
  type ChannelContext,
  type ChannelSession,
  defineChannel,
  type Receipt,
  type Sent,
} from "gangway-messenger/port";
import { z } from "zod";
import { inAll } from "../../../support/words.ts";
import { shown } from "./shown.ts";

// Messages in bottles: a bottle holds 40 characters and no files. `bottles` drops
// duplicates for an hour (`native`); `lighthouse` can be asked whether a bottle arrived (`lookup`).

const settings = z.object({ shore: z.string().min(1).default("north"), secret: z.string().default("tide") });

export interface Shore {
  bottles: Bottle[];
}
interface Bottle {
  id: string;
  to: string;
  text: string;
  gone: boolean;
  key: string;
  at: number;
}
/** How long a shore remembers keys, ms. */
export const MEMORY_MS = 3_600_000;
const shores = new Map<string, Shore>();
export const shoreOf = (name: string): Shore => {
  const known = shores.get(name) ?? { bottles: [] };
  shores.set(name, known);
  return known;
};

const found = z.object({ id: z.string(), from: z.string(), text: z.string().min(1) });

const common = {
  settings,
  words: inAll({ shore: { label: "Shore" }, secret: { label: "What proves a bottle" } }),
  features: () =>
    featuresOf(shown, { type: "custom", text: { maxLength: 400 }, firstContact: "no", afterReplyTimeout: "no" }),
  capabilities: () => ({
    language: "en",
    text: 40,
    caption: 0,
    marks: false,
    image: { most: 0, size: 0 },
    file: { most: 0, size: 0 },
    audio: { most: 0, size: 0 },
    webPictures: false,
    suggestions: [],
    albumButtons: false,
  }),
  pace: { perSecond: 10, perChat: () => ({ most: 1, everyMs: 100 }) },
  bodyLimit: () => 4096,
  proof: ({ secret }) => ({ "x-tide": secret }),
} satisfies Partial<ChannelAdapter<z.infer<typeof settings>>>;

type Context = ChannelContext<z.infer<typeof settings>>;

export const bottles = defineChannel({
  ...common,
  kind: "bottles",
  title: "Messages in bottles",
  sendIdempotency: "native",
  idempotencyMs: MEMORY_MS,
  open: (context) => onShore(context),
});

/** Like `bottles`, with lookup instead of idempotent sending. */
export const lighthouse = defineChannel({
  ...common,
  kind: "lighthouse",
  title: "Messages past the lighthouse",
  sendIdempotency: "lookup",
  idempotencyMs: MEMORY_MS,
  open: (context) => ({
    ...onShore(context, randomUUID),
    async lookup(_, { key, since }, signal) {
      signal.throwIfAborted();
      const { clock, settings: own } = context;
      if (clock.now() > since + MEMORY_MS) return { found: "unknown" };
      const bottle = shoreOf(own.shore).bottles.find((each) => each.key === key && each.at >= since);
      return bottle ? { found: "arrived", parts: partsOf(bottle) } : { found: "absent" };
    },
  }),
});

const partsOf = ({ id }: Bottle): Sent["parts"] => [{ messengerMessageId: id as MessengerMessageId, holds: "text" }];

/** Without `newId`, bottles with equal keys are one for MEMORY_MS. */
function onShore({ settings: own, clock }: Context, newId?: () => string): ChannelSession {
  const { bottles: lying } = shoreOf(own.shore);
  return {
    connect: async () => ({ name: `The ${own.shore} shore` }),
    disconnect: async () => {},
    receive: (request) => receive(request, own.secret),
    async send(step, { chat, key }, signal) {
      signal.throwIfAborted();
      if (step.files.length > 0 || step.text === "")
        throw new DeliveryError({ type: "reject", code: "general" }, "a bottle holds words only");
      const at = clock.now();
      const known = newId ? undefined : lying.find((each) => each.key === key && at < each.at + MEMORY_MS);
      const id = newId?.() ?? `bottle-${key}${lying.some((each) => each.key === key) ? `-${lying.length}` : ""}`;
      const bottle = known ?? { id, key, to: chat, text: step.text, gone: false, at };
      if (!known) lying.push(bottle);
      return { parts: partsOf(bottle) };
    },
    revisions: {
      async edit() {
        throw new DeliveryError({ type: "reject", code: "general" }, "a bottle is corked");
      },
      async delete({ messengerMessageId }, signal) {
        signal.throwIfAborted();
        for (const bottle of lying) if (bottle.id === messengerMessageId) bottle.gone = true;
      },
    },
  };
}

async function receive(request: Request, secret: string): Promise<Receipt> {
  if (request.headers.get("x-tide") !== secret) return nothing(401);
  const read = found.safeParse(await request.json().catch(() => undefined));
  if (!read.success) return nothing(200);
  const { id, from, text } = read.data;
  const event = {
    type: "message" as const,
    key: id,
    chat: from as ChatId,
    messengerMessageId: id as MessengerMessageId,
    at: 0,
    originator: "customer" as const,
    customer: { id: from as CustomerId, nickname: from },
    content: { type: "text" as const, text },
  };
  return { events: [event], reply: new Response(null) };
}

const nothing = (status: number): Receipt => ({ events: [], reply: new Response(null, { status }) });
