import { randomText } from "gangway-messenger/kit/emulator/random";
import { badToken, type GraphRefusal, missingToken, plainRefusal, refusal, unknownNode } from "./graph-error.ts";

/** An access token. */
export interface Token {
  value: string;
  /** App id. */
  app: string;
  type: "SYSTEM_USER" | "USER" | "PAGE";
  /** Whose token it is. */
  user: string;
  /** Permissions, e.g. `pages_messaging`. */
  rights: Set<string>;
  /** Ids of the accounts, pages and numbers that it may use. */
  nodes: Set<string>;
  /** Unix time, ms. */
  issuedAt: number;
  /** Unix time, ms. Absent: never. */
  expiresAt?: number;
  /** `session`: the password changed or the person logged out; `app`: the app was removed. */
  ended?: "session" | "app";
}
export type NewToken = Pick<Token, "app"> &
  Partial<Omit<Token, "app" | "rights" | "nodes" | "issuedAt">> & { rights: Iterable<string>; nodes: Iterable<string> };

export interface Tokens {
  add(token: NewToken): Token;
  find(value: string): Token | undefined;
  list(): Token[];
  remove(value: string): void;
  clear(): void;
  /** The token of a call, still valid. Throws GraphRefusal. */
  check(value: string | undefined): Token;
}

export function createTokens(now: () => number, random: () => number): Tokens {
  const tokens = new Map<string, Token>();
  return {
    add({ rights, nodes, ...rest }) {
      const value = `EAA${randomText(60, random)}`;
      const base = { value, type: "SYSTEM_USER" as const, user: "122100000000001", issuedAt: now() };
      const token: Token = { ...base, ...rest, rights: new Set(rights), nodes: new Set(nodes) };
      tokens.set(token.value, token);
      return token;
    },
    find: (value) => tokens.get(value),
    list: () => [...tokens.values()],
    remove: (value) => void tokens.delete(value),
    clear: () => tokens.clear(),
    check(value) {
      if (!value) throw missingToken();
      const token = tokens.get(value);
      if (!token) throw badToken();
      const fault = faultOf(token, now());
      if (fault) throw fault;
      return token;
    },
  };
}

/** Why a token no longer works. */
export function faultOf({ ended, expiresAt }: Token, now: number): GraphRefusal | undefined {
  const lead = "Error validating access token:";
  if (ended === "session")
    return plainRefusal(
      190,
      `${lead} The session has been invalidated because the user changed their password or Facebook has changed the session for security reasons.`,
      { status: 401, error_subcode: 460 },
    );
  if (ended === "app")
    return plainRefusal(190, `${lead} The user has not authorized application.`, { status: 401, error_subcode: 458 });
  if (expiresAt === undefined || now < expiresAt) return undefined;
  const text = `${lead} Session has expired on ${worded(expiresAt)}. The current time is ${worded(now)}.`;
  return plainRefusal(190, text, { status: 401, error_subcode: 463 });
}

/** `Tuesday, 24-Nov-26 18:00:00 PST`. */
function worded(at: number): string {
  const pacific = new Date(at - 8 * 3_600_000);
  const [, day, month, year, time] = /^\w+, (\d+) (\w+) \d\d(\d\d) ([\d:]+)/.exec(pacific.toUTCString()) ?? [];
  const weekday = pacific.toLocaleDateString("en-US", { weekday: "long", timeZone: "UTC" });
  return `${weekday}, ${day}-${month}-${year} ${time} PST`;
}

/** Throws unless the token has one of these permissions. */
export function needRight(token: Token, ...rights: string[]): void {
  if (rights.some((right) => token.rights.has(right))) return;
  throw refusal(200, `Requires ${rights.join(" or ")} permission`, { status: 403, error_subcode: 1349176 });
}

/** Throws unless the token may see this object. */
export function needNode(token: Token, id: string, method?: string): void {
  if (!token.nodes.has(id)) throw unknownNode(id, method);
}
