import type { z } from "zod";
import type { Core } from "./core.ts";
import { VkRefusal } from "./refusal.ts";
import type { Chat, Community, Token } from "./world.ts";
import { chatOf } from "./world.ts";

/** A call with a token of a community. */
export interface Asked<Fields> {
  core: Core;
  fields: Fields;
  token: Token;
  community: Community;
}
/** A method of the API. */
export interface Method {
  name: string;
  /** Besides the common ones. */
  fields: z.ZodRawShape;
  right?: "messages" | "photos" | "docs" | "manage";
  /** The `response`. Throws VkRefusal. */
  run(asked: Asked<never>): unknown;
}

export const method = <Shape extends z.ZodRawShape>(
  given: Omit<Method, "run" | "fields"> & { fields: Shape; run(asked: Asked<z.infer<z.ZodObject<Shape>>>): unknown },
): Method => given as unknown as Method;

/** The chat with a person. Throws VkRefusal: VK knows no such peer. */
export function chatWith(
  { core, community }: Pick<Asked<unknown>, "core" | "community">,
  peer: number | undefined,
): Chat {
  const person = core.world.people.find(({ id }) => id === peer);
  if (!person) throw new VkRefusal(peer !== undefined && peer > 2_000_000_000 ? 917 : 936);
  return chatOf(core.world, community, person);
}
