import { becomes } from "gangway-sandbox/demo/waiting";
import { atLeast, type Figure, none } from "./figure.ts";
import { createPowerCut } from "./power-cut.ts";
import { atGateway, openShop, statusOf } from "./shop.ts";
import type { Trial } from "./trial.ts";

const LONG = 1_000;
const SHORT = 100;

/** At both public endpoints, a sync comes between every request and its 200. */
export const syncBeforeAnswer: Trial = {
  name: "sync before answer",
  async run(context): Promise<Figure[]> {
    const power = createPowerCut(context.folder());
    const folder = context.folder();
    const shop = await openShop({ ...context, folder: () => folder }, context.program(), power.env(folder));
    try {
      const customer = shop.customers["web chat"];
      await customer.say("hello");
      await becomes(() => customer.chat() !== undefined);
      const chat = customer.chat() ?? 0;
      const wanted = context.short ? SHORT : LONG;
      // One at a time: the sync can only be this message's.
      for (let n = 0; n < wanted / 2; n++) {
        await shop.agent.say(chat, { text: `message ${n}` });
        await becomes(() => statusOf(shop, `message ${n}`) !== "sending");
        await customer.say(`answer ${n}`);
        await becomes(() => atGateway(shop, `answer ${n}`) > 0);
      }
      const { all, early } = power.answers();
      return [atLeast("P6", "answers watched", all, wanted), none("P6", "answers before their sync", early)];
    } finally {
      await shop.close();
    }
  },
};
