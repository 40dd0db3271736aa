import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { openStage, type Stage } from "../../../fuzz/stage.ts";
import { OTHER_CRM } from "../../../support/crms.ts";
import { readRows, writeRows } from "../../../support/engine.ts";
import { CRM } from "../../../support/site.ts";
import { storeIn } from "../../../support/store.ts";
import { tracesLeft } from "../../../support/traces.ts";
import { until } from "../../../support/until.ts";

const ROBIN = "5120000042";
const [MEMBER, BLOCKED] = ["member", "kicked"].map((status) => ({
  status,
  user: { id: 1, is_bot: true, first_name: "Bot" },
}));

async function written() {
  const stage = await openStage();
  const files = [{ id: stage.visitor.file }];
  const body = JSON.stringify({ id: randomUUID(), text: "my secret address", files });
  await stage.ask(`${stage.chat.door}/messages`, { method: "POST", headers: stage.visitor.headers, body });
  const waiting = async () =>
    (await readRows(stage.folder, ["message"])).message?.filter(({ state }) => state !== "done");
  await until("all messages to arrive", async () => (await waiting())?.length === 0);
  const post = async (path: string, fields: Record<string, string>, { cookie, token }: Who = stage) => {
    const answer = await stage.submit(`/account/customers${path}`, { formToken: token, ...fields }, { cookie });
    return { status: answer.status, page: await answer.text() };
  };
  return { ...stage, post };
}
type Who = Pick<Stage, "cookie" | "token">;

/** The hidden fields of the first form that leads on to `path`. */
function fieldsOf(page: string, path: string): Record<string, string> {
  const form = new RegExp(`action="/account/[^"]*${path}".*?</form>`, "s").exec(page)?.[0] ?? "";
  return Object.fromEntries(
    [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
}

describe("a customer's data", () => {
  it("is found, asked about once more, and erased to the last byte, with a receipt that names nobody", async () => {
    const site = await written();
    const found = await site.post("", { text: "SECRET address" });
    expect(found.page).toContain("my secret address");
    const asked = await site.post("/confirm", fieldsOf(found.page, "/customers/confirm"));
    expect(asked.page).toContain("will be erased for good");
    expect(asked.page).toContain("Shop chat");
    const { kept_file: before } = await readRows(site.folder, ["kept_file"]);
    const erased = await site.post("/erase", fieldsOf(asked.page, "/customers/erase"));
    expect(erased.page).toMatch(/2 messages<\/li><li>1 file<\/li><li>2 original requests/);
    const words = [site.visitor.chat, "my secret address", "some bytes", String(before?.[0]?.id), "hello"];
    for (const word of words) expect(erased.page).not.toContain(word);
    await expect.poll(() => tracesLeft(site.folder, words)).toEqual([]);
    // A reload posts the form again.
    expect(await site.post("/erase", fieldsOf(asked.page, "/customers/erase"))).toMatchObject({
      status: 200,
      page: expect.stringContaining("2 messages</li><li>1 file</li>"),
    });
    // The bot's customer stays, and the visitor may write again.
    expect((await site.post("", { text: ROBIN })).page).toContain("Robin");
    const body = JSON.stringify({ id: randomUUID(), text: "again" });
    const again = await site.ask(`${site.chat.door}/messages`, { method: "POST", headers: site.visitor.headers, body });
    expect(again.status).toBe(200);
  });

  it("is downloaded as JSON: both sides' words, the chat's history, files by name; only by the account itself", async () => {
    const site = await written();
    const found = await site.post("", { text: "SECRET address" });
    const fields = fieldsOf(found.page, "/customers/export");
    const answer = await site.submit(
      "/account/customers/export",
      { ...fields, formToken: site.token },
      { cookie: site.cookie },
    );
    expect(answer.headers.get("content-disposition")).toBe('attachment; filename="customer.json"');
    const records = (await answer.json()) as { messages: object[]; history: object[]; files: { size: number }[] };
    expect(JSON.stringify(records.messages)).toContain("my secret address");
    expect([records.messages.length, records.files.length, records.history.length > 0]).toEqual([2, 1, true]);
    expect(JSON.stringify(records), "of another channel").not.toContain("Robin");
    expect((await site.post("/export", { ...fields, chat: "nobody" })).status).toBe(404);
    expect((await site.post("/export", { ...fields, formToken: "forged" })).status).toBe(403);
    expect(
      await site.ask("/account/history", { headers: { cookie: site.cookie } }).then((page) => page.text()),
    ).toContain("data was downloaded");
  });

  it("is not downloaded above 16 MiB: a page says who can copy it, and nothing is lost", async () => {
    const site = await written();
    const fields = fieldsOf((await site.post("", { text: "SECRET address" })).page, "/customers/export");
    await writeRows(
      site.folder,
      `UPDATE message SET payload = replace(payload, 'my secret address', 'my secret address ${"x".repeat(17_000_000)}')`,
    );
    const refused = await site.post("/export", fields);
    expect(refused.status).toBe(413);
    expect(refused.page).toContain("gangway export");
    expect((await site.post("", { text: "SECRET address" })).page).toContain("my secret address");
  });

  it("of a bot goes with what the messenger's adapter noted, edits and phone numbers", async () => {
    const site = await written();
    const person = {
      id: Number(ROBIN),
      is_bot: false,
      first_name: "Robin",
      username: "robin_hood",
      language_code: "en",
    };
    const chat = { id: person.id, type: "private", first_name: "Robin" };
    const said = { message_id: 2, date: 1_764_000_001, chat, from: person };
    const contact = { phone_number: "+491511234567", first_name: "Robin", user_id: person.id };
    for (const [n, update] of [
      { message: { ...said, text: "green arrows" } },
      { edited_message: { ...said, edit_date: 1_764_000_002, text: "red arrows" } },
      { message: { ...said, message_id: 3, contact } },
      { message: { ...said, message_id: 4, text: "answer", reply_to_message: { ...said, text: "green arrows" } } },
      { my_chat_member: { chat, from: person, date: 1, old_chat_member: MEMBER, new_chat_member: BLOCKED } },
    ].entries())
      await site.ask(site.bot.door, {
        method: "POST",
        headers: { "x-telegram-bot-api-secret-token": site.bot.secret, "content-type": "application/json" },
        body: JSON.stringify({ update_id: n + 2, ...update }),
      });
    const words = [ROBIN, "Robin", "robin_hood", "green arrows", "red arrows", "491511234567"];
    expect(new Set((await tracesLeft(site.folder, words)).map((trace) => trace.split(" in ")[0])).size).toBeGreaterThan(
      5,
    );
    const found = await site.post("", { text: "robin" });
    await site.post("/erase", fieldsOf(found.page, "/customers/confirm"));
    await expect.poll(() => tracesLeft(site.folder, words)).toEqual([]);
    expect(await tracesLeft(site.folder, ["my secret address"])).not.toEqual([]);
  });

  it("of another account is neither found nor erased, and not without the form's token", async () => {
    const site = await written();
    const cookie = site.cookieOf(await site.submit("/", { crmUrl: OTHER_CRM, apiKey: "sandbox-key" }));
    const theirs = { cookie, token: await site.formToken(cookie) };
    expect((await site.post("", { text: "Robin" }, theirs)).page).toContain("Nothing on this server contains");
    const [channel = ""] = site.chat.ids;
    const person = { channel, chat: site.visitor.chat, customer: site.visitor.chat };
    expect((await site.post("/erase", person, theirs)).status).toBe(404);
    expect((await site.post("/erase", person, { ...site, token: "guess" })).status).toBe(403);
    expect((await site.post("/erase", { ...person, chat: "nobody" })).status).toBe(404);
    expect((await readRows(site.folder, ["message"])).message?.length).toBe(3);
  });

  it("is never part of an address; a reload leads to the search", async () => {
    const site = await written();
    for (const path of ["/account/customers/erase", "/account/customers/confirm"]) {
      const answer = await site.ask(path, { headers: { cookie: site.cookie } });
      expect([answer.status, answer.headers.get("location")]).toEqual([303, "/account/customers"]);
    }
    const page = await (await site.ask("/account/customers", { headers: { cookie: site.cookie } })).text();
    expect(page).toContain("Find a customer");
    expect((await site.post("", { text: "  " })).page).not.toContain("<table");
  });
});

describe("a file that a visitor has uploaded and never sent", () => {
  it("goes with the customer at once, and those of others stay", async () => {
    const site = await written();
    const upload = async (headers: Record<string, string>, body: string) =>
      site.ask(`${site.chat.door}/files`, {
        method: "POST",
        headers: { ...headers, "x-file-name": "draft.txt" },
        body,
      });
    await upload(site.visitor.headers, "my unsent draft");
    const opened = await site.ask(`${site.chat.door}/open`, { method: "POST", body: "{}" });
    const { visitor } = (await opened.json()) as { visitor: string };
    await upload({ authorization: `Bearer ${visitor}` }, "another one's draft");
    expect(await tracesLeft(site.folder, ["my unsent draft", "another one's draft"])).toHaveLength(2);
    const found = await site.post("", { text: "SECRET address" });
    const erased = await site.post("/erase", fieldsOf(found.page, "/customers/confirm"));
    expect(erased.page).toContain("<li>2 files</li>");
    await expect.poll(() => tracesLeft(site.folder, ["my unsent draft"])).toEqual([]);
    expect(await tracesLeft(site.folder, ["another one's draft"])).toHaveLength(1);
  });
});

describe("erasing an account by a command beside the server", () => {
  it("ends the streams of its web chat, and closes its doors", async () => {
    const site = await written();
    const { body } = await site.ask(`${site.chat.door}/events`, { headers: site.visitor.headers });
    const ended = new Response(body).text();
    const command = await storeIn(site.folder, undefined, { shared: true });
    const [account] = await command.accounts.list();
    if (!account) throw new Error("there is no account");
    await command.accounts.setActivity(account.id, { active: false, frozen: false }, 1_000);
    await command.erasure.account(account.id, { actor: "operator", action: "account erased" });
    await command.close();
    expect(await ended).toContain("my secret address");
    const door = await site.ask(`${site.chat.door}/events`, { headers: site.visitor.headers });
    expect(door.status).toBe(404);
    expect((await site.ask("/account", { headers: { cookie: site.cookie } })).status).toBe(401);
  });
});

describe("disconnecting with erasure", () => {
  it("erases the account, tells the CRM, and shows a receipt; its visits are over", async () => {
    const site = await written();
    const fields = { formToken: site.token, erase: "yes" };
    const answer = await site.submit("/account/disconnect", fields, { cookie: site.cookie });
    const page = await answer.text();
    expect(page).toContain("The account is disconnected and erased");
    expect(page).toContain("The module is switched off in your CRM.");
    expect(site.sandbox.world.modules.get("gangway")).toMatchObject({ active: false });
    expect((await site.ask("/account", { headers: { cookie: site.cookie } })).status).toBe(401);
    const words = [site.visitor.chat, ROBIN, "my secret address", "Robin", CRM, site.clientId];
    await expect.poll(() => tracesLeft(site.folder, words)).toEqual([]);
    // Connecting again begins anew.
    const cookie = await site.connect();
    expect((await site.ask("/account", { headers: { cookie } })).status).toBe(200);
  });
});
