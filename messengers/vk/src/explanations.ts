import type { Explanation } from "gangway-messenger/explanations";

/** Puts the meaning of a failure before VK's own words. */
const meaning = (en: string, es: string, ru: string): Explanation[] => [
  { en: `${en}. {said}`, es: `${es}. {said}`, ru: `${ru}. {said}` },
  { en, es, ru },
];

/** What VK refused, and the remedy, in each language. */
export const explanations: readonly Explanation[] = [
  {
    en: "VK has not deleted the message",
    es: "VK no ha borrado el mensaje",
    ru: "ВКонтакте не удалил сообщение",
  },
  {
    en: "VK's answer is too large ({what})",
    es: "la respuesta de VK es demasiado grande ({what})",
    ru: "ответ ВКонтакте слишком велик ({what})",
  },
  {
    en: "the picture's site does not give it",
    es: "el sitio de la imagen no la entrega",
    ru: "сайт картинки её не отдаёт",
  },
  {
    en: "VK refused the access key once ({what})",
    es: "VK rechazó la clave de acceso una vez ({what})",
    ru: "ВКонтакте один раз не принял ключ доступа ({what})",
  },
  {
    en: "VK sent an unexpected result ({what})",
    es: "VK envió un resultado inesperado ({what})",
    ru: "ВКонтакте прислал неожиданный ответ ({what})",
  },
  {
    en: "VK sent no number of the message ({what})",
    es: "VK no envió el número del mensaje ({what})",
    ru: "ВКонтакте не прислал номер сообщения ({what})",
  },
  ...meaning(
    "VK no longer accepts this access key",
    "VK ya no acepta esta clave de acceso",
    "ВКонтакте больше не принимает этот ключ доступа",
  ),
  ...meaning(
    "the access key lacks a right",
    "a la clave de acceso le falta un permiso",
    "ключу доступа не хватает прав",
  ),
  ...meaning(
    "VK takes the community's messages for spam",
    "VK toma los mensajes de la comunidad por spam",
    "ВКонтакте считает сообщения сообщества спамом",
  ),
  ...meaning(
    "the community has used up the calls that VK allows for a day",
    "la comunidad ha agotado las llamadas que VK permite al día",
    "сообщество исчерпало число запросов, которое ВКонтакте разрешает за сутки",
  ),
  ...meaning(
    "the customer has deleted their page, or VK has blocked it",
    "el cliente ha borrado su página, o VK la ha bloqueado",
    "клиент удалил страницу, или ВКонтакте заблокировал её",
  ),
  ...meaning(
    "the community has blocked this customer",
    "la comunidad ha bloqueado a este cliente",
    "сообщество заблокировало этого клиента",
  ),
  ...meaning(
    "the customer has not allowed messages from the community, or has forbidden them",
    "el cliente no ha permitido los mensajes de la comunidad, o los ha prohibido",
    "клиент не разрешал сообщения от сообщества или запретил их",
  ),
  ...meaning(
    "the customer's settings let no messages from the community through",
    "los ajustes del cliente no dejan pasar los mensajes de la comunidad",
    "настройки клиента не пропускают сообщения от сообщества",
  ),
  ...meaning(
    "VK no longer knows this customer",
    "VK ya no conoce a este cliente",
    "ВКонтакте больше не знает этого клиента",
  ),
  ...meaning(
    "the customer has not written for too long: VK lets the community answer only after their next message",
    "el cliente lleva demasiado tiempo sin escribir: VK permite responder solo tras su próximo mensaje",
    "клиент слишком давно не писал: ВКонтакте разрешит ответить только после его следующего сообщения",
  ),
  ...meaning(
    "the community has ten callback servers, and VK allows no more: remove one in Manage, API usage, Callback API",
    "la comunidad tiene diez servidores Callback y VK no permite más: quite uno en Administrar, Uso de la API, Callback API",
    "у сообщества десять серверов Callback, больше ВКонтакте не разрешает: удалите один в разделе «Управление», «Работа с API», «Callback API»",
  ),
  {
    en: "VK does not recognise this access key. Copy it again, or make a new one",
    es: "VK no reconoce esta clave de acceso. Cópiela de nuevo o cree una nueva",
    ru: "ВКонтакте не знает такого ключа доступа. Скопируйте его ещё раз или создайте новый",
  },
  {
    en: "this access key lacks a right: {rights}. Make a new one with all four",
    es: "a esta clave de acceso le falta un permiso: {rights}. Cree una nueva con los cuatro",
    ru: "этому ключу доступа не хватает прав: {rights}. Создайте новый со всеми четырьмя",
  },
  {
    en: "this server cannot reach VK, or something else answers in its place",
    es: "este servidor no puede conectar con VK, o responde otro en su lugar",
    ru: "сервер не может связаться с ВКонтакте, или вместо него отвечает кто-то другой",
  },
  {
    en: "VK cannot reach this server at {host}, or something else answers there",
    es: "VK no puede conectar con este servidor en {host}, o responde otro allí",
    ru: "ВКонтакте не может связаться с этим сервером по адресу {host}, или там отвечает кто-то другой",
  },
  {
    en: "VK no longer sends this community's messages here: somebody has removed the callback server",
    es: "VK ya no envía aquí los mensajes de esta comunidad: alguien ha quitado el servidor Callback",
    ru: "ВКонтакте больше не присылает сюда сообщения этого сообщества: кто-то удалил сервер Callback",
  },
  {
    en: "VK sends this community's messages to another address: somebody has changed it",
    es: "VK envía los mensajes de esta comunidad a otra dirección: alguien la ha cambiado",
    ru: "ВКонтакте присылает сообщения этого сообщества на другой адрес: кто-то изменил его",
  },
  {
    en: "VK sends no messages here: somebody has switched the event message_new off",
    es: "VK no envía aquí ningún mensaje: alguien ha desactivado el evento message_new",
    ru: "ВКонтакте не присылает сюда сообщений: кто-то отключил событие message_new",
  },
  {
    en: "the file is too large",
    es: "el archivo es demasiado grande",
    ru: "файл слишком большой",
  },
  {
    en: "VK no longer has the file",
    es: "VK ya no tiene el archivo",
    ru: "у ВКонтакте больше нет этого файла",
  },
  {
    en: "VK gave no usable address",
    es: "VK no ha dado una dirección válida",
    ru: "ВКонтакте не дал пригодного адреса",
  },
  {
    en: "VK has no such reaction",
    es: "VK no tiene esa reacción",
    ru: "у ВКонтакте нет такой реакции",
  },
  {
    en: "VK has no such message",
    es: "VK no tiene ese mensaje",
    ru: "у ВКонтакте нет такого сообщения",
  },
  {
    en: "nobody knows any more what hangs on this message",
    es: "ya no se sabe qué archivos lleva este mensaje",
    ru: "уже неизвестно, какие файлы приложены к этому сообщению",
  },
  {
    en: "the text with the addresses of its files is too long for VK",
    es: "el texto con las direcciones de sus archivos es demasiado largo para VK",
    ru: "текст с адресами файлов слишком длинный для ВКонтакте",
  },
  {
    stored: "should be the whole access key, as VK shows it",
    en: "copy the whole access key, exactly as VK shows it",
    es: "copie la clave de acceso completa, exactamente como la muestra VK",
    ru: "скопируйте ключ доступа целиком, точно так, как его показывает ВКонтакте",
  },
];
