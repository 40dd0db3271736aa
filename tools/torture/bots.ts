import { phonesAt } from "gangway-sandbox/demo/phone";
import { addBot } from "gangway-sandbox/demo/set-up";
import type { OpenMessenger } from "./scene.ts";

/** Telegram: one bot an account; every other bot polls. */
export const botsAt: OpenMessenger = ({ crm, origin }, { chats, floods, lost, policy }) => {
  const phones = phonesAt(`${origin}/telegram`);
  const fault = (plan: object) => phones.ask("POST", "/control/faults", { method: "sendMessage", ...plan });
  return {
    env: { TELEGRAM_API_URL: `${crm.origin}/telegram` },
    async join(visit, n) {
      const bot = await phones.newBot(`soak_${n}_bot`, `Soak ${n}`);
      const updates = n % 2 === 0 ? "webhook" : "polling";
      await addBot(visit, { name: bot.username, token: bot.token, updates, unsure: policy });
      const people = await Promise.all(
        Array.from({ length: chats }, (_, c) => phones.newPerson({ firstName: `Customer ${n}-${c}`, language: "en" })),
      );
      return people.map(({ id }) => ({
        chat: String(id),
        say: (text) => phones.say(id, bot.id, { text }),
        shown: async () =>
          (await phones.messages(id, bot.id)).flatMap(({ from, text = "", at }) =>
            from === "bot" ? [{ text, at }] : [],
          ),
      }));
    },
    async plan() {
      if (floods > 0) await fault({ type: "flood", scope: "chat", retryAfter: 1, probability: floods });
      if (lost > 0) await fault({ type: "lost", probability: lost });
    },
    async counts() {
      const happened = await phones.ask<Record<string, number>>("GET", "/control/faults/happened");
      const beyond = await phones.ask<Record<string, number>>("GET", "/control/floods");
      return { lostAnswers: happened.lost ?? 0, floods: Object.values(beyond).reduce((sum, count) => sum + count, 0) };
    },
  };
};
