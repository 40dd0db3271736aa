import type { FieldWords, InLanguages } from "../../domain/channel.ts";
import type { Settings } from "./wire.ts";

/** What the form says. */
export const words: InLanguages<Record<Exclude<keyof Settings, "webhookSecret">, FieldWords>> = {
  en: {
    token: {
      label: "Bot token",
      hint: "In Telegram, write /newbot to @BotFather, or /token for a bot you have, and copy the line it gives you.",
    },
    language: {
      label: "Language",
      hint: "Of product and order cards, and of what the module itself writes.",
      choices: { en: "English", es: "Español", ru: "Русский" },
    },
    groups: {
      label: "Groups",
      hint: "A bot sees what members of a group write only when BotFather has switched its privacy mode off.",
      choices: {
        off: "Leave out messages of groups",
        members: "Each member of a group has a chat of their own",
        whole: "A group is one chat",
      },
    },
    businessOwners: {
      label: "Owners of business accounts",
      hint: "Telegram user ids, one a line, of the people whose own business chats the bot may speak in. Empty: none.",
    },
    updates: {
      label: "How messages come in",
      hint: "Leave this as it is unless the server's operator tells you otherwise.",
      choices: {
        server: "As this server is set up",
        webhook: "Telegram calls this server (webhook)",
        polling: "This server asks Telegram (long polling)",
      },
    },
    takeOver: {
      label: "Take the bot over from another service",
      hint: "Only when the bot's messages go to another service now and should come here instead.",
    },
  },
};
