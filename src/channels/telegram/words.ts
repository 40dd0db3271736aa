import type { FieldWords, InLanguages } from "../../domain/channel.ts";
import type { Settings } from "./wire.ts";

/** Texts of the settings form. */
export const words: InLanguages<Record<Exclude<keyof Settings, "webhookSecret">, FieldWords>> = {
  en: {
    token: {
      label: "Bot token",
      hint: "In Telegram, write /newbot to @BotFather, or /token for an existing bot, and copy the token here.",
    },
    language: {
      label: "Language",
      hint: "For product and order cards, and for texts that the module writes itself.",
      choices: { en: "English", es: "Español", ru: "Русский" },
    },
    groups: {
      label: "Groups",
      hint: "To let the bot see the messages of a group, turn off its privacy mode in BotFather.",
      choices: {
        off: "Ignore messages from groups",
        members: "A separate chat for each group member",
        whole: "One chat for the whole group",
      },
    },
    businessOwners: {
      label: "Business account owners",
      hint: "Telegram user ids, one per line, of the people whose business chats the bot may answer. Empty: none.",
    },
    updates: {
      label: "How messages arrive",
      hint: "Change this only if the server's operator asks you to.",
      choices: {
        server: "Server default",
        webhook: "Telegram calls this server (webhook)",
        polling: "This server asks Telegram (long polling)",
      },
    },
    takeOver: {
      label: "Take over the bot from another service",
      hint: "Only if the bot is connected to another service now, and its messages should arrive here instead.",
    },
  },
};
