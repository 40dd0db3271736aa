import { DeliveryError, type Verdict } from "gangway-messenger/errors";
import type { GatewayFileId } from "gangway-messenger/ids";
import type { ChannelAdapter, ChannelContext } from "gangway-messenger/port";
import { describe, expect, it } from "vitest";
import type { Gateway } from "../../../../src/gateway/client.ts";
import { createStreams } from "../../../../src/relay/sessions/feeds.ts";
import { createJournals, createSessions } from "../../../../src/relay/sessions/sessions.ts";
import { writeRows } from "../../../support/engine.ts";
import { oneChannel } from "../../../support/store.ts";

const FILE = "f" as GatewayFileId;

/** A channel, and the two ways in which a message gets a file from the gateway. */
async function setUp(file: Gateway["file"]) {
  const { clock, folder, store, account, channel } = await oneChannel();
  let context: ChannelContext<unknown> | undefined;
  const open = (given: ChannelContext<unknown>) => {
    context = given;
    return {};
  };
  const settings = { parse: (given: unknown) => given };
  const adapter = { kind: "toy", settings, capabilities: () => ({}), open } as unknown as ChannelAdapter;
  const sessions = createSessions({
    ...{ adapters: [adapter], store, clock, journals: createJournals(store) },
    call: async () => expect.fail("must not be called"),
    publicUrl: "https://gangway.example",
    markup: "none",
    streamsOf: createStreams(10),
    serverOptions: () => ({ updates: "webhook" }),
    // Like the real one, it opens the token.
    gatewayOf: ({ gatewayToken }) => ({ file, gatewayToken }) as unknown as Gateway,
  });
  sessions.of(channel);
  const { signal } = new AbortController();
  const ways = {
    link: () => sessions.gatewayFile(channel, FILE, signal),
    bytes: () => context?.gatewayFile(FILE, signal),
  };
  return { folder, account, ways };
}

async function faultOf(way: () => Promise<unknown> | undefined): Promise<DeliveryError> {
  const error = await way()?.catch((fault: unknown) => fault);
  return error instanceof DeliveryError ? error : expect.fail(`it gave ${String(error)}`);
}

describe("an agent's file that cannot be fetched from the gateway", () => {
  it.each(["link", "bytes"] as const)(
    "leaves no doubt about the message if the account cannot be read: %s",
    async (way) => {
      const { folder, account, ways } = await setUp(async () => expect.fail("must not be called"));
      await writeRows(folder, "UPDATE account SET gateway_token_sealed = 'spoiled' WHERE id = ?", account.id);
      expect(await faultOf(ways[way])).toMatchObject({ verdict: { type: "retry" }, fromOtherSide: true });
    },
  );

  it.each<[Verdict, Verdict["type"]]>([
    [{ type: "reconnect" }, "retry"],
    [{ type: "retry", afterMs: 60_000 }, "retry"],
    [{ type: "reject", code: "general" }, "reject"],
  ])("is not the messenger's fault: %j", async (verdict, type) => {
    const { ways } = await setUp(async () => {
      throw new DeliveryError(verdict, "no");
    });
    for (const way of Object.values(ways)) {
      const { fromOtherSide, verdict: told } = await faultOf(way);
      expect({ fromOtherSide, type: told.type, ...("afterMs" in told && { pauses: told.afterMs }) }).toEqual({
        fromOtherSide: true,
        type,
      });
    }
  });
});
