import type { Account } from "../../domain/account/account.ts";
import type { Call } from "../../domain/call/call.ts";
import type { AccountId } from "../../domain/ids.ts";
import type { Clock } from "../../domain/time/clock.ts";
import type { EmptyAnswers } from "../../gateway/answers.ts";
import { createGateway, type Gateway } from "../../gateway/client.ts";
import type { Permits } from "../../gateway/limiter.ts";

/** Everything that waits for another party: calls, permits to make them, and the token they need. */
export interface Outside {
  call: Call;
  permits: Permits;
  /** Fetches the account's token from the CRM again; undefined if it is still `dead`. */
  renewToken(accountId: AccountId, dead: string): Promise<string | undefined>;
}

interface Parts extends Outside {
  clock: Clock;
  /** Shared knowledge about gateways' empty answers. */
  isDone: EmptyAnswers;
}

/** One gateway client per account, so that token renewals are shared; it follows the account's URL and token. */
export function createGateways(parts: Parts): (account: Account) => Gateway {
  const known = new Map<AccountId, { binding: { url: string; token: string }; gateway: Gateway }>();
  return (account) => {
    const binding = { url: account.gatewayUrl, token: account.gatewayToken };
    const found = known.get(account.id);
    if (found) {
      Object.assign(found.binding, binding);
      return found.gateway;
    }
    const gateway = createGateway({
      call: parts.call,
      clock: parts.clock,
      permits: parts.permits,
      account: account.id,
      isDone: parts.isDone,
      access: {
        url: () => binding.url,
        token: () => binding.token,
        renew: async (dead) => {
          const token = await parts.renewToken(account.id, dead);
          if (token) binding.token = token;
          return token;
        },
      },
    });
    known.set(account.id, { binding, gateway });
    return gateway;
  };
}
