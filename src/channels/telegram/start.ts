import type { Customer } from "../../domain/message.ts";

const FIELDS = ["source", "medium", "campaign", "term", "content"] as const;

/** Where a customer came from, out of `t.me/<bot>?start=<payload>`: marks of a campaign in base64url, or one word. */
export function utmOf(text: string | undefined): Customer["utm"] {
  const payload = /^\/start(?:@\w+)?\s+(\S{1,64})\s*$/.exec(text ?? "")?.[1];
  if (!payload) return undefined;
  return marksOf(payload) ?? { source: "telegram", medium: "bot", campaign: payload };
}

function marksOf(payload: string): Customer["utm"] {
  const query = new URLSearchParams(Buffer.from(payload, "base64url").toString("utf8"));
  const marks = FIELDS.flatMap((field) => {
    const value = query.get(`utm_${field}`);
    return value ? [[field, value]] : [];
  });
  return marks.length > 0 ? Object.fromEntries(marks) : undefined;
}
