import { html } from "hono/html";
import type { Child } from "hono/jsx";

interface Props {
  title: string;
  script?: string;
  children: Child;
}

export function Frame({ title, script, children }: Props) {
  return (
    <>
      {html`<!doctype html>`}
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>{`${title} · Sandbox CRM`}</title>
          <link rel="stylesheet" href="/sandbox.css" />
          {script && <script src={script} defer />}
        </head>
        <body>
          <header>
            <strong>Sandbox CRM</strong>
            <nav>
              <a href="/">Account</a> <a href="/inbox">Inbox</a> <a href="/calls">Call log</a>
            </nav>
          </header>
          {children}
        </body>
      </html>
    </>
  );
}
