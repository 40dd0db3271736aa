import { Hono } from "hono";
import { html } from "hono/html";
import { Device, Page } from "./emulator/phone-page.tsx";

/** What a customer sees and does, on a page without script. */
interface PlainPhone {
  title: string;
  /** Oldest first. */
  messages(): { from: "customer" | "shop"; text: string; deleted?: boolean }[];
  says(text: string): Promise<unknown>;
}

/** Refresh interval of the messages, s. */
const AGAIN_S = 2;

/** A phone that writes texts and reads them: enough for trying an adapter in the demo. */
export function plainPhone({ title, messages, says }: PlainPhone): Hono {
  const site = new Hono();
  site.get("/", (c) => c.html(phone(title, c.req.path)));
  site.get("/messages", (c) => c.html(list(messages().filter(({ deleted }) => !deleted))));
  site.post("/", async (c) => {
    const { text } = await c.req.parseBody();
    if (typeof text === "string" && text !== "") await says(text);
    return c.redirect(c.req.path, 303);
  });
  return site;
}

const phone = (title: string, path: string) =>
  Page({
    title,
    children: Device({
      title,
      children: html`<iframe src="${path}/messages" title="Messages"></iframe>
<form class="row" method="post">
<label for="text">Message</label>
<input id="text" name="text" required autofocus autocomplete="off">
<button type="submit">Send</button>
</form>`,
    }),
  });

const list = (messages: ReturnType<PlainPhone["messages"]>) =>
  Page({
    title: "Messages",
    again: AGAIN_S,
    children: html`${messages.map(
      ({ from, text }) => html`<p class="bubble said ${from === "customer" ? "own" : ""}">${text}</p>`,
    )}`,
  });
