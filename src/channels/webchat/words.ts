import type { FieldWords, InLanguages } from "../../domain/channel.ts";
import type { Settings } from "./wire.ts";

/** Texts of the settings form. */
export const words: InLanguages<Record<Exclude<keyof Settings, "visitorKey">, FieldWords>> = {
  en: {
    title: { label: "Title of the chat window" },
    greeting: { label: "Greeting", hint: "The first text in the window." },
    accent: { label: "Colour" },
    allowedOrigins: {
      label: "Sites that may show the chat",
      hint: "One address per line, such as https://shop.example.com. Empty: any site may show it.",
    },
  },
};

/** Texts beside the HTML snippet. */
export const snippetWords: InLanguages<FieldWords> = {
  en: {
    label: "Put this line on every page of your site, before </body>",
    hint: "It needs no cookies. If your site sends a Content-Security-Policy, allow this server in script-src, connect-src, img-src and media-src.",
  },
};
