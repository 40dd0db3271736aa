import type { ChannelAdapter } from "gangway-messenger/port";
import * as z from "zod";

/** Lists the secrets in a channel's settings: string values of fields whose meta is `secret` or `hidden`. */
export function secretSettings(adapters: ChannelAdapter[]): (kind: string, settings: unknown) => string[] {
  const fields = new Map(adapters.map(({ kind, settings }) => [kind, secretFields(settings)]));
  return (kind, settings) => {
    const values = Object(settings) as Record<string, unknown>;
    return (fields.get(kind) ?? []).map((name) => values[name]).filter((value) => typeof value === "string");
  };
}

function secretFields(schema: z.ZodType): string[] {
  const { properties = {} } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as {
    properties?: Record<string, { secret?: boolean; hidden?: boolean }>;
  };
  return Object.keys(properties).filter((name) => properties[name]?.secret || properties[name]?.hidden);
}
