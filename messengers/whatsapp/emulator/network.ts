import type { Switches } from "gangway-messenger/kit/emulator/switches";
import type { Core } from "gangway-meta/emulator/core";
import type { Destination } from "gangway-meta/emulator/courier";
import type { Medium } from "gangway-meta/emulator/media";
import { courierSwitches } from "gangway-meta/emulator/switches";
import { z } from "zod";
import type { Account, BusinessNumber, World } from "./world.ts";

/** The courier's settings and WhatsApp's own. */
export const whatsappSwitches = courierSwitches.extend({
  repeats: z
    .enum(["stop", "follow"])
    .default("stop")
    .describe(
      "What becomes of a webhook's repetitions when the subscription has another address: they end, or go there",
    ),
  windowRefusal: z
    .enum(["status", "answer"])
    .default("status")
    .describe("A message outside the window: accepted and failed later, or refused at once"),
  review: z.enum(["now", "hand"]).default("now").describe("Who reviews a template"),
  pricing: z.enum(["PMP", "CBP"]).default("PMP").describe("The pricing model that statuses name"),
  outcome: z
    .enum(["phone", "hand"])
    .default("phone")
    .describe("Statuses follow the customer's phone, or come only by the control API"),
  skipDelivered: z.number().min(0).max(1).default(0).describe("How often `delivered` never comes"),
  perSecond: z.int().min(1).default(80).describe("Messages a second of a number; a coexistence number has a quarter"),
  pairMs: z.int().min(0).default(6_000).describe("One message per pair of number and customer in so many ms"),
  pairBurst: z.int().min(1).default(45).describe("… and so many at once on credit"),
  sharesHistory: z.boolean().default(true).describe("The owner of a coexistence number's phone shares its chats"),
  userIds: z.boolean().default(true).describe("Webhooks name the business-scoped user id"),
  directUrl: z.boolean().default(false).describe("Incoming media carry their URL"),
  removedReaction: z
    .enum(["absent", "empty"])
    .default("absent")
    .describe("A removed reaction has no emoji, or an empty one"),
  overrideNeedsApp: z
    .boolean()
    .default(true)
    .describe("An account takes an address of its own only from an app that is subscribed already"),
});
export type WhatsAppSwitches = z.infer<typeof whatsappSwitches>;

/** 360dialog's key for one number, and where it forwards webhooks. */
export interface DialogKey {
  key: string;
  number: string;
  webhook?: { url: string; headers: Record<string, string> };
}

/** An upload that a token of the app has begun. */
interface UploadSession {
  app: string;
  name: string;
  mediaType: string;
  /** Bytes. */
  size: number;
}
/** Begun uploads by id, and files by handle. */
interface ExampleUploads {
  sessions: Map<string, UploadSession>;
  handles: Map<string, Medium>;
}

export interface Network {
  core: Core;
  world: World;
  switches: Switches<WhatsAppSwitches>;
  dialogKeys: DialogKey[];
  uploads: ExampleUploads;
  /** Runs `work` soon; `idle` waits for it. */
  soon(work: () => Promise<unknown>): void;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

export function accountOf({ world }: Network, { account }: BusinessNumber): Account {
  const found = world.accounts.get(account);
  if (!found) throw new Error(`There is no account ${account}`);
  return found;
}

/** Brings one change to every app that the account is subscribed to. */
export async function announce(network: Network, account: Account, field: string, value: object): Promise<void> {
  const { core } = network;
  const entry = { id: account.id, time: seconds(core.clock.now()), changes: [{ field, value }] };
  const to = [...appsOf(network, account, field), ...forwarded(network, account)];
  await Promise.all(to.map((each) => core.courier.post(each, entry)));
}

/** Only these go to an account's own address; all others to the app's (docs/whatsapp/embedded-signup/webhooks/override). */
const OVERRIDABLE = ["messages", "smb_message_echoes", "account_settings_update", "history"];

function appsOf({ core, switches }: Network, account: Account, field: string): Destination[] {
  return [...account.subscribed.keys()].flatMap((id) => {
    const app = core.apps.find(id);
    const own = () => (OVERRIDABLE.includes(field) ? account.subscribed.get(id)?.override?.url : undefined);
    const current = () => (account.subscribed.has(id) ? (own() ?? app?.webhook?.url) : undefined);
    const first = current();
    if (!app || !first || (app.fields && !app.fields.includes(field))) return [];
    // What becomes of it once it should go elsewhere is not documented.
    const follows = () => switches.values().repeats === "follow";
    const isLive = () => (follows() ? current() !== undefined : current() === first);
    return [
      {
        get url() {
          return (follows() && current()) || first;
        },
        secret: () => app.secret,
        isLive,
      },
    ];
  });
}

function forwarded({ dialogKeys, world }: Network, account: Account): Destination[] {
  return dialogKeys.flatMap((each) => {
    const { webhook, number } = each;
    if (!webhook || world.numbers.get(number)?.account !== account.id) return [];
    return [{ url: webhook.url, headers: webhook.headers, isLive: () => each.webhook === webhook }];
  });
}

export const seconds = (ms: number): number => Math.floor(ms / 1000);
