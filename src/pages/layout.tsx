import { html } from "hono/html";
import type { Child } from "hono/jsx";
import type { Strings } from "./props.ts";

interface Props {
  t: Strings;
  moduleName: string;
  title: string;
  children: Child;
}

/** The layout of every page; works without JavaScript. */
export function Layout({ t, moduleName, title, children }: Props) {
  return (
    <>
      {html`<!doctype html>`}
      <html lang={t.language}>
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>{`${title} · ${moduleName}`}</title>
          <link rel="icon" href="/logo.svg" />
          <link rel="stylesheet" href="/style.css" />
        </head>
        <body>
          <header>
            <img src="/logo.svg" alt="" width="32" height="32" />
            <span>{moduleName}</span>
          </header>
          <main>{children}</main>
        </body>
      </html>
    </>
  );
}
