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
    en: "360dialog takes no example file: make a template with a file above its text in its hub",
    es: "360dialog no admite un archivo de ejemplo: cree en su hub una plantilla con un archivo sobre el texto",
    ru: "360dialog не принимает файл-пример: шаблон с файлом над текстом создайте в его кабинете",
  },
  {
    en: "Meta does not say which app the token is of: make the template in WhatsApp Manager",
    es: "Meta no dice de qué aplicación es el token: cree la plantilla en el administrador de WhatsApp",
    ru: "Meta не сообщает, какого приложения этот токен: создайте шаблон в WhatsApp Manager",
  },
  {
    en: "Meta does not let this token hand in an example file: make the template in WhatsApp Manager. {said}",
    es: "Meta no permite a este token entregar un archivo de ejemplo: cree la plantilla en el administrador de WhatsApp. {said}",
    ru: "Meta не даёт этому токену передать файл-пример: создайте шаблон в WhatsApp Manager. {said}",
  },
  {
    en: "the template needs a file above its text, which Meta's reviewers see: attach one",
    es: "la plantilla necesita un archivo sobre el texto, que ven los revisores de Meta: adjúntelo",
    ru: "шаблону нужен файл над текстом, его увидит проверка Meta: приложите его",
  },
  {
    en: "the file above a template's text has to be one of these: {types}",
    es: "el archivo sobre el texto de una plantilla debe ser uno de estos: {types}",
    ru: "файл над текстом шаблона должен быть одним из этих: {types}",
  },
  {
    en: "the file's size is not known",
    es: "no se conoce el tamaño del archivo",
    ru: "размер файла неизвестен",
  },
  {
    en: "the template needs a picture above its text: JPEG or PNG, of at most 5 MB",
    es: "la plantilla necesita una imagen sobre el texto: JPEG o PNG, de 5 MB como máximo",
    ru: "шаблону нужно изображение над текстом: JPEG или PNG, не больше 5 МБ",
  },
  {
    en: "the template needs a video above its text: MP4, of at most 16 MB",
    es: "la plantilla necesita un vídeo sobre el texto: MP4, de 16 MB como máximo",
    ru: "шаблону нужно видео над текстом: MP4, не больше 16 МБ",
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
