import type { Content } from "gangway-messenger/message";
import type { SendStep } from "gangway-messenger/plan";
import { planMessage } from "gangway-messenger/planning";
import { expect, it } from "vitest";
import type { GatewayMessageId } from "../../../../src/domain/ids.ts";
import { channelContext } from "../../../../test/support/channel-context.ts";
import { fc } from "../../../../test/support/property.ts";
import { HARBOUR_BOT_TOKEN } from "../../emulator/world.ts";
import { type BotApi, refusalError } from "../../src/api.ts";
import telegram from "../../src/index.ts";
import { sending } from "../../src/sending/outbound.ts";
import { settings as schema } from "../../src/wire.ts";
import { fresh } from "../unit/stage.ts";

/** Texts up to more than one message; lengths near the limits matter most. */
const words = fc
  .tuple(fc.constantFrom("rope ", "🧵", "x", "knot.\n"), fc.constantFrom(0, 10, 1_000, 1_024, 4_000, 4_096, 9_000))
  .map(([word, length]) => word.repeat(Math.floor(length / word.length)));
const address = fc.constantFrom(10, 900, 3_500, 6_000).map((length) => `https://shop.example/${"a".repeat(length)}`);
const content: fc.Arbitrary<Content> = fc.oneof(
  fc.record({ type: fc.constant("text" as const), text: words }),
  fc.record({
    type: fc.constant("product" as const),
    product: fc.record({ id: fc.constant(1), name: fc.constant("Rope"), image: address }),
    text: words,
  }),
);
const suggestion = fc.oneof(
  fc.record({ type: fc.constant("text" as const), title: fc.constant("Yes") }),
  fc.record({ type: fc.constant("url" as const), title: fc.constantFrom("Shop", "S".repeat(300)), payload: address }),
);

it("never gives Telegram a longer text or caption than it takes, whatever links stand beside keys", async () => {
  const { context } = await channelContext(schema.parse({ token: HARBOUR_BOT_TOKEN }));
  const said: { text?: string; caption?: string }[] = [];
  const call = async ({ method, params = {} }: { method: string; params?: Record<string, unknown> }) => {
    said.push(params);
    const refusal = { status: 400, description: "Bad Request: failed to get HTTP URL content" };
    if (method === "sendPhoto") throw refusalError(method, refusal, false);
    return { message_id: 1, chat: { id: 7 } };
  };
  const { send } = sending(context, { call } as unknown as BotApi);
  const chat = "7" as never;
  await fc.assert(
    fc.asyncProperty(content, fc.array(suggestion, { maxLength: 5 }), async (what, suggestions) => {
      said.length = 0;
      const id = "1" as GatewayMessageId;
      const message = { type: "message" as const, gatewayMessageId: id, chat, content: what, suggestions };
      const { steps } = planMessage(message, telegram.capabilities(context.settings));
      for (const step of steps) await send(step as SendStep, { chat, key: "k" }, fresh());
      expect(said.length).toBeGreaterThan(0);
      for (const { text = "", caption = "" } of said) {
        expect(text.length).toBeLessThanOrEqual(4_096);
        expect(caption.length).toBeLessThanOrEqual(1_024);
      }
    }),
  );
});
