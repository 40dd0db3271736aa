import type { Translation } from "gangway-messenger/language";

/** Texts about trying a messenger out. */
export const en = {
  title: "Try it out",
  scan: "Write a message from your own phone: scan the code or open the link. It appears in the CRM's chats within seconds.",
  code: "QR code for {link}",
  page: "Open a test page with this chat",
  hint: "Write a message in the chat in the corner. It appears in the CRM's chats within seconds, just like a customer's message.",
  unseen: "Not seen on any site yet. Add the line to your site and open one of its pages.",
  seen: "Seen on {site} {at}.",
  refused: "Blocked on {site} {at}. If the site is yours, add it to the sites that may show the chat.",
} as const;

export const es: Translation<typeof en> = {
  title: "Pruébelo",
  scan: "Escriba un mensaje desde su teléfono: escanee el código o abra el enlace. Aparece en los chats del CRM en unos segundos.",
  code: "Código QR de {link}",
  page: "Abrir una página de prueba con este chat",
  hint: "Escriba un mensaje en el chat de la esquina. Aparece en los chats del CRM en unos segundos, igual que el de un cliente.",
  unseen: "Aún no se ha visto en ningún sitio web. Añada la línea a su sitio y abra una de sus páginas.",
  seen: "Visto en {site} el {at}.",
  refused: "Bloqueado en {site} el {at}. Si el sitio es suyo, añádalo a los sitios que pueden mostrar el chat.",
};

export const ru: Translation<typeof en> = {
  title: "Проверьте в деле",
  scan: "Напишите со своего телефона: отсканируйте код или откройте ссылку. Сообщение появится в чатах CRM через несколько секунд.",
  code: "QR-код ссылки {link}",
  page: "Открыть тестовую страницу с этим чатом",
  hint: "Напишите сообщение в чате в углу страницы. Оно появится в чатах CRM через несколько секунд, как сообщение клиента.",
  unseen: "Пока не показывался ни на одном сайте. Вставьте строку на свой сайт и откройте любую его страницу.",
  seen: "Показан на {site} {at}.",
  refused:
    "Заблокирован на {site} {at}. Если это ваш сайт, добавьте его в список сайтов, на которых можно показывать чат.",
};
