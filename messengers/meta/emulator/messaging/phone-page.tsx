import { paintPng } from "gangway-messenger/kit/emulator/picture";
import { sniff } from "gangway-messenger/kit/emulator/sniff";
import { type Context, Hono } from "hono";
import { chatOf } from "./chats.ts";
import { accountNamed, personNumbered } from "./control.ts";
import type { Customers } from "./customer.ts";
import type { Platform } from "./network.ts";
import { PhoneChat } from "./phone-chat.tsx";
import { PhoneFrame } from "./phone-frame.tsx";
import type { Said } from "./saying.ts";
import { type Chat, findMessage } from "./world.ts";

/** The page on which a person plays the customers: without a script. */
export function phonePage(platform: Platform, customers: Customers): Hono {
  const site = new Hono();
  site.onError((error, c) => c.text(error.message, 400));
  const chatIn = (c: Context): Chat => {
    const [first] = platform.world.accounts;
    const account = accountNamed(platform, c.req.query("account") ?? first?.id ?? "");
    return chatOf(platform, account, personNumbered(platform, Number(c.req.query("person") ?? 1)));
  };
  site.get("/", (c) => {
    const chat = chatIn(c);
    const { edit, reply } = c.req.query();
    const edited = edit === undefined ? undefined : findMessage(platform.world, edit)?.message;
    return c.html(<PhoneFrame platform={platform} chat={chat} path={c.req.path} edited={edited} reply={reply} />);
  });
  site.get("/messages", (c) => c.html(<PhoneChat platform={platform} chat={chatIn(c)} />));
  site.post("/", async (c) => {
    const chat = chatIn(c);
    // Buttons of a message carry their payload in the address.
    await act(platform, customers, chat, { ...(await c.req.parseBody()), ...c.req.query() } as Form);
    return c.redirect(`${c.req.path}?account=${chat.account.id}&person=${chat.person.n}`, 303);
  });
  return site;
}

type Form = Record<string, string | File>;
const textOf = (form: Form, name: string): string => (typeof form[name] === "string" ? form[name] : "");

async function act(platform: Platform, customers: Customers, chat: Chat, form: Form): Promise<unknown> {
  const message = findMessage(platform.world, textOf(form, "mid"))?.message;
  const text = textOf(form, "text");
  const doing = textOf(form, "do");
  if (doing === "read") return customers.opens(chat);
  if (doing === "block") return Object.assign(chat, { isBlocked: !chat.isBlocked });
  if (doing === "comment") return customers.comments(chat.account, chat.person, text || "Is it still available?");
  if (doing === "story") return answersStory(platform, customers, chat, text);
  if (doing === "mention") return customers.says(chat, { files: [{ type: "story_mention", ...STORY() }] });
  if (doing === "choose")
    return customers.says(chat, { text: textOf(form, "title"), quickReply: textOf(form, "payload") });
  if (doing === "press")
    return customers.presses(chat, { title: textOf(form, "title"), payload: textOf(form, "payload") });
  if (doing === "react" && message) return customers.reacts(message, { reaction: "love", emoji: "❤" });
  if (doing === "unreact" && message) return customers.reacts(message, undefined);
  if (doing === "unsend" && message) return customers.unsends(message);
  if (doing === "edit" && message) return customers.edits(message, text);
  return says(customers, chat, form);
}

async function says(customers: Customers, chat: Chat, form: Form): Promise<unknown> {
  const { file } = form;
  const reply = textOf(form, "reply");
  const said: Said = {
    ...(textOf(form, "text") && { text: textOf(form, "text") }),
    ...(reply && { replyTo: { mid: reply } }),
  };
  if (file instanceof File && file.size > 0) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const mediaType = file.type || sniff(bytes);
    const [kind = ""] = mediaType.split("/");
    const type = ["image", "video", "audio"].includes(kind) ? kind : "file";
    said.files = [{ type, name: file.name, mediaType, bytes }];
  }
  if (said.text === undefined && !said.files) throw new Error("Write something or choose a file");
  return customers.says(chat, said);
}

const STORY = () => ({ name: "story.png", mediaType: "image/png", bytes: paintPng(90, 160, [200, 120, 60]) });

/** Answers the account's story, whose picture lives for a day. */
function answersStory({ core, values }: Platform, customers: Customers, chat: Chat, text: string): Promise<unknown> {
  const { storyLifeMs } = values();
  const medium = core.media.add({ owner: chat.account.id, ...STORY(), lifeMs: storyLifeMs });
  const url = `${core.origin()}${core.media.link(medium, storyLifeMs, false)}`;
  return customers.says(chat, { text: text || "😍", replyTo: { story: { id: medium.id, url } } });
}
