import { Act, Device, Page, Tabs } from "gangway-messenger/kit/emulator/phone-page";
import { paintPng } from "gangway-messenger/kit/emulator/picture";
import { silentOgg } from "gangway-messenger/kit/emulator/silence";
import { type Context, Hono } from "hono";
import type { Customers, Saying } from "./customers.ts";
import type { Platform } from "./platform.ts";
import type { Chat, Message } from "./world.ts";

/** Refresh interval of the messages, s. */
const AGAIN_S = 2;
/** Newest messages shown. */
const MAX_SHOWN = 50;
const VOICE_S = 3;

/** The page on which a person plays the customers: without a script. */
export function phonePage(platform: Platform, customers: Customers): Hono {
  const { world } = platform;
  const site = new Hono();
  site.onError((error, c) => c.text(error.message, 400));
  const chatIn = (c: Context): Chat => {
    const n = Number(c.req.query("person") ?? 1);
    const person = world.people.find((each) => each.n === n);
    const account = world.accounts.find(({ id }) => String(id) === c.req.query("account")) ?? world.accounts[0];
    if (!person || !account) throw new Error(`There is no person ${n}`);
    const item = world.items.find(({ id }) => String(id) === c.req.query("item")) ?? world.items[0];
    return customers.chat(account, person, item);
  };
  site.get("/", (c) => c.html(<Frame platform={platform} chat={chatIn(c)} path={c.req.path} />));
  site.get("/messages", (c) => c.html(<Messages platform={platform} chat={chatIn(c)} />));
  site.post("/", async (c) => {
    const chat = chatIn(c);
    await act(customers, chat, (await c.req.parseBody()) as Form);
    return c.redirect(`${c.req.path}${queryOf(chat)}`, 303);
  });
  return site;
}

type Form = Record<string, string | File>;
const textOf = (form: Form, name: string): string => (typeof form[name] === "string" ? form[name] : "");
const queryOf = ({ account, person, item }: Chat) =>
  `?account=${account.id}&person=${person.n}${item ? `&item=${item.id}` : ""}`;

const ACTS: Record<string, Saying> = {
  voice: { voice: silentOgg(VOICE_S) },
  place: {
    type: "location",
    content: {
      location: {
        lat: 55.599799,
        lon: 37.603954,
        kind: "street",
        text: "Москва, Варшавское шоссе",
        title: "Москва, Варшавское шоссе",
      },
    },
  },
  call: { type: "call", content: { call: { status: "missed", target_user_id: 141906442 } } },
  video: { type: "video", content: {} },
};

async function act(customers: Customers, chat: Chat, form: Form): Promise<unknown> {
  const doing = textOf(form, "do");
  const message = chat.messages.find(({ id }) => id === textOf(form, "id"));
  if (doing === "read") return customers.reads(chat);
  if (doing === "block") return Object.assign(chat, { isBlocked: !chat.isBlocked });
  if (doing === "delete" && message) return customers.deletes(chat, message);
  const known = ACTS[doing];
  if (known) return customers.says(chat, known);
  const { file } = form;
  if (file instanceof File && file.size > 0)
    return customers.says(chat, { image: new Uint8Array(await file.arrayBuffer()) });
  if (doing === "picture") return customers.says(chat, { image: paintPng(160, 120, [80, 140, 110]) });
  const text = textOf(form, "text");
  if (!text) throw new Error("Write something or choose a picture");
  return customers.says(chat, { text });
}

/** The chat, and what the customer can do in it. */
function Frame({ platform, chat, path }: { platform: Platform; chat: Chat; path: string }) {
  const { world } = platform;
  const { person, item, account, isBlocked } = chat;
  return (
    <Page title={`Avito · ${person.name}`}>
      <Tabs
        label="Seller"
        tabs={world.accounts.map((each) => ({
          name: each.name,
          href: `${path}${queryOf({ ...chat, account: each })}`,
          isCurrent: each === account,
        }))}
      />
      <Tabs
        label="Customer"
        tabs={world.people.map((each) => ({
          name: each.name,
          href: `${path}${queryOf({ ...chat, person: each })}`,
          isCurrent: each === person,
        }))}
      />
      <Tabs
        label="Listing"
        tabs={world.items.map((each) => ({
          name: each.title,
          href: `${path}${queryOf({ ...chat, item: each })}`,
          isCurrent: each === item,
        }))}
      />
      <Device title={`${person.name} writes to ${account.name}`}>
        {item && <p>{`${item.title}, ${item.price}`}</p>}
        <iframe src={`${path}/messages${queryOf(chat)}`} title="Messages" />
        <form class="row" method="post" action={`${path}${queryOf(chat)}`} enctype="multipart/form-data">
          <label for="text">Message</label>
          <input id="text" name="text" autofocus autocomplete="off" />
          <input type="file" name="file" accept="image/*" aria-label="A picture of yours" />
          <button type="submit">Send</button>
        </form>
      </Device>
      <form class="row" method="post" action={`${path}${queryOf(chat)}`}>
        <Act name="picture">Picture</Act>
        <Act name="voice">Voice message</Act>
        <Act name="place">Location</Act>
        <Act name="call">Missed call</Act>
        <Act name="video">Video</Act>
        <Act name="read">Read everything</Act>
        <Act name="block">{isBlocked ? "Unblock" : "Block"}</Act>
      </form>
    </Page>
  );
}

function Messages({ platform, chat }: { platform: Platform; chat: Chat }) {
  return (
    <Page title="Messages" again={AGAIN_S}>
      {chat.messages.slice(-MAX_SHOWN).map((message) => (
        <Bubble message={message} chat={chat} origin={platform.origin()} />
      ))}
    </Page>
  );
}

function Bubble({ message, chat, origin }: { message: Message; chat: Chat; origin: string }) {
  const { id, author, type, content, readAt } = message;
  const isOwn = author === chat.person.id;
  const who = isOwn ? "You" : author === chat.account.id ? "The shop" : "Avito";
  if (type === "deleted") return <p class="note">{`${who} deleted a message`}</p>;
  return (
    <form
      class={isOwn ? "bubble own" : "bubble"}
      method="post"
      action={`${origin}/phone${queryOf(chat)}`}
      target="_top"
    >
      <input type="hidden" name="id" value={id} />
      <div class="said">
        <b>{who}:</b> <Shown type={type} content={content} /> {isOwn && readAt !== undefined && "✓✓"}
      </div>
      {isOwn && (
        <div class="row acts">
          <Act name="delete">Delete</Act>
        </div>
      )}
    </form>
  );
}

function Shown({ type, content }: Pick<Message, "type" | "content">) {
  const { text, link, image } = content as {
    text?: string;
    link?: { text: string };
    image?: { sizes: Record<string, string> };
  };
  const url = image?.sizes["640x480"];
  if (url) return <img src={url} alt="sent" width="160" />;
  return <span>{text ?? link?.text ?? `[${type}]`}</span>;
}
