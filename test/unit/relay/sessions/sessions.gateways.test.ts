import type { Call } from "gangway-messenger/call";
import { systemClock } from "gangway-messenger/clock";
import { expect, it } from "vitest";
import type { Account } from "../../../../src/domain/account.ts";
import type { GatewayChannelId, GatewayMessageId } from "../../../../src/domain/ids.ts";
import { createPermits } from "../../../../src/gateway/limiter.ts";
import { emptyAnswers } from "../../../../src/gateway/sending.ts";
import { createGateways } from "../../../../src/relay/sessions/sessions.ts";

const account = (id: string) => ({ id, gatewayUrl: `https://${id}.test`, gatewayToken: "token" }) as unknown as Account;

it("once one account's gateway answers with an object, an empty answer from any gateway proves nothing", async () => {
  const call: Call = async ({ url }) => {
    const body = new URL(url).hostname === "first.test" ? "{}" : "";
    return { type: "answer", status: 200, headers: {}, bytes: new TextEncoder().encode(body) };
  };
  const renewToken = async () => undefined;
  const gatewayOf = createGateways({
    call,
    clock: systemClock,
    permits: createPermits(systemClock),
    renewToken,
    isDone: emptyAnswers(),
  });
  const ack = (id: string) => {
    const { signal } = new AbortController();
    return gatewayOf(account(id)).ack("1" as GatewayChannelId, { gatewayMessageId: "2" as GatewayMessageId }, signal);
  };
  await ack("second");
  await ack("first");
  await expect(ack("second")).rejects.toMatchObject({ verdict: { type: "unsure" } });
});
