import type { Explanation } from "gangway-messenger/explanations";

/** What a template's draft lacks for Meta's review, and what a template needs that the CRM's chats do not have. */
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
  {
    en: "the address of a button can have one variable, at its end",
    es: "la dirección de un botón admite una sola variable, al final",
    ru: "в адресе кнопки может быть одна переменная, в конце",
  },
  {
    en: "WhatsApp writes the text of authentication templates itself: make and change them in WhatsApp Manager",
    es: "WhatsApp redacta por sí mismo las plantillas de autenticación: créelas y modifíquelas en el administrador de WhatsApp",
    ru: "текст шаблонов аутентификации WhatsApp пишет сам: создавайте и меняйте их в WhatsApp Manager",
  },
  {
    en: "the CRM does not know all parts of this template: change it in WhatsApp Manager",
    es: "el CRM no conoce todas las partes de esta plantilla: modifíquela en el administrador de WhatsApp",
    ru: "CRM знает не все части этого шаблона: измените его в WhatsApp Manager",
  },
  {
    en: "this template cannot be sent from the CRM: {reason}",
    es: "esta plantilla no se puede enviar desde el CRM: {reason}",
    ru: "этот шаблон нельзя отправить из CRM: {reason}",
  },
  {
    en: "the CRM's chats cannot fill in the cards of its carousel",
    es: "los chats del CRM no pueden rellenar las tarjetas de su carrusel",
    ru: "чаты CRM не могут заполнить карточки его карусели",
  },
  {
    en: "the CRM's chats cannot say when its offer ends",
    es: "los chats del CRM no pueden indicar cuándo termina su oferta",
    ru: "чаты CRM не могут указать, когда кончается его предложение",
  },
  {
    en: "the CRM's chats cannot give the place above its text",
    es: "los chats del CRM no pueden indicar el lugar sobre su texto",
    ru: "чаты CRM не могут указать место над его текстом",
  },
  {
    en: "the CRM's chats cannot fill in the code that its button copies",
    es: "los chats del CRM no pueden rellenar el código que copia su botón",
    ru: "чаты CRM не могут заполнить код, который копирует его кнопка",
  },
  {
    en: "the CRM's chats cannot name products of a catalogue",
    es: "los chats del CRM no pueden indicar productos de un catálogo",
    ru: "чаты CRM не могут указать товары каталога",
  },
  {
    en: "the CRM's chats do not know its kind of button ({type})",
    es: "los chats del CRM no conocen su tipo de botón ({type})",
    ru: "чаты CRM не знают такого вида кнопок ({type})",
  },
  {
    en: "the address of its button has several variables",
    es: "la dirección de su botón tiene varias variables",
    ru: "в адресе его кнопки несколько переменных",
  },
  {
    en: "the CRM's chats do not know what stands above its text ({format})",
    es: "los chats del CRM no conocen lo que hay sobre su texto ({format})",
    ru: "чаты CRM не знают того, что стоит над его текстом ({format})",
  },
  {
    en: "the CRM's chats do not know its part {type}",
    es: "los chats del CRM no conocen su parte {type}",
    ru: "чаты CRM не знают его части {type}",
  },
  {
    en: "the CRM's chats do not know its parts",
    es: "los chats del CRM no conocen sus partes",
    ru: "чаты CRM не знают его частей",
  },
];
