import type { Customer } from "../../domain/message.ts";

const FIELDS = ["source", "medium", "campaign", "term", "content"] as const;

/** UTM tags from `t.me/<bot>?start=<payload>`. The payload is a query string in base64url, or a plain campaign name. */
export function utmOf(text: string | undefined): Customer["utm"] {
  const payload = /^\/start(?:@\w+)?\s+(\S{1,64})\s*$/.exec(text ?? "")?.[1];
  if (!payload) return undefined;
  return tagsIn(payload) ?? { source: "telegram", medium: "bot", campaign: payload };
}

function tagsIn(payload: string): Customer["utm"] {
  const query = new URLSearchParams(Buffer.from(payload, "base64url").toString("utf8"));
  const tags = FIELDS.flatMap((field) => {
    const value = query.get(`utm_${field}`);
    return value ? [[field, value]] : [];
  });
  return tags.length > 0 ? Object.fromEntries(tags) : undefined;
}
