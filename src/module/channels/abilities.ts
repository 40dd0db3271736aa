import type { Features } from "gangway-messenger/features";
import type { ChannelAdapter, Variant } from "gangway-messenger/port";
import * as z from "zod";

/** What a messenger can do, as shown when choosing one. */
export type Ability =
  | "text"
  | "image"
  | "file"
  | "audio"
  | "quoting"
  | "editing"
  | "deleting"
  | "reaction"
  | "read"
  | "suggestions"
  | "templates";

const known = new WeakMap<ChannelAdapter, Ability[]>();

/** Features under the default settings of a new channel, overridden by `chosen`. */
export const initialFeatures = (adapter: ChannelAdapter, chosen: Record<string, unknown> = {}): Features =>
  adapter.features({ ...initial(adapter.settings), ...chosen } as never);

export function abilitiesOf(adapter: ChannelAdapter): Ability[] {
  const found = known.get(adapter) ?? abilitiesIn(initialFeatures(adapter));
  known.set(adapter, found);
  return found;
}

export const variantFeatures = (adapter: ChannelAdapter, { settings, features }: Variant): Features =>
  features ?? initialFeatures(adapter, settings);

export const abilitiesBy = (adapter: ChannelAdapter, variant: Variant): Ability[] =>
  abilitiesIn(variantFeatures(adapter, variant));

/** The schema's default values; fields without a default are undefined. */
function initial(schema: z.ZodType): Record<string, unknown> {
  const { properties = {} } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as {
    properties?: Record<string, { default?: unknown }>;
  };
  return Object.fromEntries(Object.entries(properties).map(([name, { default: value }]) => [name, value]));
}

function abilitiesIn(features: Features): Ability[] {
  const { text, image, file, audio, read, suggestions = {} } = features;
  const kinds = { text, image, file, audio };
  const can = (action: "quoting" | "editing" | "deleting" | "reaction") =>
    [text, image, file].some((kind) => kind && (kind[action] ?? "none") !== "none");
  const abilities: [Ability, boolean][] = [
    ...Object.entries(kinds).map(([kind, actions]): [Ability, boolean] => [
      kind as keyof typeof kinds,
      (actions?.creating ?? "none") !== "none",
    ]),
    ...(["quoting", "editing", "deleting", "reaction"] as const).map((action): [Ability, boolean] => [
      action,
      can(action),
    ]),
    ["read", read !== "none"],
    ["suggestions", Object.values(suggestions).some((way) => way !== "none")],
    ["templates", features.templates !== undefined],
  ];
  return abilities.flatMap(([ability, has]) => (has ? [ability] : []));
}
