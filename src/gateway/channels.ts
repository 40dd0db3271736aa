import type { CallRequest } from "gangway-messenger/call";
import type { Features, Way } from "gangway-messenger/features";
import { fingerprint } from "gangway-messenger/ids";
import type { Mark } from "gangway-messenger/message";
import { cutText } from "gangway-messenger/text";
import * as z from "zod";
import type { GatewayChannelId } from "../domain/ids.ts";
import type { Priority } from "./limiter.ts";
import type { Operation, Request } from "./sending.ts";
import { channelAnswer } from "./wire.ts";

/** The gateway's `send` means module to gateway, `receive` gateway to module; only this table translates. */
const DIRECTION: Record<Way, string> = { inbound: "send", outbound: "receive", both: "both", none: "none" };

const direction = (value: Way | undefined) => value && DIRECTION[value];

/** The gateway's names of formats (contract: MarkupFormat). */
const FORMAT: Record<Mark["type"], string> = {
  bold: "bold",
  italic: "italic",
  underline: "underline",
  strikethrough: "strikethrough",
  code: "inline_monospace",
  pre: "block_monospace",
  link: "link",
};

type FileFeatures = NonNullable<Features["image"]>;
const ACTIONS = ["creating", "editing", "quoting", "deleting", "reaction"] as const;
const SUGGESTIONS = ["text", "phone", "email", "url"] as const;
const ways = <Name extends string>(names: readonly Name[], of: Partial<Record<Name, Way>>) =>
  Object.fromEntries(names.map((name) => [name, direction(of[name])]));
const actions = (d: Partial<Record<(typeof ACTIONS)[number], Way>>) => ways(ACTIONS, d);
const fileActions = (d: Partial<FileFeatures> | undefined) =>
  d && { ...actions(d), max_items_count: d.maxCount, max_item_size: d.maxSize, note_max_chars_count: d.maxNote };

/** Features as the gateway's channel settings (contract: ChannelSettings). */
export function toSettings(f: Features): Record<string, unknown> {
  return {
    text: {
      ...actions(f.text),
      max_chars_count: f.text.maxLength,
      markup_formats: f.text.formats?.map((format) => FORMAT[format]),
    },
    image: fileActions(f.image),
    file: fileActions(f.file),
    audio: fileActions(f.audio),
    product: f.product && actions(f.product),
    order: f.order && actions(f.order),
    status: { delivered: direction(f.delivered), read: direction(f.read) },
    suggestions: f.suggestions && ways(SUGGESTIONS, f.suggestions),
    reactions: f.reactions && { dictionary: f.reactions.dictionary, max_count: f.reactions.maxCount },
    sending_policy: { new_customer: f.firstContact, after_reply_timeout: f.afterReplyTimeout },
    template: f.templates,
    customer_external_id: f.customerId,
    whatsapp: f.whatsapp && {
      tier: f.whatsapp.tier,
      channel_quality: f.whatsapp.quality,
      channel_status: f.whatsapp.status,
    },
  };
}

/** A digest; the gateway needs an update exactly when it changes. */
export const announcement = (name: string, features: Features): string =>
  fingerprint(JSON.stringify([name, features.type, toSettings(features)]));

/** A channel as the gateway keeps it, whoever made it. */
const record = z.object({
  id: z.union([z.number(), z.string()]).transform(String),
  type: z.string(),
  name: z.string().optional(),
  settings: z.record(z.string(), z.unknown()).default({}),
  is_active: z.boolean().default(true),
});
const records = z.array(record);

export interface ChannelCard {
  name: string;
  features: Features;
}

/** Longest channel name (contract). */
const CHANNEL_NAME_LENGTH = 100;

/** A channel that another module has created. */
export interface ChannelRecord {
  type: string;
  name?: string;
  settings: Record<string, unknown>;
  isActive: boolean;
}

/** Channels at the gateway. Every method throws DeliveryError. */
export interface ChannelCalls {
  activateChannel(
    channel: ChannelCard & { externalId: string },
    signal: AbortSignal,
  ): Promise<{ id: GatewayChannelId }>;
  updateChannel(id: GatewayChannelId, channel: ChannelCard, signal: AbortSignal): Promise<void>;
  /** A missing channel counts as deactivated. */
  deactivateChannel(id: GatewayChannelId, signal: AbortSignal): Promise<void>;
  /** Undefined when the gateway has no such channel of this module. */
  channelRecord(id: GatewayChannelId, signal: AbortSignal): Promise<ChannelRecord | undefined>;
  putChannelRecord(id: GatewayChannelId, record: ChannelRecord, signal: AbortSignal): Promise<void>;
}

interface Deps {
  get<Schema extends z.ZodType>(request: Request, schema: Schema, signal: AbortSignal): Promise<z.infer<Schema>>;
  json(operation: Operation, method: CallRequest["method"], path: string, body: unknown, priority?: Priority): Request;
  done(request: Request, signal: AbortSignal, orMissing?: "or missing"): Promise<void>;
}

export const channelCalls = ({ get, json, done }: Deps): ChannelCalls => ({
  async activateChannel(channel, signal) {
    const body = { ...card(channel), external_id: channel.externalId };
    return { id: (await get(json("activateChannel", "POST", "/channels", body, "bulk"), channelAnswer, signal)).id };
  },
  updateChannel: (id, channel, signal) =>
    done(json("updateChannel", "PUT", `/channels/${id}`, card(channel), "bulk"), signal),
  async deactivateChannel(id, signal) {
    const request = { method: "DELETE", path: `/channels/${id}`, priority: "bulk" } as const;
    await done({ operation: "deactivateChannel", ...request }, signal, "or missing");
  },
  async channelRecord(id, signal) {
    const request: Request = { operation: "listChannels", method: "GET", path: `/channels?id=${id}`, priority: "bulk" };
    const found = (await get(request, records, signal)).find((each) => each.id === id);
    return found && { type: found.type, name: found.name, settings: found.settings, isActive: found.is_active };
  },
  putChannelRecord: (id, { type, name, settings }, signal) =>
    done(json("updateChannel", "PUT", `/channels/${id}`, { type, name, settings }, "bulk"), signal),
});

const card = ({ name, features }: ChannelCard) => ({
  type: features.type,
  name: cutText(name, CHANNEL_NAME_LENGTH),
  settings: toSettings(features),
});
