import type { FieldWords } from "../../domain/channel.ts";
import type { Explanation } from "../../domain/explanations.ts";
import type { InLanguages } from "../../domain/language.ts";
import type { Settings } from "./wire.ts";

export const titles: InLanguages<string> = { en: "Web chat", es: "Chat web", ru: "Чат на сайте" };

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
  es: {
    title: { label: "Título de la ventana del chat" },
    greeting: { label: "Saludo", hint: "El primer texto de la ventana." },
    accent: { label: "Color" },
    allowedOrigins: {
      label: "Sitios que pueden mostrar el chat",
      hint: "Una dirección por línea, como https://tienda.example.com. Vacío: cualquier sitio puede mostrarlo.",
    },
  },
  ru: {
    title: { label: "Заголовок окна чата" },
    greeting: { label: "Приветствие", hint: "Первый текст в окне." },
    accent: { label: "Цвет" },
    allowedOrigins: {
      label: "Сайты, на которых можно показывать чат",
      hint: "По одному адресу в строке, например https://shop.example.com. Если пусто — на любом сайте.",
    },
  },
};

/** Texts beside the HTML snippet. */
export const snippetWords: InLanguages<FieldWords> = {
  en: {
    label: "Put this line on every page of your site, before </body>",
    hint: "It needs no cookies. If your site sends a Content-Security-Policy, allow this server in script-src, connect-src, img-src and media-src.",
  },
  es: {
    label: "Ponga esta línea en cada página de su sitio, antes de </body>",
    hint: "No necesita cookies. Si su sitio envía una Content-Security-Policy, permita este servidor en script-src, connect-src, img-src y media-src.",
  },
  ru: {
    label: "Вставьте эту строку на каждую страницу сайта, перед </body>",
    hint: "Cookies не нужны. Если ваш сайт передаёт Content-Security-Policy, разрешите этот сервер в script-src, connect-src, img-src и media-src.",
  },
};

export const explanations: readonly Explanation[] = [
  {
    en: "each line should be an address such as https://shop.example.com",
    es: "cada línea debe ser una dirección como https://tienda.example.com",
    ru: "в каждой строке должен быть адрес, например https://shop.example.com",
  },
  { en: "give the window a title", es: "ponga un título a la ventana", ru: "дайте окну заголовок" },
  {
    en: "should have at most {most} characters",
    es: "debe tener {most} caracteres como máximo",
    ru: "не больше {most} символов",
  },
  {
    en: "should be a colour such as #0f5f6b",
    es: "debe ser un color como #0f5f6b",
    ru: "нужен цвет, например #0f5f6b",
  },
  { en: "should be at most {most} sites", es: "{most} sitios como máximo", ru: "не больше {most} сайтов" },
];
