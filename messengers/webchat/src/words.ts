import type { Explanation } from "gangway-messenger/explanations";
import type { FieldWords } from "gangway-messenger/features";
import type { InLanguages } from "gangway-messenger/language";
import { identityKey } from "./visitor.ts";
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

/** Texts beside the HTML snippet. */
export const snippetWords: InLanguages<FieldWords> = {
  en: {
    label: "Add this line to every page of your site, before </body>",
    hint: "It sets no cookies, and stores nothing before a visitor opens the chat. If your site sends a Content-Security-Policy, allow this server in script-src, or give the line your nonce, and in connect-src, img-src and media-src.",
    picture: { alt: "A page of the shop, with the chat's button in its lower right corner", svg: chatOnPage },
  },
  es: {
    label: "Añada esta línea a cada página de su sitio web, antes de </body>",
    hint: "No usa cookies ni guarda nada antes de que el visitante abra el chat. Si su sitio envía una Content-Security-Policy, permita este servidor en script-src, o dé su nonce a la línea, y en connect-src, img-src y media-src.",
    picture: { alt: "Una página de la tienda, con el botón del chat en su esquina inferior derecha", svg: chatOnPage },
  },
  ru: {
    label: "Вставьте эту строку на каждую страницу сайта, перед </body>",
    hint: "Cookies не нужны, и ничего не сохраняется, пока посетитель не откроет чат. Если ваш сайт передаёт Content-Security-Policy, разрешите этот сервер в script-src или добавьте в строку ваш nonce, а также в connect-src, img-src и media-src.",
    picture: { alt: "Страница магазина с кнопкой чата в правом нижнем углу", svg: chatOnPage },
  },
};

/** How the shop's own customers are recognised on every device. The key is no password of anybody: it signs ids. */
export function identityWords({ visitorKey }: Settings): InLanguages<FieldWords> {
  const key = identityKey(visitorKey);
  const call = 'Gangway("identify", { id, signature, name, email })';
  return {
    en: {
      label: "Recognise your customers on every device (optional)",
      steps: [
        `Keep this key on your server: \`${key}\`. Whoever has it can read the chats of your customers.`,
        "For each customer who is logged in, compute there the HMAC-SHA256 of their id with this key, in hexadecimal.",
        `Put both into your page: \`${call}\`. When they log out: \`Gangway("logout")\`.`,
      ],
    },
    es: {
      label: "Reconozca a sus clientes en todos sus dispositivos (opcional)",
      steps: [
        `Guarde esta clave en su servidor: \`${key}\`. Quien la tenga puede leer los chats de sus clientes.`,
        "Para cada cliente que haya iniciado sesión, calcule allí el HMAC-SHA256 de su identificador con esta clave, en hexadecimal.",
        `Ponga ambos en su página: \`${call}\`. Cuando cierre la sesión: \`Gangway("logout")\`.`,
      ],
    },
    ru: {
      label: "Узнавайте своих клиентов на всех устройствах (по желанию)",
      steps: [
        `Храните этот ключ на своём сервере: \`${key}\`. У кого он есть, тот может читать чаты ваших клиентов.`,
        "Для каждого вошедшего клиента вычислите там HMAC-SHA256 его идентификатора с этим ключом, в шестнадцатеричном виде.",
        `Передайте оба значения на странице: \`${call}\`. Когда клиент выходит: \`Gangway("logout")\`.`,
      ],
    },
  };
}

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
  {
    en: "should be an address that begins with https://",
    es: "indique una dirección que empiece por https://",
    ru: "укажите адрес, который начинается с https://",
  },
  {
    en: "each line should be such as mon-fri 9:00-18:00",
    es: "escriba cada línea así: mon-fri 9:00-18:00",
    ru: "пишите каждую строку так: mon-fri 9:00-18:00",
  },
  {
    en: "should be a time zone such as Europe/Madrid",
    es: "indique una zona horaria como Europe/Madrid",
    ru: "укажите часовой пояс, например Europe/Moscow",
  },
  {
    stored: "should be at most {most} lines",
    en: "enter at most {most, plural, one {# line} other {# lines}}",
    es: "escriba {most, plural, one {# línea} many {# de líneas} other {# líneas}} como máximo",
    ru: "введите не больше {most, plural, one {# строки} few {# строк} many {# строк} other {# строки}}",
  },
  {
    stored: "should be a number up to {most}",
    en: "enter a number up to {most}",
    es: "indique un número hasta {most}",
    ru: "введите число не больше {most}",
  },
  {
    en: "The signature of this customer is not right",
    es: "La firma de este cliente no es correcta",
    ru: "Подпись этого клиента неверна",
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
