import { html } from "hono/html";
import type { Child } from "hono/jsx";

// Components of the emulated phones' pages; their style is the sandbox's.

interface Tab {
  name: string;
  href: string;
  isCurrent: boolean;
}

export function Tabs({ label, tabs }: { label: string; tabs: Tab[] }) {
  return (
    <nav class="row tabs" aria-label={label}>
      <span aria-hidden="true">{label}</span>
      {tabs.map(({ name, href, isCurrent }) => (
        <a class="button" href={href} aria-current={isCurrent ? "page" : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}

export function Act({ name, children }: { name: string; children?: Child }) {
  return (
    <button type="submit" name="do" value={name}>
      {children}
    </button>
  );
}

/** The phone itself: the messages and the input line. The rest of the page is beside it. */
export const Device = ({ title, children }: { title: Child; children: Child }) => (
  <section class="device">
    <h1>{title}</h1>
    {children}
  </section>
);

interface PageProps {
  title: string;
  /** Refresh interval, s. */
  again?: number;
  children?: Child;
}

export function Page({ title, again, children }: PageProps) {
  return (
    <>
      {html`<!doctype html>`}
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          {again !== undefined && <meta http-equiv="refresh" content={String(again)} />}
          <title>{`${title} · Sandbox`}</title>
          <link rel="stylesheet" href="/sandbox.css" />
        </head>
        <body>
          {again === undefined ? (
            <>
              <header>
                <strong>Sandbox CRM</strong>
                <nav>
                  <a href="/phones">All phones</a>
                  <a href="/inbox">Inbox</a>
                </nav>
              </header>
              <main class="phone">{children}</main>
            </>
          ) : (
            <main class="talk">
              <div>{children}</div>
            </main>
          )}
        </body>
      </html>
    </>
  );
}
