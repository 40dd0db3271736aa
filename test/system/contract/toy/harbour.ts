import { createHmac } from "node:crypto";
import { type AppReceipt, defineAppChannel } from "gangway-messenger/apps";
import { DeliveryError } from "gangway-messenger/errors";
import { featuresOf } from "gangway-messenger/features";
import { type ChatId, type CustomerId, type MessengerMessageId, sameSecret } from "gangway-messenger/ids";
import type { ChannelEvent } from "gangway-messenger/message";
import type { ChannelContext, ChannelSession, Forwarded, RawWebhook, Receipt } from "gangway-messenger/port";
import { z } from "zod";
import { inAll } from "../../../support/words.ts";
import { shown } from "./shown.ts";

// A harbour whose master serves many berths: ships write to berths, and the master brings them all in one batch, sealed with
// the vendor's secret, or with that of the shop whose own master it is. `storm` in a text makes a session fail.

const settings = z.object({
  berth: z.string().min(1).default("1"),
  secret: z.string().default(""),
  fleet: z.string().default(""),
});
const server = z.object({ secret: z.string().default(""), greeting: z.string().default("") });
type Server = z.infer<typeof server>;
type Context = ChannelContext<z.infer<typeof settings>, Server>;

const letter = z.object({ id: z.string(), from: z.string(), text: z.string() });
const batch = z.object({
  berths: z.array(z.object({ berth: z.string(), letters: z.array(letter) })).default([]),
  /** For every berth of a fleet. */
  fleets: z.array(z.object({ fleet: z.string(), letters: z.array(letter) })).default([]),
});
export type Batch = z.input<typeof batch>;
const order = z
  .object({
    withdrawn: z.array(z.string()),
    fleets: z.array(z.string()).default([]),
    forget: z.literal(true).optional(),
  })
  .or(z.object({ erase: z.string() }));

export const SEAL = "x-seal";
/** Largest batch, bytes. */
export const BATCH_BYTES = 3 * 1024 * 1024;
export const sealOf = (secret: string, body: string): string => createHmac("sha256", secret).update(body).digest("hex");
export const loginOf = (berth: string): string => `harbour:${berth}`;
export const groupOf = (fleet: string): string => `harbour:fleet:${fleet}`;

export const harbour = defineAppChannel<z.infer<typeof settings>, Server>({
  kind: "harbour",
  title: "Harbour",
  settings,
  serverSettings: server,
  words: inAll({ berth: { label: "Berth" }, secret: { label: "Seal of the own master" }, fleet: { label: "Fleet" } }),
  features: () =>
    featuresOf(shown, { type: "custom", text: { maxLength: 400 }, firstContact: "no", afterReplyTimeout: "no" }),
  capabilities: () => ({
    language: "en",
    text: 400,
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
  sendIdempotency: "none",
  bodyLimit: (path) => (path === "fleet" ? BATCH_BYTES : 4_096),
  proof: ({ secret }, body, own) => ({ [SEAL]: sealOf(secret || own.secret, body) }),
  open: (context) => atBerth(context),
  app: {
    isSetUp: ({ secret }) => secret !== "",
    bodyLimit: BATCH_BYTES,
    receive: (request, own) => receiveForApp(request, own),
    forget: (own) => ({ ...own, secret: "" }),
    login: {
      authorizeUrl: ({ redirectUrl, state }) => `https://harbour.example/?to=${redirectUrl}&state=${state}`,
      choices: async () => [],
    },
  },
});

const nothing = (status: number): Receipt => ({ events: [], reply: new Response(null, { status }) });
const isSealed = (request: Request, body: string, secret: string): boolean =>
  secret !== "" && sameSecret(request.headers.get(SEAL) ?? "", sealOf(secret, body));

const sealed = (part: Batch, secret: string): RawWebhook => {
  const body = JSON.stringify(part);
  return { path: "", headers: { [SEAL]: sealOf(secret, body) }, body };
};
const forwardedTo = ({ berths = [] }: Batch, secret: string): Forwarded[] =>
  berths.map((each) => ({ login: loginOf(each.berth), request: sealed({ berths: [each] }, secret) }));
const sharedWith = ({ fleets = [] }: Batch, secret: string) =>
  fleets.map((each) => ({ group: groupOf(each.fleet), request: sealed({ fleets: [each] }, secret) }));

function read(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

async function receiveForApp(request: Request, { secret, greeting }: Server): Promise<AppReceipt> {
  if (request.method === "GET") return { parts: [], reply: new Response(greeting) };
  const body = await request.text();
  if (!isSealed(request, body, secret)) return { parts: [], reply: new Response(null, { status: 401 }) };
  const ordered = order.safeParse(read(body)).data;
  const reply = new Response("moored");
  if (ordered && "withdrawn" in ordered)
    return {
      parts: [],
      withdrawn: {
        logins: ordered.withdrawn.map(loginOf),
        groups: ordered.fleets.map(groupOf),
        trouble: "the berth was given up",
        forget: ordered.forget,
      },
      reply,
    };
  if (ordered)
    return {
      ...{ parts: [], reply },
      erase: { customer: ordered.erase as CustomerId, reply: (url, code) => Response.json({ url, code }) },
    };
  const parts = batch.safeParse(read(body));
  if (!parts.success) return { parts: [], unknown: "a batch", reply };
  return { parts: forwardedTo(parts.data, secret), shared: sharedWith(parts.data, secret), reply };
}

const eventOf = ({ id, from, text }: z.infer<typeof letter>): ChannelEvent => ({
  type: "message",
  key: id,
  chat: from as ChatId,
  messengerMessageId: id as MessengerMessageId,
  at: 0,
  originator: "customer",
  customer: { id: from as CustomerId, nickname: from },
  content: { type: "text", text },
});

function atBerth({ settings: own, server: { secret: vendors } }: Context): ChannelSession {
  const secret = own.secret || vendors;
  return {
    identify: async () => ({ id: loginOf(own.berth), name: `Berth ${own.berth}` }),
    connect: async () => ({ name: `Berth ${own.berth}` }),
    disconnect: async () => {},
    async receive(request) {
      const body = await request.text();
      if (!isSealed(request, body, secret)) return nothing(401);
      const parts = batch.safeParse(read(body));
      if (!parts.success) return nothing(200);
      const letters = [
        ...parts.data.berths.flatMap(({ berth, letters }) => (berth === own.berth ? letters : [])),
        ...parts.data.fleets.flatMap(({ fleet, letters }) => (fleet === own.fleet ? letters : [])),
      ];
      if (letters.some(({ text }) => text === "storm")) throw new Error("a storm");
      const others = parts.data.berths.filter(({ berth }) => berth !== own.berth);
      const receipt = { events: letters.map(eventOf), reply: new Response("moored") };
      if (others.length === 0) return receipt;
      const [kept] = forwardedTo({ berths: [{ berth: own.berth, letters }] }, secret);
      return { ...receipt, others: forwardedTo({ berths: others }, secret), kept: kept?.request };
    },
    async send(step, _, signal) {
      signal.throwIfAborted();
      if (step.files.length > 0 || step.text === "")
        throw new DeliveryError({ type: "reject", code: "general" }, "a letter holds words only");
      return { parts: [{ messengerMessageId: "sent" as MessengerMessageId, holds: "text" }] };
    },
    revisions: {
      async edit() {
        throw new DeliveryError({ type: "reject", code: "general" }, "a letter is sealed");
      },
      async delete(_, signal) {
        signal.throwIfAborted();
      },
    },
  };
}
