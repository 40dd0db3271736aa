import type { Explanation } from "gangway-messenger/explanations";
import type { FieldWords } from "gangway-messenger/features";
import type { InLanguages } from "gangway-messenger/language";
import type { Settings } from "./wire.ts";

export const titles: InLanguages<string> = {
  en: "Own app (HTTP)",
  es: "Aplicación propia (HTTP)",
  ru: "Своё приложение (HTTP)",
};

export const adding: InLanguages<string> = {
  en: "Add your own app (HTTP)",
  es: "Añadir aplicación propia (HTTP)",
  ru: "Добавить своё приложение (HTTP)",
};

export const about: InLanguages<string> = {
  en: "Connect any app, bot platform or messenger by signed webhooks",
  es: "Conecte cualquier aplicación, plataforma de bots o mensajería con webhooks firmados",
  ru: "Любое приложение, платформа ботов или мессенджер по подписанным вебхукам",
};

const choices = { en: "English", es: "Español", ru: "Русский" };

/** Texts of the settings form. */
export const words: InLanguages<Record<Exclude<keyof Settings, "uploadKey">, FieldWords>> = {
  en: {
    callbackUrl: {
      label: "Address of your app",
      hint: "An https address that takes events. Without it, your app asks for them.",
    },
    signingSecret: {
      label: "Signing secret",
      steps: [
        "Make one: `gangway http secret` prints it; so does `echo whsec_$(openssl rand -base64 32)`",
        "Give it to your app, and paste it here.",
        "To exchange it later, paste the new one, a space and the old one: both hold until you paste the new one alone.",
      ],
    },
    language: { label: "Language", hint: "Language of product and order cards.", choices, initial: "en" },
  },
  es: {
    callbackUrl: {
      label: "Dirección de su aplicación",
      hint: "Una dirección https que recibe los eventos. Sin ella, su aplicación los pide.",
    },
    signingSecret: {
      label: "Secreto de firma",
      steps: [
        "Cree uno: `gangway http secret` lo muestra; también `echo whsec_$(openssl rand -base64 32)`",
        "Déselo a su aplicación y péguelo aquí.",
        "Para cambiarlo más tarde, pegue el nuevo, un espacio y el anterior: valen ambos hasta que pegue solo el nuevo.",
      ],
    },
    language: { label: "Idioma", hint: "Idioma de las fichas de productos y pedidos.", choices, initial: "es" },
  },
  ru: {
    callbackUrl: {
      label: "Адрес вашего приложения",
      hint: "Адрес https, который принимает события. Без него приложение запрашивает их само.",
    },
    signingSecret: {
      label: "Секрет подписи",
      steps: [
        "Создайте секрет: его выводит `gangway http secret`, а также `echo whsec_$(openssl rand -base64 32)`",
        "Передайте его приложению и вставьте сюда.",
        "Чтобы позже заменить его, вставьте новый, пробел и прежний: действуют оба, пока не вставите один новый.",
      ],
    },
    language: { label: "Язык", hint: "Язык карточек товаров и заказов.", choices, initial: "ru" },
  },
};

/** What an integrator needs to know. */
export function afterwards(_: Settings, doorUrl: string): InLanguages<FieldWords> {
  const document = `${new URL(doorUrl).origin}/channels/http/openapi.json`;
  return {
    en: {
      label: "Connect your app",
      steps: [
        `Your app sends events to this address, signed with the secret: \`${doorUrl}\``,
        `The API is described here (OpenAPI): \`${document}\``,
      ],
    },
    es: {
      label: "Conecte su aplicación",
      steps: [
        `Su aplicación envía los eventos a esta dirección, firmados con el secreto: \`${doorUrl}\``,
        `La API se describe aquí (OpenAPI): \`${document}\``,
      ],
    },
    ru: {
      label: "Подключите приложение",
      steps: [
        `Приложение отправляет события на этот адрес и подписывает их секретом: \`${doorUrl}\``,
        `Описание API (OpenAPI): \`${document}\``,
      ],
    },
  };
}

export const explanations: readonly Explanation[] = [
  {
    stored: "should be an address such as https://app.example/gangway",
    en: "enter an address such as https://app.example/gangway",
    es: "indique una dirección como https://app.example/gangway",
    ru: "укажите адрес, например https://app.example/gangway",
  },
  {
    stored: "should be one secret, or the new and the old one",
    en: "enter one secret, or the new one, a space and the old one",
    es: "escriba un secreto, o el nuevo, un espacio y el anterior",
    ru: "введите один секрет или новый, пробел и прежний",
  },
  {
    stored: "should be whsec_ and 24 to 64 bytes in base64",
    en: "enter whsec_ and 24 to 64 bytes in base64",
    es: "escriba whsec_ y de 24 a 64 bytes en base64",
    ru: "введите whsec_ и от 24 до 64 байт в base64",
  },
  {
    en: "the app cannot be reached at its address",
    es: "no se puede conectar con la aplicación en su dirección",
    ru: "приложение недоступно по своему адресу",
  },
  {
    en: "the app answers 410: it wants no more messages of this channel",
    es: "la aplicación responde 410: ya no quiere mensajes de este canal",
    ru: "приложение отвечает 410: сообщения этого канала ему больше не нужны",
  },
  {
    en: "the app: status {status} ({what})",
    es: "la aplicación: estado {status} ({what})",
    ru: "приложение: статус {status} ({what})",
  },
  {
    en: "the file cannot be fetched from its address",
    es: "no se puede descargar el archivo de su dirección",
    ru: "файл не удаётся скачать по его адресу",
  },
  { en: "the file is not there any more", es: "el archivo ya no existe", ru: "файла больше нет" },
  { en: "the file is no longer stored", es: "el archivo ya no se conserva", ru: "файл больше не хранится" },
  {
    en: "the file is not at the gateway",
    es: "el archivo no está en la pasarela",
    ru: "файла нет на шлюзе",
  },
  { en: "the file could not be read", es: "no se pudo leer el archivo", ru: "не удалось прочитать файл" },
  {
    en: "the file could not be stored",
    es: "no se pudo guardar el archivo",
    ru: "не удалось сохранить файл",
  },
  {
    en: "the channel's log could not be read",
    es: "no se pudo leer el registro del canal",
    ru: "не удалось прочитать журнал канала",
  },
  {
    en: "the channel's log could not be written",
    es: "no se pudo escribir en el registro del canal",
    ru: "не удалось записать в журнал канала",
  },
];
