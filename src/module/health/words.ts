import { inLanguages } from "gangway-messenger/language";

/** Texts of the notifications in the CRM. */
export const notices = inLanguages(
  {
    broken: "{module}: {channel} – {trouble}. See {page}",
    well: "{module}: {channel} works again.",
    quiet:
      "{module}: {channel} – no messages for {hours, plural, one {# hour} other {# hours}}, which is unusual at this time of day. Test the connection: {page}",
  },
  {
    es: {
      broken: "{module}: {channel} – {trouble}. Más información: {page}",
      well: "{module}: {channel} vuelve a funcionar.",
      quiet:
        "{module}: {channel} – sin mensajes desde hace {hours, plural, one {# hora} many {# horas} other {# horas}}, algo inusual a esta hora del día. Pruebe la conexión: {page}",
    },
    ru: {
      broken: "{module}: {channel} – {trouble}. Подробности: {page}",
      well: "{module}: {channel} снова работает.",
      quiet:
        "{module}: {channel} – нет сообщений уже {hours, plural, one {# час} few {# часа} many {# часов} other {# часа}}, для этого времени суток это необычно. Проверьте подключение: {page}",
    },
  },
);
