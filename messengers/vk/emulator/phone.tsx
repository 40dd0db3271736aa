import { Act, Device, Page, Tabs } from "gangway-messenger/kit/emulator/phone-page";
import { sniff } from "gangway-messenger/kit/emulator/sniff";
import { type Context, Hono } from "hono";
import { chatAt } from "./control.ts";
import type { Core } from "./core.ts";
import type { Customers, SaidFile } from "./customer.ts";
import { type Attachment, byCmid, type Chat, type Message } from "./world.ts";

/** Refresh interval of the messages, s; newest messages shown. */
const [AGAIN_S, MAX_SHOWN] = [2, 50];
/** ❤️, as a person on the phone reacts. */
const HEART = 1;

type Form = Record<string, string | File>;
const textIn = (form: Form, name: string): string => (typeof form[name] === "string" ? form[name] : "");

interface Shown {
  core: Core;
  chat: Chat;
  path: string;
  query: string;
}

/** The page on which a person plays the customers: without a script. */
export function phoneSite(core: Core, customers: Customers): Hono {
  const site = new Hono();
  site.onError((error, c) => c.text(error.message, 400));
  const shownIn = (c: Context): Shown => {
    const [community, person] = [Number(c.req.query("community") ?? 1), Number(c.req.query("person") ?? 1)];
    const query = `?community=${community}&person=${person}`;
    return { core, chat: chatAt(core, community, person), path: c.req.path.replace(/\/messages$/, ""), query };
  };
  site.get("/", (c) => c.html(<Phone shown={shownIn(c)} asked={c.req.query()} />));
  site.get("/messages", (c) => c.html(<Messages shown={shownIn(c)} />));
  site.post("/", async (c) => {
    const { chat, path, query } = shownIn(c);
    await act(customers, chat, { ...(await c.req.parseBody()), ...c.req.query() } as Form);
    return c.redirect(`${path}${query}`, 303);
  });
  return site;
}

async function act(customers: Customers, chat: Chat, form: Form): Promise<unknown> {
  const message = byCmid(chat, Number(textIn(form, "cmid")));
  const doing = textIn(form, "do");
  if (doing === "read") return customers.reads(chat);
  if (doing === "deny") return chat.isAllowed ? customers.denies(chat) : customers.allows(chat);
  if (doing === "expire") return Object.assign(chat, { isExpired: !chat.isExpired });
  if (doing === "staff") return customers.staffSays(chat, textIn(form, "text") || "From the community's own page");
  if (doing === "press" && message) return customers.presses(chat, message, textIn(form, "label"));
  if (doing === "react" && message)
    return customers.reacts(chat, message, message.reactions.customer === undefined ? HEART : undefined);
  if (doing === "edit" && message) return customers.edits(chat, message, textIn(form, "text"));
  const { file } = form;
  const reply = Number(textIn(form, "reply")) || undefined;
  const files = file instanceof File && file.size > 0 ? [await fileOf(file)] : undefined;
  const text = textIn(form, "text");
  if (!text && !files) throw new Error("Write something or choose a file");
  return customers.says(chat, { text, ...(files && { files }), ...(reply && { reply }) });
}

async function fileOf(file: File): Promise<SaidFile> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const mediaType = file.type || sniff(bytes);
  const as = mediaType.startsWith("image/") ? "photo" : mediaType.startsWith("audio/ogg") ? "audio_message" : "doc";
  return { as, name: file.name, mediaType, bytes };
}

function Phone({ shown: { core, chat, path, query }, asked }: { shown: Shown; asked: Record<string, string> }) {
  const edited = byCmid(chat, Number(asked.edit));
  const { community, person } = chat;
  const name = `${person.firstName} ${person.lastName}`;
  return (
    <Page title={`VK · ${name}`}>
      <Tabs
        label="Community"
        tabs={core.world.communities.map((each, n) => ({
          name: each.name,
          href: `${path}${query.replace(/community=\d+/, `community=${n + 1}`)}`,
          isCurrent: each === community,
        }))}
      />
      <Tabs
        label="Customer"
        tabs={core.world.people.map((each, n) => ({
          name: each.firstName,
          href: `${path}${query.replace(/person=\d+/, `person=${n + 1}`)}`,
          isCurrent: each === person,
        }))}
      />
      <Device title={`${name} writes to ${community.name}`}>
        <iframe src={`${path}/messages${query}`} title="Messages" />
        <form class="row" method="post" action={`${path}${query}`} enctype="multipart/form-data">
          {edited && <input type="hidden" name="cmid" value={String(edited.cmid)} />}
          {edited && <input type="hidden" name="do" value="edit" />}
          {asked.reply && <input type="hidden" name="reply" value={asked.reply} />}
          {asked.reply && <p>In reply to a message</p>}
          <label for="text">{edited ? "New text" : "Message"}</label>
          <input id="text" name="text" value={edited?.text ?? ""} autofocus autocomplete="off" />
          {!edited && <input type="file" name="file" aria-label="File" />}
          <button type="submit">{edited ? "Change" : "Send"}</button>
          {!edited && <Act name="staff">As the staff on VK</Act>}
        </form>
      </Device>
      <form class="row" method="post" action={`${path}${query}`}>
        <Act name="read">Read everything</Act>
        <Act name="deny">{chat.isAllowed ? "Forbid messages" : "Allow messages"}</Act>
        <Act name="expire">{chat.isExpired ? "Let the shop answer" : "Let the time for answers run out"}</Act>
      </form>
    </Page>
  );
}

function Messages({ shown: { core, chat, path, query } }: { shown: Shown }) {
  return (
    <Page title="Messages" again={AGAIN_S}>
      {chat.messages.slice(-MAX_SHOWN).map((message) => (
        <Bubble chat={chat} message={message} action={`${path}${query}`} />
      ))}
      {chat.typingUntil > core.clock.now() && <p>{`${chat.community.name} is typing…`}</p>}
    </Page>
  );
}

function Bubble({ chat, message, action }: { chat: Chat; message: Message; action: string }) {
  const { from, text, attachments, isDeleted, reactions, editedAt, cmid, keyboard, reply, admin } = message;
  const isOwn = from === "customer";
  if (isDeleted) return <p class="note">The shop deleted a message</p>;
  const quoted = reply === undefined ? undefined : byCmid(chat, reply);
  const given = Object.values(reactions).filter((each) => each !== undefined);
  return (
    <form class={isOwn ? "bubble own" : "bubble"} method="post" action={action} target="_top">
      <input type="hidden" name="cmid" value={String(cmid)} />
      {quoted && <q>{quoted.text || quoted.attachments[0]?.type}</q>}
      <div class="said">
        <b>{isOwn ? "You" : admin ? "The staff" : "The shop"}:</b> {text} {editedAt !== undefined && "(edited)"}{" "}
        {given.map((each) => `[reaction ${each}] `)}
        {attachments.map((attachment) => (
          <Attached attachment={attachment} />
        ))}
      </div>
      <div class="row acts">
        {keyboard?.buttons.flat().map(({ action: { label, type, link } }) =>
          type === "open_link" ? (
            <a href={String(link)} target="_blank" rel="noopener">
              {String(label)}
            </a>
          ) : (
            <button type="submit" formaction={`${action}&do=press&label=${encodeURIComponent(String(label))}`}>
              {String(label)}
            </button>
          ),
        )}
      </div>
      <div class="row acts">
        {isOwn && (
          <a href={`${action}&edit=${cmid}`} target="_top">
            Edit
          </a>
        )}
        {!isOwn && <Act name="react">{reactions.customer === undefined ? "❤" : "Take ❤ back"}</Act>}
        <a href={`${action}&reply=${cmid}`} target="_top">
          Reply
        </a>
      </div>
    </form>
  );
}

interface Addressed {
  url?: string;
  title?: string;
  link_ogg?: string;
  sizes?: { url: string }[];
}

function Attached({ attachment }: { attachment: Attachment }) {
  const { url, title, link_ogg: voice, sizes } = (attachment[attachment.type] ?? {}) as Addressed;
  const picture = sizes?.at(-1)?.url;
  if (picture) return <img src={picture} alt="" width="160" />;
  const href = url ?? voice;
  if (!href) return <span>{attachment.type}</span>;
  return (
    <a href={href} target="_blank" rel="noopener">
      {title ?? attachment.type}
    </a>
  );
}
