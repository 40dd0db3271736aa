import { Act, Device, Page } from "gangway-messenger/kit/emulator/phone-page";
import type { Child } from "hono/jsx";
import type { Attachment, Dialog, Markup, Message, World } from "./world.ts";
import { nameOf } from "./world.ts";

/** Refresh interval of the messages, s. */
const AGAIN_S = 2;
/** Newest messages shown. */
const MAX_SHOWN = 50;

interface FrameProps {
  world: World;
  dialog: Dialog;
  path: string;
  edited?: Message;
  /** Mid of the message that is answered. */
  reply?: string;
}

const queryOf = ({ bot, person }: Dialog) => `?bot=${bot.id}&person=${person.n}`;

/** The chat, and what the customer can do in it. */
export function PhoneFrame({ world, dialog, path, edited, reply }: FrameProps) {
  const { bot, person } = dialog;
  const at = queryOf(dialog);
  const tab = (name: string, href: string, isCurrent: boolean) => (
    <a class="button" href={href} aria-current={isCurrent ? "page" : undefined}>
      {name}
    </a>
  );
  return (
    <Page title={`MAX · ${nameOf(person)}`}>
      <nav class="row tabs" aria-label="Bot">
        {world.bots.map((each) => tab(each.name, `${path}?bot=${each.id}&person=${person.n}`, each === bot))}
      </nav>
      <nav class="row tabs" aria-label="Customer">
        {world.people.map((each) => tab(nameOf(each), `${path}?bot=${bot.id}&person=${each.n}`, each === person))}
      </nav>
      <Device title={`${nameOf(person)} writes to ${bot.name}`}>
        <iframe src={`${path}/messages${at}`} title="Messages" />
        <form class="row" method="post" action={`${path}${at}`} enctype="multipart/form-data">
          {edited && <input type="hidden" name="mid" value={edited.mid} />}
          {edited && <input type="hidden" name="do" value="edit" />}
          {reply && <input type="hidden" name="reply" value={reply} />}
          {reply && <p>In reply to a message</p>}
          <label for="text">{edited ? "New text" : "Message"}</label>
          <input id="text" name="text" value={edited?.text ?? ""} autofocus autocomplete="off" />
          {!edited && <input type="file" name="file" aria-label="File" />}
          <button type="submit">{edited ? "Change" : "Send"}</button>
        </form>
      </Device>
      <form class="row" method="post" action={`${path}${at}`}>
        <Act name="location">Send a location</Act>
        <Act name="contact">Share the number</Act>
        {dialog.status === "active" ? <Act name="stop">Stop the bot</Act> : <Act name="start">Start</Act>}
      </form>
    </Page>
  );
}

/** The messages of a chat, each with what can be done to it. */
export function PhoneTalk({ dialog }: { dialog: Dialog }) {
  const action = `../phone${queryOf(dialog)}`;
  return (
    <Page title="Messages" again={AGAIN_S}>
      {dialog.messages.slice(-MAX_SHOWN).map((message) => (
        <Bubble message={message} action={action} isSeen={message.at <= dialog.seenAt} />
      ))}
    </Page>
  );
}

interface BubbleProps {
  message: Message;
  action: string;
  isSeen: boolean;
}

function Bubble({ message, action, isSeen }: BubbleProps) {
  const { from, text, markup, attachments, link, isDeleted, isEdited, mid } = message;
  const isOwn = from === "customer";
  if (isDeleted) return <p class="note">{`${isOwn ? "You" : "The shop"} deleted a message`}</p>;
  return (
    <form class={isOwn ? "bubble own" : "bubble"} method="post" action={action} target="_top">
      <input type="hidden" name="mid" value={mid} />
      {link && <q>{link.message.text ?? link.message.attachments[0]?.type ?? "a message"}</q>}
      <div class="said">
        <b>{isOwn ? "You" : "The shop"}:</b> <Marked text={text ?? ""} markup={markup} /> {isEdited && "(edited)"}{" "}
        {isOwn && isSeen && "✓✓"}
        {attachments.map((attachment) => (
          <Shown attachment={attachment} />
        ))}
      </div>
      {attachments.map((attachment) => (
        <Keys attachment={attachment} action={`${action}&mid=${mid}`} />
      ))}
      <div class="row acts">
        {isOwn && <Act name="delete">Delete</Act>}
        {isOwn && text !== undefined && (
          <a href={`${action}&edit=${mid}`} target="_top">
            Edit
          </a>
        )}
        <a href={`${action}&reply=${mid}`} target="_top">
          Reply
        </a>
      </div>
    </form>
  );
}

const TAGS: Record<string, "b" | "i" | "s" | "u" | "code"> = {
  strong: "b",
  heading: "b",
  highlighted: "b",
  emphasized: "i",
  strikethrough: "s",
  underline: "u",
  monospaced: "code",
};

/** Each stretch with the same formatting has its own tags. */
function Marked({ text, markup }: { text: string; markup: Markup[] }) {
  const cuts = [...new Set([0, text.length, ...markup.flatMap(({ from, length }) => [from, from + length])])];
  cuts.sort((one, other) => one - other);
  return cuts.map((from, n) => {
    const to = cuts[n + 1] ?? from;
    const over = markup.filter((each) => each.from <= from && each.from + each.length >= to);
    return to > from ? over.reduceRight<Child>(styled, text.slice(from, to)) : null;
  });
}

function styled(inner: Child, { type, url }: Markup): Child {
  if (type === "link")
    return (
      <a href={/^https?:/.test(url ?? "") ? url : undefined} target="_blank" rel="noopener">
        {inner}
      </a>
    );
  const Tag = TAGS[type];
  return Tag ? <Tag>{inner}</Tag> : inner;
}

interface Key {
  type: string;
  text: string;
  url?: string;
  payload?: string;
}

/** A form cannot stand in another: each button carries its own address. */
function Keys({ attachment, action }: { attachment: Attachment; action: string }) {
  if (attachment.type !== "inline_keyboard") return null;
  const rows = (attachment.payload?.buttons ?? []) as Key[][];
  return rows.map((row) => (
    <div class="row acts">
      {row.map((key) =>
        key.type === "link" ? (
          <a class="button" href={key.url} target="_blank" rel="noopener">
            {key.text}
          </a>
        ) : (
          <button type="submit" formaction={`${action}${actOf(key)}`}>
            {key.text}
          </button>
        ),
      )}
    </div>
  ));
}

function actOf({ type, text, payload = "" }: Key): string {
  if (type === "request_contact") return "&do=contact";
  if (type === "request_geo_location") return "&do=location";
  if (type === "callback") return `&do=press&payload=${encodeURIComponent(payload)}`;
  return `&do=say&title=${encodeURIComponent(text)}`;
}

function Shown({ attachment }: { attachment: Attachment }) {
  const { type, payload = {}, filename } = attachment;
  if (type === "inline_keyboard") return null;
  const url = typeof payload.url === "string" ? payload.url : undefined;
  if (url && type === "image") return <img src={url} alt="Sent by the other side" width="160" />;
  const words = String(filename ?? type);
  return url ? (
    <a href={url} target="_blank" rel="noopener">
      {words}
    </a>
  ) : (
    <span>{`[${words}]`}</span>
  );
}
