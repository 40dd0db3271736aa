import { becomes } from "gangway-sandbox/demo/waiting";
import type { Patch } from "./copy.ts";
import { atMost, exactly, type Figure } from "./figure.ts";
import { atGateway, openShop, statusOf } from "./shop.ts";
import { supervise } from "./supervisor.ts";
import type { Trial } from "./trial.ts";

export const POISON: Patch = {
  file: "relay/deliver/attempt.js",
  find: "const began = deps.clock.now();",
  replace:
    'if (JSON.stringify(job.task).includes("poison")) process.kill(process.pid, "SIGKILL");\nconst began = deps.clock.now();',
};
/** Crashes after which the message must be parked. */
const MAX_CRASHES = 5;
/** Each crash costs a start and, on PostgreSQL, the end of the dead process's lease, ms. */
const PATIENCE_MS = 150_000;

export const poison: Trial = {
  name: "poison",
  async run(context): Promise<Figure[]> {
    const shop = await openShop(context, context.program([POISON]));
    const supervisor = supervise(shop.server);
    const patienceMs = PATIENCE_MS * context.slack;
    try {
      const { bot, "web chat": webChat } = shop.customers;
      await Promise.all([bot.say("hello"), webChat.say("hello there")]);
      await becomes(() => bot.chat() !== undefined && webChat.chat() !== undefined);
      await webChat.say("poison from a customer");
      await webChat.say("next from the customer");
      // Give up at the first crash over the limit.
      await becomes(
        () => atGateway(shop, "next from the customer") > 0 || supervisor.deaths() > MAX_CRASHES,
        patienceMs,
      );
      const inbound = supervisor.deaths();
      const givesUp = () => inbound > MAX_CRASHES || supervisor.deaths() - inbound > MAX_CRASHES;
      await shop.agent.say(bot.chat() ?? 0, { text: "poison" });
      await shop.agent.say(bot.chat() ?? 0, { text: "next in the chat" });
      await webChat.say("meanwhile another chat");
      await becomes(async () => (await bot.sees("next in the chat")) > 0 || givesUp(), patienceMs);
      await becomes(() => atGateway(shop, "meanwhile another chat") > 0 || givesUp(), patienceMs);
      await becomes(() => statusOf(shop, "poison") === "failed" || givesUp(), patienceMs);
      return [
        atMost("P17", "crashes before a customer's message is parked", inbound, MAX_CRASHES),
        atMost("P17", "crashes before an agent's message is parked", supervisor.deaths() - inbound, MAX_CRASHES),
        exactly("P17", "the customer's next message, delivered", atGateway(shop, "next from the customer"), 1),
        exactly("P17", "the next message of its chat, delivered", await bot.sees("next in the chat"), 1),
        exactly("P17", "a message of another chat, delivered", atGateway(shop, "meanwhile another chat"), 1),
        exactly("P17", "the agent sees that it failed", Number(statusOf(shop, "poison") === "failed"), 1),
      ];
    } finally {
      await supervisor.stop();
      await shop.close();
    }
  },
};
