import type { FieldWords, InLanguages } from "../../domain/channel.ts";
import type { Settings } from "./wire.ts";

/** What the form says. */
export const words: InLanguages<Record<Exclude<keyof Settings, "webhookSecret">, FieldWords>> = {
  en: {
    apiUrl: { label: "Address of the exchange", hint: "Your exchange prints it at its start." },
    token: { label: "Token", hint: "On the exchange: Settings, Modules, New token." },
  },
};
