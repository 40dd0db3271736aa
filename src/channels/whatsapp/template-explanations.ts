import type { Explanation } from "../../domain/explanations.ts";

/** What a template's draft lacks for Meta's review. */
export const templateExplanations: readonly Explanation[] = [
  {
    en: "Meta no longer has this template",
    es: "Meta ya no tiene esta plantilla",
    ru: "у Meta больше нет этого шаблона",
  },
  {
    en: "360dialog cannot change a template: delete it, and add a new one",
    es: "360dialog no puede cambiar una plantilla: elimínela y añada otra",
    ru: "360dialog не умеет менять шаблоны: удалите его и добавьте новый",
  },
  {
    en: "a template with a file above its text is made in WhatsApp Manager: Meta wants an example there",
    es: "una plantilla con un archivo sobre el texto se crea en el administrador de WhatsApp: Meta pide allí un ejemplo",
    ru: "шаблон с файлом над текстом создают в WhatsApp Manager: Meta просит там пример",
  },
  {
    en: "the template needs a file above its text",
    es: "la plantilla necesita un archivo sobre el texto",
    ru: "шаблону нужен файл над текстом",
  },
  {
    en: "the template's name needs letters a to z or digits",
    es: "el nombre de la plantilla necesita letras de la a a la z o dígitos",
    ru: "в названии шаблона нужны буквы от a до z или цифры",
  },
  { en: "the template needs a text", es: "la plantilla necesita un texto", ru: "шаблону нужен текст" },
  {
    en: "the template's text has more than {most} characters",
    es: "el texto de la plantilla tiene más de {most} caracteres",
    ru: "в тексте шаблона больше {most} символов",
  },
  {
    en: "the template's header has more than {most} characters",
    es: "el encabezado de la plantilla tiene más de {most} caracteres",
    ru: "в заголовке шаблона больше {most} символов",
  },
  {
    en: "the template's footer has more than {most} characters",
    es: "el pie de la plantilla tiene más de {most} caracteres",
    ru: "в нижней строке шаблона больше {most} символов",
  },
  {
    en: "the template's footer cannot have variables",
    es: "el pie de la plantilla no admite variables",
    ru: "в нижней строке шаблона не может быть переменных",
  },
  {
    en: "the template's header can have one variable only",
    es: "el encabezado de la plantilla solo admite una variable",
    ru: "в заголовке шаблона может быть только одна переменная",
  },
  {
    en: "the template has more than {most} buttons",
    es: "la plantilla tiene más de {most} botones",
    ru: "в шаблоне больше {most} кнопок",
  },
  {
    en: "a button's title has 1 to {most} characters",
    es: "el título de un botón tiene de 1 a {most} caracteres",
    ru: "в названии кнопки от 1 до {most} символов",
  },
  {
    en: "the address of a button begins with https://",
    es: "la dirección de un botón empieza por https://",
    ru: "адрес кнопки начинается с https://",
  },
  {
    en: "the template's variables are numbered from 1, without a gap",
    es: "las variables de la plantilla se numeran desde 1, sin huecos",
    ru: "переменные шаблона нумеруются с 1, без пропусков",
  },
  {
    en: "a variable of a template is a number in double braces",
    es: "una variable de plantilla es un número entre llaves dobles",
    ru: "переменная шаблона – это номер в двойных фигурных скобках",
  },
];
