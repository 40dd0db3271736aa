import { randomText } from "gangway-messenger/kit/emulator/random";
import type { Asked, Operation } from "gangway-meta/emulator/graph";
import { plainRefusal, refusal } from "gangway-meta/emulator/graph-error";
import type { Platform } from "gangway-meta/emulator/messaging/network";
import { needRight, type Token } from "gangway-meta/emulator/tokens";
import { BASIC_RIGHT } from "./network.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Lives of a login's token and of a long-lived one, and how old that is before it can be refreshed. */
const SHORT_MS = HOUR_MS;
export const LONG_MS = 60 * DAY_MS;
const REFRESH_AFTER_MS = DAY_MS;

const required = (fields: Record<string, unknown>, name: string): string => {
  const value = fields[name];
  if (typeof value !== "string" || value === "") throw refusal(100, `The parameter ${name} is required`);
  return value;
};

/** How a code becomes a token of an hour, that one of 60 days, and that is kept alive. */
export function tokenOperations(platform: Platform): Operation[] {
  return [
    {
      id: "codeToToken",
      method: "POST",
      path: "/oauth/access_token",
      isBare: true,
      run: (asked) => redeemed(platform, asked),
    },
    {
      id: "exchangeToken",
      method: "GET",
      path: "/access_token",
      isBare: true,
      run: (asked) => exchanged(platform, asked),
    },
    {
      id: "refreshToken",
      method: "GET",
      path: "/refresh_access_token",
      isBare: true,
      run: (asked) => refreshed(platform, asked),
    },
  ];
}

export const newTokenValue = (random: () => number): string => `IGAA${randomText(120, random)}`;

function redeemed({ core, world, values }: Platform, { body }: Asked): object {
  const app = core.apps.check(required(body, "client_id"), required(body, "client_secret"));
  if (required(body, "grant_type") !== "authorization_code")
    throw refusal(100, "Param grant_type must be one of {authorization_code}");
  const bought = core.apps.redeem(required(body, "code"), app, required(body, "redirect_uri"));
  const { rights, nodes, user } = core.tokens.check(bought);
  core.tokens.remove(bought);
  // A login is of one account.
  const account = world.accounts.find(({ id }) => nodes.has(id));
  const token = core.tokens.add({
    app: app.id,
    type: "USER",
    user,
    rights,
    nodes: account ? [account.id] : [],
    value: newTokenValue(core.random),
    expiresAt: core.clock.now() + SHORT_MS,
  });
  const permissions = [...rights];
  if (values().loginAnswer === "data")
    return { data: [{ access_token: token.value, user_id: account?.id ?? user, permissions: permissions.join(",") }] };
  return { access_token: token.value, token_type: "bearer", user_id: account?.id ?? user, permissions };
}

function checkGrant({ query }: Asked, grant: string): void {
  if (required(query, "grant_type") !== grant) throw refusal(100, `Param grant_type must be one of {${grant}}`);
}

function exchanged({ core }: Platform, asked: Asked): object {
  checkGrant(asked, "ig_exchange_token");
  const token = core.tokens.check(required(asked.query, "access_token"));
  core.apps.check(token.app, required(asked.query, "client_secret"));
  if (isLong(token))
    throw plainRefusal(
      452,
      "Session key invalid. This could be because the session key has an incorrect format, or because the user has revoked this session",
    );
  return longer(core, token);
}

function refreshed({ core }: Platform, asked: Asked): object {
  checkGrant(asked, "ig_refresh_token");
  const token = core.tokens.check(required(asked.query, "access_token"));
  needRight(token, BASIC_RIGHT);
  if (!isLong(token)) throw refusal(100, "Only long-lived access tokens can be refreshed");
  if (core.clock.now() - token.issuedAt < REFRESH_AFTER_MS)
    throw refusal(100, "The access token must be at least 24 hours old to be refreshed");
  return { ...longer(core, token), permissions: [...token.rights].join(",") };
}

const isLong = ({ expiresAt, issuedAt }: Token): boolean => expiresAt === undefined || expiresAt - issuedAt > DAY_MS;

/** The old one stays good until its own end. */
function longer({ tokens, clock, random }: Platform["core"], { value: _, issuedAt: __, ...same }: Token): object {
  const expiresAt = clock.now() + LONG_MS;
  const { value } = tokens.add({ ...same, value: newTokenValue(random), expiresAt });
  return { access_token: value, token_type: "bearer", expires_in: LONG_MS / 1000 };
}
