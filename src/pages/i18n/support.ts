import type { Translation } from "gangway-messenger/language";

/** Texts of a visit by the vendor's support. */
export const en = {
  open: {
    title: "Support visit",
    text: "Opens this account's pages for ten minutes. You can look, but change nothing; the account's users see the visit under Activity.",
    submit: "Open the pages",
  },
  banner: "Support visit until {until}",
  bannerText: "You can look at everything here, but change nothing.",
  visit: "The server's support",
  until: "since {started}, ends {until}",
} as const;

export const es: Translation<typeof en> = {
  open: {
    title: "Visita de soporte",
    text: "Abre las páginas de esta cuenta durante diez minutos. Puede mirar, pero no cambiar nada; los usuarios de la cuenta ven la visita en Actividad.",
    submit: "Abrir las páginas",
  },
  banner: "Visita de soporte hasta el {until}",
  bannerText: "Puede mirarlo todo, pero no cambiar nada.",
  visit: "El soporte del servidor",
  until: "desde el {started}, termina el {until}",
};

export const ru: Translation<typeof en> = {
  open: {
    title: "Просмотр службой поддержки",
    text: "Открывает страницы этого аккаунта на десять минут. Можно смотреть, но нельзя ничего менять; пользователи аккаунта видят этот визит в разделе «Действия».",
    submit: "Открыть страницы",
  },
  banner: "Просмотр службой поддержки до {until}",
  bannerText: "Здесь можно всё посмотреть, но ничего нельзя изменить.",
  visit: "Служба поддержки сервера",
  until: "с {started}, завершится {until}",
};
