import type { FieldWords, InLanguages } from "../../../src/domain/channel.ts";
import type { Settings } from "./wire.ts";

/** What the form says. */
export const words: InLanguages<Record<Exclude<keyof Settings, "webhookSecret">, FieldWords>> = {
  en: {
    apiUrl: { label: "Address of the API" },
    token: { label: "Token", hint: "Where in Acme the owner finds it, step by step (write me)." },
  },
};
