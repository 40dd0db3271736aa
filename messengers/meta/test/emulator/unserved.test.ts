import { readFileSync } from "node:fs";
import { createEmulator as facebook, PAGE, TOKEN } from "gangway-facebook/emulator/emulator";
import { APP as INSTAGRAM_APP, createEmulator as instagram } from "gangway-instagram/emulator/emulator";
import { UNSERVED as WHATSAPP, type WhatsApp } from "gangway-whatsapp/emulator/emulator";
import { NUMBER_ID } from "gangway-whatsapp/emulator/seed";
import { describe, expect, it } from "vitest";
import { findEmulators } from "../../../../sandbox/src/emulators.ts";
import { createSandbox } from "../../../../sandbox/src/sandbox.ts";
import { page } from "../../../facebook/test/emulator/pages.ts";
import { opened } from "../../../whatsapp/test/emulator/stage.ts";
import { DEMO_APP } from "../../emulator/demo-app.ts";
import { UNSERVED as MESSAGING } from "../../emulator/messaging/emulator.ts";
import { connected } from "./messaging/module.ts";

const DOCUMENT = readFileSync(new URL("../../../../docs/sandbox.md", import.meta.url), "utf8");
const errorOf = async (answer: Response): Promise<unknown> => ((await answer.json()) as { error: unknown }).error;

type Served = { site: WhatsApp["site"]; entries(): { operation: string; status: number }[] };

/** The running emulators, each below its own root. */
function emulators(): [kind: string, served: Served][] {
  const paged = connected(facebook, () => DEMO_APP.secret).emulator;
  const named = connected(instagram, () => INSTAGRAM_APP.secret).emulator;
  return [
    ["facebook", { site: paged.site, entries: paged.core.journal.entries }],
    ["instagram", { site: named.site, entries: named.core.journal.entries }],
  ];
}

describe("a Graph call that no emulator serves", () => {
  it.each([
    ["GET", "/v26.0/1/weather"],
    ["POST", "/v26.0/1/weather/today"],
    ["DELETE", "/weather"],
  ])("%s %s answers Graph's error and is in the journal", async (method, path) => {
    const { emulator } = await opened();
    const others: [string, Served][] = [
      ...emulators(),
      ["whatsapp", { site: emulator.site, entries: emulator.network.core.journal.entries }],
    ];
    for (const [kind, { site, entries }] of others) {
      const answer = await site.request(path, { method });
      const error = { type: "OAuthException", code: 2500, fbtrace_id: expect.stringMatching(/^A/) };
      expect([kind, answer.status, await answer.json()]).toEqual([
        kind,
        400,
        { error: { ...error, message: `Unknown path components: ${path}` } },
      ]);
      expect(answer.headers.get("www-authenticate")).toMatch(/^OAuth /);
      expect(entries().at(-1)).toMatchObject({ operation: "unknown", status: 400 });
    }
  });

  it("answers so below the sandbox's root, too", async () => {
    const sandbox = createSandbox({ origin: () => "http://sandbox.test", emulators: await findEmulators() });
    for (const kind of ["facebook", "instagram", "whatsapp"]) {
      const answer = await sandbox.fetch(new Request(`http://sandbox.test/${kind}/v26.0/1/weather`));
      expect([answer.status, await errorOf(answer)]).toMatchObject([400, { code: 2500 }]);
    }
    sandbox.stop();
  });

  it.each(["messenger_profile", "custom_labels", "label", "personas"])("is refused by name: %s", async (edge) => {
    for (const [kind, { site, entries }] of emulators())
      for (const method of ["GET", "POST", "DELETE"]) {
        // A page that has set nothing can be asked for it.
        if (kind === "facebook" && edge === "messenger_profile" && method === "GET") continue;
        const answer = await site.request(`/v26.0/${PAGE.id}/${edge}`, { method });
        const message = `(#3) The sandbox does not serve ${edge}`;
        expect([answer.status, await errorOf(answer)]).toMatchObject([400, { code: 3, message }]);
        expect(entries().at(-1)).toMatchObject({ operation: edge });
      }
  });

  it.each(["/", "/v26.0"])("is refused by name: a batch at %s", async (path) => {
    const body = new URLSearchParams({ batch: "[]" });
    for (const [, { site }] of emulators())
      expect(await errorOf(await site.request(path, { method: "POST", body }))).toMatchObject({
        code: 3,
        message: "(#3) The sandbox does not serve batch",
      });
  });

  it.each([
    ["An emulated Messenger and Instagram", MESSAGING],
    ["An emulated WhatsApp", WHATSAPP],
  ])("stands in docs/sandbox.md, if it is refused by name: %s", (heading, edges) => {
    const chapter = DOCUMENT.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
    expect([...edges, "batch"].filter((edge) => !chapter.includes(`\`${edge}\``))).toEqual([]);
  });

  it("is refused by name: a number's profile and registration", async () => {
    const { ask } = await opened();
    for (const edge of ["whatsapp_business_profile", "register"])
      expect(await ask("POST", `${NUMBER_ID}/${edge}`, {})).toMatchObject({
        status: 400,
        body: { error: { message: `(#3) The sandbox does not serve ${edge}` } },
      });
  });
});

describe("a field that changes nothing here", () => {
  it("of a message of Messenger is kept, or refused by name", async () => {
    const { send, chat, call, emulator } = await page();
    await emulator.customers.says(chat, { text: "Hi" });
    const replies = [{ content_type: "text", title: "Red", payload: "RED", image_url: "https://files.test/red.png" }];
    await send({ text: "Which?", quick_replies: replies }, { notification_type: "NO_PUSH" });
    expect(chat.messages.at(-1)).toMatchObject({
      notification: "NO_PUSH",
      choices: [{ title: "Red", payload: "RED", image: "https://files.test/red.png" }],
    });
    const count = chat.messages.length;
    const persona = await send({ text: "Hello" }, { persona_id: "7" });
    expect(persona).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining("persona_id") } } });
    const form = new FormData();
    form.set("message", JSON.stringify({ attachment: { type: "file", payload: {} } }));
    form.set("platform", "instagram");
    form.set("filedata", new File(["%PDF-1.7"], "bill.pdf", { type: "application/pdf" }));
    const uploaded = await call("POST", `/v26.0/me/message_attachments`, { token: TOKEN, body: form });
    expect(uploaded).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining("instagram") } } });
    expect(chat.messages).toHaveLength(count);
  });

  it("of a message of WhatsApp is refused by name", async () => {
    const { text, chat } = await opened();
    expect(await text("hello", { recipient_identity_key_hash: "x" })).toMatchObject({
      status: 400,
      body: { error: { message: "(#3) The sandbox does not serve recipient_identity_key_hash" } },
    });
    expect(chat.messages).toEqual([]);
  });
});

describe("a message of WhatsApp", () => {
  it("may have its content as a JSON text", async () => {
    const { send, chat } = await opened();
    const contacts = [{ name: { formatted_name: "Ada", first_name: "Ada" }, phones: [{ phone: "+35621000000" }] }];
    const sent = await send({ type: "contacts", contacts: JSON.stringify(contacts) });
    expect(sent.status).toBe(200);
    expect(chat.messages.at(-1)?.content).toEqual({ type: "contacts", contacts });
    const [first] = (sent.body as { messages: { id: string }[] }).messages;
    const quoting = { type: "text", text: '{"body":"hello"}', context: JSON.stringify({ message_id: first?.id }) };
    expect((await send(quoting)).status).toBe(200);
    expect(chat.messages.at(-1)).toMatchObject({ content: { text: { body: "hello" } }, quote: first?.id });
    expect((await send({ type: "contacts", contacts: "[no" })).status).toBe(400);
  });

  it.each(["accept", "reject"])(
    "may ask for the permission to call, which the customer answers: %s",
    async (response) => {
      const { send, control, chat, messages, idle } = await opened();
      const interactive = {
        type: "call_permission_request",
        body: { text: "May we call?" },
        action: { name: "call_permission_request" },
      };
      expect((await send({ type: "interactive", interactive })).status).toBe(200);
      const id = chat.messages.at(-1)?.id;
      await control("POST", `messages/${id}/press`, { button: response });
      await idle();
      expect(messages().at(-1)).toMatchObject({
        type: "interactive",
        context: { id },
        interactive: { type: "call_permission_reply", call_permission_reply: { response } },
      });
      await expect(control("POST", `messages/${id}/press`, { button: "perhaps" })).rejects.toThrow("no such button");
    },
  );
});
