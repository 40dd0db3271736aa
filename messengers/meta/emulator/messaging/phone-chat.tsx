import { Act, Page } from "gangway-messenger/kit/emulator/phone-page";
import type { Platform } from "./network.ts";
import type { Attachment, Chat, Choice, Message } from "./world.ts";

/** Refresh interval of the messages, s. */
const AGAIN_S = 2;
/** Newest messages shown. */
const MAX_SHOWN = 50;

/** The messages of a chat, each with what can be done to it. */
export function PhoneChat({ platform, chat }: { platform: Platform; chat: Chat }) {
  const action = `../phone?account=${chat.account.id}&person=${chat.person.n}`;
  return (
    <Page title="Messages" again={AGAIN_S}>
      {chat.messages.slice(-MAX_SHOWN).map((message) => (
        <Bubble message={message} quoted={quotedIn(chat, message)} action={action} />
      ))}
      {chat.typingUntil > platform.core.clock.now() && <p>{`${chat.account.name} is typing…`}</p>}
    </Page>
  );
}

/** Words of what a message answers. */
function quotedIn({ messages }: Chat, { replyTo }: Message): string | undefined {
  if (!replyTo) return undefined;
  if (!("mid" in replyTo)) return "the shop's story";
  const quoted = messages.find(({ mid }) => mid === replyTo.mid);
  return quoted?.text ?? quoted?.attachments[0]?.type ?? "a message";
}

function Bubble({ message, quoted, action }: { message: Message; quoted?: string; action: string }) {
  const { from, text, attachments, isDeleted, reactions, edits, mid, choices, buttons, notification } = message;
  const isOwn = from === "customer";
  if (isDeleted) return <p class="note">{`${isOwn ? "You" : "The shop"} unsent a message`}</p>;
  return (
    <form class={isOwn ? "bubble own" : "bubble"} method="post" action={action} target="_top">
      <input type="hidden" name="mid" value={mid} />
      {quoted && <q>{quoted}</q>}
      <div class="said">
        <b>{isOwn ? "You" : "The shop"}:</b> {text} {edits > 0 && "(edited)"} {notification === "NO_PUSH" && "(silent)"}{" "}
        {Object.values(reactions).map(({ reaction, emoji }) => `[${emoji ?? reaction}] `)}
        {attachments.map((attachment) => (
          <Shown attachment={attachment} />
        ))}
      </div>
      <Choices list={choices} name="choose" action={action} />
      <Choices list={buttons} name="press" action={action} />
      <div class="row acts">
        {isOwn && <Act name="unsend">Unsend</Act>}
        {isOwn && text !== undefined && (
          <a href={`${action}&edit=${mid}`} target="_top">
            Edit
          </a>
        )}
        {!isOwn && (
          <Act name={reactions.customer ? "unreact" : "react"}>{reactions.customer ? "Take ❤ back" : "❤"}</Act>
        )}
        <a href={`${action}&reply=${mid}`} target="_top">
          Reply
        </a>
      </div>
    </form>
  );
}

/** A form cannot stand in another: each button carries its own address. */
function Choices({ list, name, action }: { list: Choice[]; name: string; action: string }) {
  if (list.length === 0) return null;
  return (
    <div class="row acts">
      {list.map(({ title, payload }) => (
        <button
          type="submit"
          formaction={`${action}&do=${name}&title=${encodeURIComponent(title)}&payload=${encodeURIComponent(payload)}`}
        >
          {title}
        </button>
      ))}
    </div>
  );
}

interface Element {
  title: string;
  subtitle?: string;
  image_url?: string;
  buttons?: Link[];
}
interface Link {
  type: string;
  title: string;
  url?: string;
}

/** Postback buttons stand below the message. */
function Links({ list = [] }: { list?: Link[] }) {
  return list.map(({ type, title, url }) =>
    type === "web_url" ? (
      <a href={url} target="_blank" rel="noopener">
        {title}
      </a>
    ) : null,
  );
}

function Card({ title, subtitle, image_url: picture, buttons }: Element) {
  return (
    <div class="card">
      {picture && <img src={picture} alt="" width="160" />}
      <b>{title}</b> <span>{subtitle}</span> <Links list={buttons} />
    </div>
  );
}

function Shown({ attachment }: { attachment: Attachment }) {
  const { type, payload = {}, title } = attachment;
  if (Array.isArray(payload.elements)) return (payload.elements as Element[]).map((each) => <Card {...each} />);
  const url = typeof payload.url === "string" ? payload.url : undefined;
  const words = String(payload.text ?? payload.title ?? title ?? type);
  if (url && type === "image") return <img src={url} alt={type} width="160" />;
  if (url)
    return (
      <a href={url} target="_blank" rel="noopener">
        {words}
      </a>
    );
  return (
    <span>
      {words} <Links list={payload.buttons as Link[] | undefined} />
    </span>
  );
}
