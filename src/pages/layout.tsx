import { LANGUAGES } from "gangway-messenger/language";
import { Alert } from "gangway-ui/alert";
import { Icon, type IconName } from "gangway-ui/icon";
import { html } from "hono/html";
import type { Child } from "hono/jsx";
import { LANGUAGE_NAMES } from "./i18n/strings.ts";
import type { Frame } from "./props.ts";
import { timeText } from "./time-text.ts";

interface Props extends Frame {
  title: string;
  /** The page shows times, so it names their time zone. */
  times?: boolean;
  children: Child;
}

/** The layout of every page; works without JavaScript. Pages of an open account have a side navigation. */
export function Layout({ title, times, children, ...frame }: Props) {
  const { t, moduleName, brand = {}, live, visit } = frame;
  const logo = brand.logoUrl ?? "/logo.svg";
  return (
    <>
      {html`<!doctype html>`}
      <html lang={t.language}>
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>{`${title} · ${moduleName}`}</title>
          <link rel="icon" href={logo} />
          <link rel="stylesheet" href="/style.css" />
          <script src="/forms.js" defer></script>
        </head>
        <body class={visit ? "with-side" : undefined}>
          <a class="skip" href="#main">
            {t.looks.skip}
          </a>
          <header>
            <a class="logo" href={visit ? frame.home : "/"}>
              <img src={logo} alt="" width="28" height="28" />
              <span>{moduleName}</span>
            </a>
            {visit && (
              <button type="button" class="button ghost menu" popovertarget="side">
                <Icon name="menu" />
                {t.looks.menu}
              </button>
            )}
          </header>
          {visit && <Side {...frame} visit={visit} />}
          <main id="main" tabindex={-1} data-stream={live}>
            {frame.supportUntil !== undefined && <Support {...frame} until={frame.supportUntil} />}
            {children}
            {times && <p class="hint">{zoneText(frame)}</p>}
          </main>
          {!visit && (
            <footer>
              <Languages {...frame} />
              <Links {...frame} />
            </footer>
          )}
        </body>
      </html>
    </>
  );
}

const Support = ({ t, until, timeZone }: Frame & { until: number }) => (
  <Alert tone="warning" title={t.supportVisit.banner({ until: timeText(t, until, timeZone) })}>
    {t.supportVisit.bannerText}
  </Alert>
);

const zoneText = ({ t, timeZone }: Frame) => (timeZone ? t.looks.zone({ zone: timeZone }) : t.looks.noZone);

type Section = keyof Frame["t"]["looks"]["sections"];

const ICONS: Record<Section, IconName> = {
  channels: "list",
  messages: "message-circle",
  activity: "activity",
  customers: "shield",
  settings: "settings",
};

/** Sections by the first path segment below the account's address. */
const SECTIONS: Record<string, Section> = {
  undelivered: "messages",
  messages: "messages",
  history: "activity",
  customers: "customers",
  settings: "settings",
  key: "settings",
  disconnect: "settings",
};

/** Side navigation. In a narrow window it opens above the page. */
function Side({ visit, live, ...frame }: Frame & { visit: NonNullable<Frame["visit"]> }) {
  const { t, home, path, crm = "" } = frame;
  const [name = ""] = path.slice(home.length + 1).split("/");
  const current = SECTIONS[name] ?? "channels";
  const { dead, held } = visit.ended;
  const pages: Record<Section, string> = {
    channels: home,
    messages: dead + held > 0 ? `${home}/undelivered` : `${home}/messages`,
    activity: `${home}/history`,
    customers: `${home}/customers`,
    settings: `${home}/settings`,
  };
  return (
    <aside class="side" id="side" popover="auto">
      <button type="button" class="button ghost menu" popovertarget="side" popovertargetaction="hide">
        {t.looks.close}
      </button>
      <nav aria-label={t.looks.pages}>
        {(Object.keys(pages) as Section[]).map((section) => (
          <a href={pages[section]} aria-current={section === current ? "page" : undefined}>
            <Icon name={ICONS[section]} />
            {t.looks.sections[section]}
            {section === "messages" && (
              <span data-fresh={live && "ended"}>
                {dead + held > 0 && (
                  <span class="count">
                    <span class="visually-hidden">, {t.looks.undelivered} </span>
                    {dead + held}
                  </span>
                )}
              </span>
            )}
          </a>
        ))}
      </nav>
      <div class="foot">
        <strong>{crm.replace(/^https?:\/\//, "")}</strong>
        <Languages {...frame} />
        <Links {...frame} />
        <form method="post" action={`${home}/leave`}>
          <input type="hidden" name="formToken" value={visit.formToken} />
          <button type="submit" class="link">
            {t.account.leave}
          </button>
        </form>
      </div>
    </aside>
  );
}

function Links({ t, crm, brand = {} }: Frame) {
  const links: [string, string | undefined][] = [
    [t.account.back, crm],
    [t.support, brand.supportUrl],
    [t.privacy, brand.privacyUrl],
  ];
  if (!links.some(([, url]) => url)) return null;
  return <div class="links">{links.map(([text, url]) => url && <a href={url}>{text}</a>)}</div>;
}

const Languages = ({ t, path }: Frame) => (
  <form method="post" action="/language" class="languages" aria-label={t.languages}>
    <input type="hidden" name="to" value={path} />
    {LANGUAGES.map((language) => (
      <button
        type="submit"
        name="language"
        value={language}
        lang={language}
        class="link"
        aria-current={language === t.language ? "true" : undefined}
      >
        {LANGUAGE_NAMES[language]}
      </button>
    ))}
  </form>
);
