import { LANGUAGES } from "gangway-messenger/language";
import { html } from "hono/html";
import type { Child } from "hono/jsx";
import { LANGUAGE_NAMES } from "./i18n/strings.ts";
import type { Frame } from "./props.ts";

interface Props extends Frame {
  title: string;
  children: Child;
}

/** The layout of every page; works without JavaScript. */
export function Layout({ t, moduleName, brand = {}, path, crm, live, title, children }: Props) {
  const logo = brand.logoUrl ?? "/logo.svg";
  const links: [string, string | undefined][] = [
    [t.account.back, crm],
    [t.support, brand.supportUrl],
    [t.privacy, brand.privacyUrl],
  ];
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
        <body>
          <a class="skip" href="#main">
            {t.looks.skip}
          </a>
          <header>
            <img src={logo} alt="" width="32" height="32" />
            <span>{moduleName}</span>
            {links.some(([, url]) => url) && (
              <nav aria-label={moduleName}>{links.map(([text, url]) => url && <a href={url}>{text}</a>)}</nav>
            )}
          </header>
          <main id="main" tabindex={-1} data-stream={live}>
            {children}
          </main>
          <footer>
            <form method="post" action="/language" aria-label={t.languages}>
              <input type="hidden" name="to" value={path} />
              {LANGUAGES.map((language) => (
                <button
                  type="submit"
                  name="language"
                  value={language}
                  lang={language}
                  aria-current={language === t.language ? "true" : undefined}
                >
                  {LANGUAGE_NAMES[language]}
                </button>
              ))}
            </form>
          </footer>
        </body>
      </html>
    </>
  );
}
