import type { Explanation } from "gangway-messenger/explanations";
import type { FieldWords } from "gangway-messenger/features";
import type { InLanguages } from "gangway-messenger/language";
import type { Settings } from "./wire.ts";

/** A page of the shop, with the chat's button marked. The classes are the account page's colours. */
const chatOnPage = `<svg viewBox="0 0 340 150" aria-hidden="true">
<rect class="paper line" x="2" y="2" width="336" height="146" rx="10"/>
<path class="line" d="M2 26h336" fill="none"/>
<circle class="soft" cx="16" cy="14" r="4"/><circle class="soft" cx="30" cy="14" r="4"/><circle class="soft" cx="44" cy="14" r="4"/>
<rect class="soft" x="22" y="44" width="90" height="62" rx="6"/><rect class="soft" x="128" y="44" width="90" height="62" rx="6"/>
<path class="line" d="M22 120h90M128 120h90M22 132h60M128 132h60" fill="none"/>
<circle class="mark" cx="302" cy="112" r="22"/><path class="line" d="M292 105h20v12h-12l-5 5v-5h-3z" fill="none"/>
</svg>`;

/** What it is for, in one line. */
export const about: InLanguages<string> = {
  en: "A chat on your shop's pages, by one line of code",
  es: "Un chat en las páginas de su tienda, con una línea de código",
  ru: "Чат на страницах вашего магазина — одной строкой кода",
};

export const titles: InLanguages<string> = { en: "Web chat", es: "Chat web", ru: "Чат на сайте" };

export const adding: InLanguages<string> = {
  en: "Add a web chat",
  es: "Añadir chat web",
  ru: "Добавить чат на сайте",
};

const LANGUAGE_NAMES = { en: "English", es: "Español", ru: "Русский" };

/** Texts of the settings form. */
export const words: InLanguages<Record<Exclude<keyof Settings, "visitorKey">, FieldWords>> = {
  en: {
    title: { label: "Title of the chat window", initial: "Chat with us" },
    greeting: { label: "Greeting", hint: "The first text in the window.", initial: "Hello! How can we help you?" },
    language: {
      label: "Language",
      hint: 'Used in the window and in product and order cards. On a page in another language, add data-lang="es" or "ru" to the line.',
      choices: LANGUAGE_NAMES,
      initial: "en",
    },
    accent: { label: "Colour" },
    allowedOrigins: {
      label: "Sites that may show the chat",
      hint: "One address per line, such as https://shop.example.com. Empty: any site may show it.",
    },
  },
  es: {
    title: { label: "Título de la ventana del chat", initial: "Escríbanos" },
    greeting: { label: "Saludo", hint: "El primer texto de la ventana.", initial: "¡Hola! ¿En qué podemos ayudarle?" },
    language: {
      label: "Idioma",
      hint: 'El de la ventana y el de las fichas de productos y pedidos. En una página en otro idioma, añada data-lang="en" o "ru" a la línea.',
      choices: LANGUAGE_NAMES,
      initial: "es",
    },
    accent: { label: "Color" },
    allowedOrigins: {
      label: "Sitios web que pueden mostrar el chat",
      hint: "Una dirección por línea, como https://tienda.example.com. Vacío: cualquier sitio puede mostrarlo.",
    },
  },
  ru: {
    title: { label: "Заголовок окна чата", initial: "Напишите нам" },
    greeting: { label: "Приветствие", hint: "Первый текст в окне.", initial: "Здравствуйте! Чем можем помочь?" },
    language: {
      label: "Язык",
      hint: 'Язык окна и карточек товаров и заказов. На странице на другом языке добавьте в строку data-lang="en" или "es".',
      choices: LANGUAGE_NAMES,
      initial: "ru",
    },
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
    label: "Add this line to every page of your site, before </body>",
    hint: "It needs no cookies. If your site sends a Content-Security-Policy, allow this server in script-src, connect-src, img-src and media-src.",
    picture: { alt: "A page of the shop, with the chat's button in its lower right corner", svg: chatOnPage },
  },
  es: {
    label: "Añada esta línea a cada página de su sitio web, antes de </body>",
    hint: "No necesita cookies. Si su sitio envía una Content-Security-Policy, permita este servidor en script-src, connect-src, img-src y media-src.",
    picture: { alt: "Una página de la tienda, con el botón del chat en su esquina inferior derecha", svg: chatOnPage },
  },
  ru: {
    label: "Вставьте эту строку на каждую страницу сайта, перед </body>",
    hint: "Cookies не нужны. Если ваш сайт передаёт Content-Security-Policy, разрешите этот сервер в script-src, connect-src, img-src и media-src.",
    picture: { alt: "Страница магазина с кнопкой чата в правом нижнем углу", svg: chatOnPage },
  },
};

export const explanations: readonly Explanation[] = [
  {
    stored: "each line should be an address such as https://shop.example.com",
    en: "enter one address per line, such as https://shop.example.com",
    es: "escriba una dirección por línea, como https://tienda.example.com",
    ru: "укажите в каждой строке один адрес, например https://shop.example.com",
  },
  { en: "give the window a title", es: "ponga un título a la ventana", ru: "дайте окну заголовок" },
  {
    stored: "should have at most {most} characters",
    en: "use at most {most, plural, one {# character} other {# characters}}",
    es: "escriba {most, plural, one {# carácter} many {# de caracteres} other {# caracteres}} como máximo",
    ru: "введите не больше {most, plural, one {# символа} few {# символов} many {# символов} other {# символа}}",
  },
  {
    stored: "should be a colour such as #0f5f6b",
    en: "enter a colour such as #0f5f6b",
    es: "indique un color como #0f5f6b",
    ru: "укажите цвет, например #0f5f6b",
  },
  {
    stored: "should be at most {most} sites",
    en: "enter at most {most, plural, one {# site} other {# sites}}",
    es: "escriba {most, plural, one {# sitio} many {# de sitios} other {# sitios}} como máximo",
    ru: "укажите не больше {most, plural, one {# сайта} few {# сайтов} many {# сайтов} other {# сайта}}",
  },
  // What the window tells a visitor.
  {
    en: "Too many requests; please wait a moment",
    es: "Demasiadas solicitudes; espere un momento",
    ru: "Слишком много запросов, подождите немного",
  },
  {
    en: "Too many windows are open at the moment",
    es: "Hay demasiadas ventanas abiertas en este momento",
    ru: "Сейчас открыто слишком много окон",
  },
  { en: "Please reload the page", es: "Vuelva a cargar la página", ru: "Обновите страницу" },
  { en: "The message is too large", es: "El mensaje es demasiado grande", ru: "Сообщение слишком большое" },
  { en: "The file is too large", es: "El archivo es demasiado grande", ru: "Файл слишком большой" },
  { en: "The file is empty", es: "El archivo está vacío", ru: "Файл пуст" },
  {
    en: "The file came too slowly",
    es: "El archivo llegó demasiado despacio",
    ru: "Файл загружался слишком медленно",
  },
  { en: "There is no such file", es: "Este archivo ya no existe", ru: "Этого файла больше нет" },
  {
    en: "Please send the files that you have added first",
    es: "Envíe primero los archivos que ha añadido",
    ru: "Сначала отправьте уже добавленные файлы",
  },
  {
    en: "You have sent many files today, please send more tomorrow",
    es: "Hoy ha enviado muchos archivos; envíe más mañana",
    ru: "Вы отправили сегодня много файлов, продолжите завтра",
  },
  {
    en: "Too many files today, please send more tomorrow",
    es: "Hoy ha habido demasiados archivos; envíe más mañana",
    ru: "Сегодня слишком много файлов, продолжите завтра",
  },
  {
    en: "Please wait until other files have been uploaded",
    es: "Espere a que se suban los otros archivos",
    ru: "Подождите, пока загрузятся другие файлы",
  },
  {
    en: "Too many files at the moment, please try again later",
    es: "Demasiados archivos en este momento; inténtelo más tarde",
    ru: "Сейчас слишком много файлов, попробуйте позже",
  },
  {
    stored: "should be at most {most} files",
    en: "send at most {most, plural, one {# file} other {# files}} at once",
    es: "envíe {most, plural, one {# archivo} many {# de archivos} other {# archivos}} a la vez como máximo",
    ru: "отправляйте не больше {most, plural, one {# файла} few {# файлов} many {# файлов} other {# файла}} за один раз",
  },
  {
    stored: "should not be empty",
    en: "this must not be empty",
    es: "esto no puede estar vacío",
    ru: "это не может быть пустым",
  },
];
