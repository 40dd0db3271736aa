import { randomText } from "gangway-messenger/kit/emulator/random";
import { oauthRefusal, refusal } from "./refusal.ts";
import type { Switches } from "./switches.ts";
import type { Account, World } from "./world.ts";

interface Token {
  value: string;
  account: Account;
  /** Unix time, ms. */
  until: number;
  ended?: true;
}

export interface Tokens {
  /** Answers `/token`. Throws Refusal. */
  grant(form: Record<string, string>): object;
  /** Whose it is. Throws Refusal. */
  check(authorization: string | undefined): Account;
  /** All that were granted. */
  list(): Token[];
  /** Ends every token, as Avito may at any time. */
  end(): void;
}

const FIELDS = ["grant_type", "client_id", "client_secret", "scope"];

export function createTokens(world: World, now: () => number, random: () => number, switches: () => Switches): Tokens {
  const tokens: Token[] = [];
  return {
    grant({ grant_type, client_id, client_secret, ...more }) {
      if (grant_type !== "client_credentials")
        throw oauthRefusal(400, "unsupported_grant_type", "The grant type is not supported");
      const foreign = Object.keys(more).find((name) => !FIELDS.includes(name));
      if (foreign) throw oauthRefusal(400, "invalid_request", `Unknown parameter ${foreign}`);
      const account = world.accounts.find(({ clientId }) => clientId === client_id);
      if (!account || account.clientSecret !== client_secret)
        throw oauthRefusal(401, "invalid_client", "Client authentication failed");
      if (switches().tokens === "one") for (const token of tokens) if (token.account === account) token.ended = true;
      const { tokenLifeMs } = switches();
      const value = randomText(22, random);
      tokens.push({ value, account, until: now() + tokenLifeMs });
      return { access_token: value, expires_in: Math.floor(tokenLifeMs / 1_000), token_type: "Bearer" };
    },
    check(authorization) {
      const value = /^Bearer (.+)$/.exec(authorization ?? "")?.[1];
      const token = tokens.find((each) => each.value === value);
      if (!token) throw refusal(401);
      if (token.ended || now() >= token.until) throw refusal(Number(switches().refusedToken));
      return token.account;
    },
    list: () => tokens,
    end() {
      for (const token of tokens) token.ended = true;
    },
  };
}
