import { Hono } from "hono";
import { html } from "hono/html";

/** What a customer sees and does, on a page without a script. */
interface PlainPhone {
  title: string;
  /** Oldest first. */
  messages(): { from: "customer" | "shop"; text: string; deleted?: boolean }[];
  says(text: string): Promise<unknown>;
}

/** How often the messages are shown again, s. */
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

const phone = (title: string, path: string) => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Sandbox</title>
<link rel="stylesheet" href="/sandbox.css">
</head>
<body>
<main>
<h1>${title}</h1>
<iframe src="${path}/messages" title="Messages" width="100%" height="400"></iframe>
<form method="post">
<label for="text">Message</label>
<input id="text" name="text" required autofocus autocomplete="off">
<button type="submit">Send</button>
</form>
</main>
</body>
</html>`;

const list = (messages: ReturnType<PlainPhone["messages"]>) => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="${AGAIN_S}">
<title>Messages</title>
</head>
<body>
${messages.map(({ from, text }) => html`<p><b>${from === "customer" ? "You" : "The shop"}:</b> ${text}</p>`)}
</body>
</html>`;
