import { Act, Page } from "gangway-messenger/kit/emulator/phone-page";
import type { Network } from "./network.ts";
import type { Chat, Content, Message } from "./world.ts";

/** Refresh interval of the messages, s. */
const AGAIN_S = 2;
/** Newest messages shown. */
const MAX_SHOWN = 50;

/** The messages of a chat, each with what can be done to it. */
export function PhoneChat({ network, chat }: { network: Network; chat: Chat }) {
  const action = `../phone?number=${chat.number.id}&customer=${chat.customer.n}`;
  const arrived = chat.messages.filter(
    ({ from, status }) => from !== "business" || !["accepted", "sent", "failed"].includes(status),
  );
  return (
    <Page title="Messages" again={AGAIN_S}>
      {arrived.slice(-MAX_SHOWN).map((message) => (
        <Bubble message={message} action={action} isCoexistence={chat.number.isCoexistence} />
      ))}
      {chat.typingUntil > network.core.clock.now() && <p>{`${chat.number.verifiedName} is typing…`}</p>}
    </Page>
  );
}

const AUTHORS = { customer: "You", business: "The shop", staff: "The shop's staff" };
const TICKS: Record<string, string> = { sent: "✓", delivered: "✓✓", read: "✓✓ read", played: "✓✓ played" };

function Bubble({ message, action, isCoexistence }: { message: Message; action: string; isCoexistence: boolean }) {
  const { id, from, content, medium, quote, isRevoked, isEdited, reactions, status } = message;
  if (isRevoked) return <p class="note">{`${AUTHORS[from]} deleted a message`}</p>;
  const mayChange = from !== "business" && isCoexistence;
  return (
    <form class={from === "customer" ? "bubble own" : "bubble"} method="post" action={action} target="_top">
      <input type="hidden" name="id" value={id} />
      <div class="said">
        {quote && "↩ "}
        <b>{AUTHORS[from]}:</b> {wordsOf(content)} {isEdited && "(edited)"}{" "}
        {Object.values(reactions).map((emoji) => `[${emoji}] `)}
        {medium && <Shown medium={medium} />} {from === "customer" && (TICKS[status] ?? "")}
      </div>
      {from === "business" && <Buttons content={content} action={action} />}
      <div class="row acts">
        {from !== "customer" && (
          <Act name={reactions.customer ? "unreact" : "react"}>{reactions.customer ? "Take ❤️ back" : "❤️"}</Act>
        )}
        {from === "business" && content.type === "audio" && <Act name="played">Play</Act>}
        {mayChange && <Act name="revoke">Delete</Act>}
        {mayChange && content.type === "text" && (
          <a href={`${action}&change=${encodeURIComponent(id)}`} target="_top">
            Edit
          </a>
        )}
        <a href={`${action}&reply=${encodeURIComponent(id)}`} target="_top">
          Reply
        </a>
      </div>
    </form>
  );
}

function Shown({ medium: { id, name, mediaType } }: { medium: NonNullable<Message["medium"]> }) {
  const url = `../phone/media/${id}`;
  if (mediaType.startsWith("image/")) return <img src={url} alt={name} width="160" />;
  return (
    <a href={url} target="_blank" rel="noopener">
      {name}
    </a>
  );
}

interface Rich {
  text?: { body: string };
  interactive?: {
    type?: string;
    header?: { text?: string };
    body?: { text: string };
    footer?: { text: string };
    action?: {
      buttons?: { reply: { id: string; title: string } }[];
      sections?: { rows?: { id: string; title: string; description?: string }[] }[];
      parameters?: { display_text?: string; url?: string };
    };
    button_reply?: { title: string };
    list_reply?: { title: string };
  };
  button?: { text: string };
  location?: { name?: string; latitude: number; longitude: number };
  contacts?: { name: { formatted_name: string } }[];
  order?: { product_items: object[] };
  buttons?: { text: string; payload?: string; url?: string }[];
}

function wordsOf(content: Content): string {
  const { text, interactive, button, location, contacts, order } = content as Content & Rich;
  if (text) return text.body;
  if (interactive) {
    const { header, body, footer, button_reply, list_reply } = interactive;
    return [header?.text, body?.text, footer?.text, button_reply?.title, list_reply?.title].filter(Boolean).join("\n");
  }
  if (button) return button.text;
  if (location) return `📍 ${location.name ?? ""} ${location.latitude}, ${location.longitude}`;
  if (contacts) return `👤 ${contacts.map(({ name }) => name.formatted_name).join(", ")}`;
  if (order) return `🛒 ${order.product_items.length} products`;
  const { caption, filename } = (content[content.type] ?? {}) as { caption?: string; filename?: string };
  return caption ?? filename ?? `[${content.type}]`;
}

const PERMISSIONS = [
  { id: "accept", title: "Allow calls" },
  { id: "reject", title: "Do not allow" },
];

/** A form cannot stand in another: each button carries its own address. */
function Buttons({ content, action }: { content: Content; action: string }) {
  const { interactive, buttons = [] } = content as Content & Rich;
  const asksToCall = interactive?.type === "call_permission_request";
  const replies = asksToCall ? PERMISSIONS : (interactive?.action?.buttons?.map(({ reply }) => reply) ?? []);
  const rows = interactive?.action?.sections?.flatMap((section) => section.rows ?? []) ?? [];
  const quick = buttons.map(({ text, payload, url }) => ({ id: payload ?? "", title: text, url }));
  const link = interactive?.action?.parameters;
  const linked = link?.url ? [{ id: "", title: link.display_text ?? link.url, url: link.url }] : [];
  const all = [...replies, ...rows, ...quick, ...linked];
  if (all.length === 0) return null;
  return (
    <div class="row acts">
      {all.map((each) => (
        <Choice {...each} action={action} />
      ))}
    </div>
  );
}

function Choice({ id, title, url, action }: { id: string; title: string; url?: string; action: string }) {
  if (url && /^https?:/.test(url))
    return (
      <a href={url} target="_blank" rel="noopener">
        {title}
      </a>
    );
  return (
    <button type="submit" formaction={`${action}&do=press&button=${encodeURIComponent(id)}`}>
      {title}
    </button>
  );
}
