import type { Entity } from "../wire.ts";
import { keptLink, linkedUser } from "./links.ts";

/** What a link on words becomes: a mention, a link, or nothing when it is none. */
export function linkEntity(link: string, span: Pick<Entity, "offset" | "length">): Entity | undefined {
  const user = linkedUser(link);
  if (user !== undefined) return { type: "text_mention", ...span, user: { id: user } };
  const url = keptLink(link);
  return url === undefined ? undefined : { type: "text_link", ...span, url };
}
