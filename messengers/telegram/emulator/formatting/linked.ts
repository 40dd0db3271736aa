import type { Entity } from "../wire.ts";
import { keptLink, linkedUser } from "./links.ts";

/** A link's entity: a mention or a link; undefined for an invalid URL. */
export function linkEntity(link: string, span: Pick<Entity, "offset" | "length">): Entity | undefined {
  const user = linkedUser(link);
  if (user !== undefined) return { type: "text_mention", ...span, user: { id: user } };
  const url = keptLink(link);
  return url === undefined ? undefined : { type: "text_link", ...span, url };
}
