import { z } from "zod";
import { defineChannel, type Receipt } from "../../../src/channels/port.ts";
import { featuresOf } from "../../../src/domain/channel.ts";
import { DeliveryError } from "../../../src/domain/delivery.ts";
import type { ChatId, CustomerId, MessengerMessageId } from "../../../src/domain/ids.ts";
import { shown } from "./shown.ts";

// The messenger of docs/messengers.md: messages in bottles. A bottle holds 40 letters and no files.

const settings = z.object({ shore: z.string().min(1).default("north"), secret: z.string().default("tide") });

/** What lies on a shore. */
export interface Shore {
  bottles: { id: string; to: string; text: string; gone: boolean }[];
}
const shores = new Map<string, Shore>();
export const shoreOf = (name: string): Shore => {
  const known = shores.get(name) ?? { bottles: [] };
  shores.set(name, known);
  return known;
};

const found = z.object({ id: z.string(), from: z.string(), text: z.string().min(1) });

export const bottles = defineChannel({
  kind: "bottles",
  title: "Messages in bottles",
  settings,
  features: () =>
    featuresOf(shown, { type: "custom", text: { maxLength: 400 }, firstContact: "no", afterReplyTimeout: "no" }),
  manner: () => ({
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
  sendIdempotency: "native",
  bodyLimit: () => 4096,
  proof: ({ secret }) => ({ "x-tide": secret }),
  open: ({ settings: own }) => {
    const { bottles: lying } = shoreOf(own.shore);
    return {
      connect: async () => ({ name: `The ${own.shore} shore` }),
      disconnect: async () => {},
      receive: async (request) => {
        if (request.headers.get("x-tide") !== own.secret) return nothing(401);
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
      },
      async send(step, { chat, key }, signal) {
        signal.throwIfAborted();
        if (step.files.length > 0 || step.text === "")
          throw new DeliveryError({ type: "reject", code: "general" }, "a bottle holds words only");
        const id = `bottle-${key}`;
        if (!lying.some((bottle) => bottle.id === id)) lying.push({ id, to: chat, text: step.text, gone: false });
        return { parts: [{ messengerMessageId: id as MessengerMessageId, holds: "text" }] };
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
  },
});

const nothing = (status: number): Receipt => ({ events: [], reply: new Response(null, { status }) });
