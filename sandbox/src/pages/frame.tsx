import { html } from "hono/html";
import type { Child } from "hono/jsx";

interface Props {
  title: string;
  script?: string;
  children: Child;
}

const PAGES = [
  ["/", "Account"],
  ["/admin/api-keys", "API keys"],
  ["/inbox", "Inbox"],
  ["/phones", "Phones"],
  ["/calls", "Call log"],
  ["/unknowns", "Unknowns"],
  ["/faults", "Faults"],
] as const;

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
              {PAGES.map(([href, name]) => (
                <a href={href} aria-current={name === title ? "page" : undefined}>
                  {name}
                </a>
              ))}
            </nav>
          </header>
          {children}
        </body>
      </html>
    </>
  );
}

/** Result of the last form, or why it was refused. */
export function Outcome({ said, problem }: { said?: string; problem?: string }) {
  return (
    <>
      {said && <p role="status">{said}</p>}
      {problem && (
        <p role="alert" class="bad">
          {problem}
        </p>
      )}
    </>
  );
}
