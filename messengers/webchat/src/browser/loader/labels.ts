import type { VisitorLanguage } from "../language.ts";

interface Labels {
  open: string;
  close: string;
  unread: string;
}

/** The launcher's labels. */
export const labels: Record<VisitorLanguage, Labels> = {
  en: { open: "Open chat", close: "Close chat", unread: "unread: {count}" },
  es: { open: "Abrir el chat", close: "Cerrar el chat", unread: "sin leer: {count}" },
  ru: { open: "Открыть чат", close: "Закрыть чат", unread: "непрочитанных: {count}" },
  pt: { open: "Abrir o chat", close: "Fechar o chat", unread: "não lidas: {count}" },
  de: { open: "Chat öffnen", close: "Chat schließen", unread: "ungelesen: {count}" },
  fr: { open: "Ouvrir le chat", close: "Fermer le chat", unread: "non lus : {count}" },
  tr: { open: "Sohbeti aç", close: "Sohbeti kapat", unread: "okunmamış: {count}" },
  ar: { open: "فتح الدردشة", close: "إغلاق الدردشة", unread: "غير مقروءة: {count}" },
};
