import { systemClock } from "gangway-messenger/clock";
import { callFrom } from "gangway-messenger/kit/call";
import type { Account } from "../../sandbox/test/spec/account.ts";
import { createGateway } from "../../src/gateway/client.ts";
import { createPermits } from "../../src/gateway/limiter.ts";
import { emptyAnswers } from "../../src/gateway/sending.ts";

/** Our client on a sandbox's gateway, as its module `m`. */
export const gatewayOn = ({ sandbox, tokenOf }: Pick<Account, "sandbox" | "tokenOf">) =>
  createGateway({
    ...{ call: callFrom(sandbox), clock: systemClock, permits: createPermits(systemClock), account: "one" },
    isDone: emptyAnswers(),
    access: {
      url: () => "http://sandbox/api/transport/v1",
      token: () => tokenOf("m"),
      renew: async () => undefined,
    },
  });
