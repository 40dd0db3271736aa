import { sniff } from "gangway-messenger/kit/emulator/sniff";
import { type Context, Hono } from "hono";
import type { Customers } from "./customers.ts";
import { PhoneFrame, PhoneTalk } from "./phone-page.tsx";
import type { Platform } from "./platform.ts";
import type { Dialog, Message } from "./world.ts";

type Form = Record<string, string | File>;
const textOf = (form: Form, name: string): string => (typeof form[name] === "string" ? form[name] : "");

/** The page on which a person plays the customers: without a script. */
export function phonePage(platform: Platform, customers: Customers): Hono {
  const site = new Hono();
  const { world } = platform;
  site.onError((error, c) => c.text(error.message, 400));
  const dialogIn = (c: Context): Dialog => {
    const { bot: botId, person: n = "1" } = c.req.query();
    const bot = world.bots.find(({ id }) => botId === undefined || String(id) === botId);
    const person = world.people.find((each) => String(each.n) === n);
    if (!bot || !person) throw new Error("There is no such chat");
    return customers.dialog(bot, person);
  };
  site.get("/", (c) => {
    const { edit, reply } = c.req.query();
    const dialog = dialogIn(c);
    return c.html(PhoneFrame({ world, dialog, path: c.req.path, edited: messageIn(dialog, edit), reply }));
  });
  site.get("/messages", (c) => c.html(PhoneTalk({ dialog: dialogIn(c) })));
  site.post("/", async (c) => {
    const dialog = dialogIn(c);
    // Buttons of a message carry what they do in the address.
    await act(customers, dialog, { ...((await c.req.parseBody()) as Form), ...c.req.query() });
    return c.redirect(`${c.req.path}?bot=${dialog.bot.id}&person=${dialog.person.n}`, 303);
  });
  return site;
}

const messageIn = ({ messages }: Dialog, mid: string | undefined): Message | undefined =>
  messages.find((each) => each.mid === mid);

const SPOT = { type: "location", latitude: 55.7558, longitude: 37.6173 };

async function act(customers: Customers, dialog: Dialog, form: Form): Promise<unknown> {
  const doing = textOf(form, "do");
  const text = textOf(form, "text");
  const message = messageIn(dialog, textOf(form, "mid"));
  if (doing === "start") return customers.starts(dialog, text || undefined);
  if (doing === "stop") return customers.stops(dialog);
  if (doing === "location") return customers.says(dialog, { attachments: [SPOT] });
  if (doing === "contact") return customers.sharesContact(dialog);
  if (doing === "say") return customers.says(dialog, { text: textOf(form, "title") });
  if (doing === "press" && message) return customers.presses(dialog, message, textOf(form, "payload"));
  if (doing === "delete" && message) return customers.deletes(dialog, message);
  if (doing === "edit" && message) return customers.edits(dialog, message, { text });
  return says(customers, dialog, form);
}

async function says(customers: Customers, dialog: Dialog, form: Form): Promise<unknown> {
  const { file } = form;
  const text = textOf(form, "text");
  const reply = messageIn(dialog, textOf(form, "reply"));
  const files = [];
  if (file instanceof File && file.size > 0) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    files.push({ name: file.name, mediaType: file.type || sniff(bytes), bytes });
  }
  if (text === "" && files.length === 0) throw new Error("Write something or choose a file");
  return customers.says(dialog, { ...(text && { text }), files, ...(reply && { reply }) });
}
