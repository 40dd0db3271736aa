import type { CallRequest } from "gangway-messenger/call";
import * as z from "zod";
import type { GatewayChannelId } from "../domain/ids.ts";
import type { Priority } from "./limiter.ts";
import type { Operation, Request } from "./sending.ts";

/** A channel as the gateway keeps it, whoever made it. */
const record = z.object({
  id: z.union([z.number(), z.string()]).transform(String),
  type: z.string(),
  name: z.string().optional(),
  settings: z.record(z.string(), z.unknown()).default({}),
  is_active: z.boolean().default(true),
});
const records = z.array(record);

export interface ChannelRecord {
  type: string;
  name?: string;
  settings: Record<string, unknown>;
  isActive: boolean;
}

/** Channels that another module has made. Every method throws DeliveryError. */
export interface RecordCalls {
  /** Undefined when the gateway has no such channel of this module. */
  channelRecord(id: GatewayChannelId, signal: AbortSignal): Promise<ChannelRecord | undefined>;
  putChannelRecord(id: GatewayChannelId, record: ChannelRecord, signal: AbortSignal): Promise<void>;
}

interface Parts {
  get<Schema extends z.ZodType>(request: Request, schema: Schema, signal: AbortSignal): Promise<z.infer<Schema>>;
  json(operation: Operation, method: CallRequest["method"], path: string, body: unknown, priority?: Priority): Request;
  done(request: Request, signal: AbortSignal): Promise<void>;
}

export const recordCalls = ({ get, json, done }: Parts): RecordCalls => ({
  async channelRecord(id, signal) {
    const request: Request = { operation: "listChannels", method: "GET", path: `/channels?id=${id}`, priority: "bulk" };
    const found = (await get(request, records, signal)).find((each) => each.id === id);
    return found && { type: found.type, name: found.name, settings: found.settings, isActive: found.is_active };
  },
  putChannelRecord: (id, { type, name, settings }, signal) =>
    done(json("updateChannel", "PUT", `/channels/${id}`, { type, name, settings }, "bulk"), signal),
});
