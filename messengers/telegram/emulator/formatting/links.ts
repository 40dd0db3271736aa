import { isLong } from "../fields.ts";
import { Malformed } from "../refusal.ts";
import { dateFormat } from "./times.ts";

const isIn = (text: string, pattern: RegExp): boolean => pattern.test(text);

/** The user id of a `tg://user?id=` link. */
export function linkedUser(link: string): number | undefined {
  const id = /^tg:(?:\/\/)?user\?id=(\d{1,16})$/i.exec(link)?.[1];
  return id === undefined || Number(id) === 0 ? undefined : Number(id);
}

/** The link as Telegram stores it; undefined if Telegram drops it. */
export function keptLink(link: string): string | undefined {
  try {
    return checkedLink(link);
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}

/** The link as Telegram stores it. Throws Malformed with Telegram's error, which begins with `URL`. */
export function checkedLink(link: string, httpsOnly = false): string {
  const wrong = (reason: string) => new Malformed(`URL '${link}' is invalid: ${reason}`);
  const own = /^(tg|ton|tonsite):(?:\/\/)?(?=\S)/i.exec(link);
  const parts = partsOf(own ? link.slice(own[0].length) : link, wrong);
  if (httpsOnly && (own || parts.protocol !== "https")) throw wrong("Only HTTPS links are allowed");
  const scheme = own?.[1]?.toLowerCase();
  if (scheme) {
    if (!isIn(parts.host, /^[\w-]+$/)) throw wrong("Unallowed characters in URL host");
    return `${scheme}://${parts.host}${parts.path.replace(/^\/\?/, "?").replace(/^\/$/, "")}`;
  }
  if (!parts.host.includes(".") && !parts.host.startsWith("[")) throw wrong("Wrong HTTP URL");
  return `${parts.protocol}://${parts.login}${parts.host}${parts.port}${parts.path}`;
}

interface Parts {
  protocol: string;
  /** With its `@`. */
  login: string;
  host: string;
  /** With its colon. */
  port: string;
  path: string;
}

function partsOf(link: string, wrong: (reason: string) => Malformed): Parts {
  const protocol = /^([^:/?#@[\]]*):\/\//.exec(link);
  const name = protocol?.[1]?.toLowerCase() ?? "http";
  if (name !== "http" && name !== "https") throw wrong("Unsupported URL protocol");
  const rest = link.slice(protocol?.[0].length ?? 0);
  const end = rest.search(/[/?#]/);
  const authority = end < 0 ? rest : rest.slice(0, end);
  const tail = (end < 0 ? "" : rest.slice(end)).trimEnd() || "/";
  const path = (tail.startsWith("/") ? tail : `/${tail}`).replace(/[\0-\x20]/g, (found) =>
    `%${found.charCodeAt(0).toString(16).padStart(2, "0")}`.toUpperCase(),
  );
  const colon = authority.lastIndexOf(":");
  const hasPort = colon > 0 && !/[\]@]/.test(authority.slice(colon));
  const at = authority.lastIndexOf("@");
  const host = authority.slice(at + 1, hasPort ? colon : undefined).toLowerCase();
  const port = hasPort ? Number(authority.slice(colon + 1)) : 1;
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw wrong("Wrong port number specified in the URL");
  if (host === "") throw wrong("URL host is empty");
  if (!isIn(host, /^(?:[-a-z0-9.!$,~*'();&+=_\u0080-\uffff]|%[0-9a-f]{2})+$|^\[[0-9a-f:.]+\]$/))
    throw wrong("Disallowed character in URL host");
  return { protocol: name, login: authority.slice(0, at + 1), host, port: hasPort ? `:${port}` : "", path };
}

export const isEmojiId = (id: string): boolean => isLong(id) && BigInt(id) !== 0n;

/** The id of a `tg://emoji?id=` link. */
export function linkedEmoji(link: string): string | undefined {
  const id = /^tg:(?:\/\/)?emoji\?id=(\d{1,19})$/i.exec(link)?.[1];
  return id && isEmojiId(id) ? id : undefined;
}

/** The time of a `tg://time?unix=` link. */
export function linkedTime(link: string): { unix_time: number; date_time_format?: string } | undefined {
  const query = /^tg:(?:\/\/)?time\?(.*)$/i.exec(link)?.[1];
  if (query === undefined) return undefined;
  const parameters = new URLSearchParams(query);
  const unix_time = Number(parameters.get("unix"));
  if (!Number.isInteger(unix_time) || unix_time <= 0) return undefined;
  const date_time_format = dateFormat(parameters.get("format") ?? "");
  return { unix_time, ...(date_time_format && { date_time_format }) };
}
