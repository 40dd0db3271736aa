import { type CustomerId, cleanName } from "gangway-messenger/ids";
import type { Customer } from "gangway-messenger/message";
import { cutText } from "gangway-messenger/text";
import type { User } from "../update.ts";

/** Never empty: the gateway refuses a customer without a nickname. */
export function nameOf({ first_name: first, last_name: last, name, username, user_id: id }: User): string {
  const full = cleanName([first, last].filter(Boolean).join(" ")) || cleanName(name ?? "");
  const handle = cleanName(username ?? "");
  return full || (handle ? `@${handle}` : `MAX ${id.slice(-4)}`);
}

export function customerOf(user: User, locale?: string | null): Customer {
  const [language] = (locale ?? "").toLowerCase().split(/[-_]/);
  return {
    id: user.user_id as CustomerId,
    nickname: nameOf(user),
    firstName: cleanName(user.first_name ?? "") || undefined,
    lastName: cleanName(user.last_name ?? "") || undefined,
    language: language && /^[a-z]{2}$/.test(language) ? language : undefined,
    profileUrl: user.username && /^\w{3,64}$/.test(user.username) ? `https://max.ru/${user.username}` : undefined,
    hasAvatar: true,
  };
}

const FIELDS = ["source", "medium", "campaign", "term", "content"] as const;
/** Maximum length of a value that is kept, characters. */
const MAX_TAG = 255;

/** UTM tags from `max.ru/<bot>?start=<payload>`: a query string, as it is or in base64url, or a plain campaign name. */
export function utmOf(payload: string | null | undefined): Customer["utm"] {
  const given = payload?.trim();
  if (!given) return undefined;
  const decoded = Buffer.from(given, "base64url").toString("utf8");
  return tagsIn(decoded) ?? tagsIn(given) ?? { source: "max", medium: "bot", campaign: cutText(given, MAX_TAG) };
}

function tagsIn(query: string): Customer["utm"] {
  const given = new URLSearchParams(query);
  const tags = FIELDS.flatMap((field) => {
    const value = given.get(`utm_${field}`);
    return value ? [[field, cutText(value, MAX_TAG)]] : [];
  });
  return tags.length > 0 ? Object.fromEntries(tags) : undefined;
}
