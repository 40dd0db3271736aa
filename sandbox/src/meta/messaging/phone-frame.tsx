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
      <nav>
        {world.accounts.map(({ id, name }) => (
          <a
            href={`${path}?account=${id}&person=${chat.person.n}`}
            aria-current={id === chat.account.id && "page"}
          >{`${name} `}</a>
        ))}
        ·{" "}
        {world.people.map((person) => (
          <a
            href={`${path}?account=${chat.account.id}&person=${person.n}`}
            aria-current={person === chat.person && "page"}
          >{`${nameOf(person)} `}</a>
        ))}
      </nav>
      <h1>{`${nameOf(chat.person)} writes to ${chat.account.name}`}</h1>
      <iframe src={`${path}/messages${query}`} title="Messages" width="100%" height="400" />
      <form method="post" action={`${path}${query}`} enctype="multipart/form-data">
        {edited && <input type="hidden" name="mid" value={edited.mid} />}
        {edited && <input type="hidden" name="do" value="edit" />}
        {reply && <input type="hidden" name="reply" value={reply} />}
        {reply && <p>In reply to a message</p>}
        <label for="text">{edited ? "New text" : "Message"}</label>
        <input id="text" name="text" value={edited?.text ?? ""} autofocus autocomplete="off" />{" "}
        {!edited && <input type="file" name="file" aria-label="File" />}
        <button type="submit">{edited ? "Change" : "Send"}</button>{" "}
        {!edited && <Act name="story">Answer the story</Act>}
        {!edited && isInstagram && <Act name="mention">Mention in a story</Act>}{" "}
        {!edited && isInstagram && <Act name="comment">Comment on a post</Act>}
      </form>
      <form method="post" action={`${path}${query}`}>
        <Act name="read">Read everything</Act>
        <Act name="block">{chat.isBlocked ? "Unblock" : "Block"}</Act>
      </form>
    </Page>
  );
}

export function Act({ name, children }: { name: string; children?: Child }) {
  return (
    <button type="submit" name="do" value={name}>
      {children}
    </button>
  );
}

export function Page({ title, again, children }: { title: string; again?: number; children?: Child }) {
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
          <main>{children}</main>
        </body>
      </html>
    </>
  );
}
