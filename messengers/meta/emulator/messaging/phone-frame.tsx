import { html } from "hono/html";
import type { Child } from "hono/jsx";
import type { Platform } from "./network.ts";
import { type Chat, type Message, nameOf } from "./world.ts";

interface FrameProps {
  platform: Platform;
  chat: Chat;
  path: string;
  edited?: Message;
  /** Mid of the message that is quoted. */
  reply?: string;
}

/** The chat, and what the customer can do in it. */
export function PhoneFrame({ platform, chat, path, edited, reply }: FrameProps) {
  const { network, world } = platform;
  const isInstagram = network.object === "instagram";
  const query = `?account=${chat.account.id}&person=${chat.person.n}`;
  return (
    <Page title={`${network.title} · ${nameOf(chat.person)}`}>
      <Tabs
        label="Account"
        tabs={world.accounts.map(({ id, name }) => ({
          name,
          href: `${path}?account=${id}&person=${chat.person.n}`,
          isCurrent: id === chat.account.id,
        }))}
      />
      <Tabs
        label="Customer"
        tabs={world.people.map((person) => ({
          name: nameOf(person),
          href: `${path}?account=${chat.account.id}&person=${person.n}`,
          isCurrent: person === chat.person,
        }))}
      />
      <h1>{`${nameOf(chat.person)} writes to ${chat.account.name}`}</h1>
      <iframe src={`${path}/messages${query}`} title="Messages" />
      <form class="row" method="post" action={`${path}${query}`} enctype="multipart/form-data">
        {edited && <input type="hidden" name="mid" value={edited.mid} />}
        {edited && <input type="hidden" name="do" value="edit" />}
        {reply && <input type="hidden" name="reply" value={reply} />}
        {reply && <p>In reply to a message</p>}
        <label for="text">{edited ? "New text" : "Message"}</label>
        <input id="text" name="text" value={edited?.text ?? ""} autofocus autocomplete="off" />
        {!edited && <input type="file" name="file" aria-label="File" />}
        <button type="submit">{edited ? "Change" : "Send"}</button>
        {!edited && <Act name="story">Answer the story</Act>}
        {!edited && isInstagram && <Act name="mention">Mention in a story</Act>}
        {!edited && isInstagram && <Act name="comment">Comment on a post</Act>}
      </form>
      <form class="row" method="post" action={`${path}${query}`}>
        <Act name="read">Read everything</Act>
        <Act name="block">{chat.isBlocked ? "Unblock" : "Block"}</Act>
      </form>
    </Page>
  );
}

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

interface PageProps {
  title: string;
  /** Shows itself again after so many seconds. */
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
            <main>{children}</main>
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
