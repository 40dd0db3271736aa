import type { Emulator, EmulatorOptions } from "gangway-messenger/kit/emulator";
import { SERVED_METHODS } from "./catalogue.ts";
import { FILE, parseMessengerFault, UPDATE } from "./faults.ts";
import { createTelegram, type Telegram } from "./telegram.ts";
import { HARBOUR_BOT_TOKEN } from "./world.ts";

export interface TelegramEmulator extends Emulator {
  telegram: Telegram;
}

export function createEmulator({ origin, clock, deliver }: EmulatorOptions): TelegramEmulator {
  const telegram = createTelegram({ origin, clock, deliver });
  const { faults, site, phone, world, stop } = telegram;
  /** The first person and the demo's bot. */
  const pair = () => {
    const bot = [...world.bots.values()].find(({ token }) => token === HARBOUR_BOT_TOKEN);
    const [person] = world.people.keys();
    if (!bot || person === undefined) throw new Error("The world is empty");
    return { bot: bot.id, person };
  };
  return {
    telegram,
    site,
    channel: () => ({
      name: "Harbour bot",
      settings: { token: HARBOUR_BOT_TOKEN, updates: "webhook", language: "en", groups: "off" },
    }),
    logins: () =>
      [...world.bots.values()].map(({ username, token }) => ({ name: `@${username}`, values: { Token: token } })),
    customer: {
      says: async (text) => phone.send(pair().person, pair().bot, { text }),
      sees() {
        const { bot, person } = pair();
        const { messages = [] } = phone.chats(person).find(({ id }) => id === bot) ?? {};
        return messages.flatMap(({ from, text }) => (from === "bot" && text ? text : []));
      },
    },
    env: () => ({ TELEGRAM_API_URL: origin() }),
    faults: {
      targets: [FILE, UPDATE, ...SERVED_METHODS],
      plan: ({ operation, ...fault }) => void faults.plan(parseMessengerFault({ method: operation, ...fault })),
      list: () => faults.list().map(({ method, ...fault }) => ({ operation: method, ...fault })),
      clear: faults.clear,
    },
    stop,
  };
}
