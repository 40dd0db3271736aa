import { DEMO_APP as APP } from "gangway-meta/emulator/demo-app";
import { BUSINESS_SUITE } from "gangway-meta/emulator/messaging/events";
import { expect, it } from "vitest";
import { HOOK, VERIFY } from "../../../meta/test/emulator/messaging/module.ts";
import { FOREIGN_PAGE, OTHER_APP, PAGE, SECOND_PAGE, SECOND_TOKEN, TOKEN } from "../../emulator/emulator.ts";
import { page } from "./pages.ts";

it("an address is subscribed only if it echoes the challenge for its verify token", async () => {
  const { call } = await page();
  const token = `${APP.id}|${APP.secret}`;
  const body = { object: "page", callback_url: HOOK, verify_token: "wrong", fields: "messages" };
  const refused = await call("POST", `/v23.0/${APP.id}/subscriptions`, { token, body });
  expect(refused).toMatchObject({ status: 400, body: { error: { code: 2200 } } });
  const taken = await call("POST", `/v23.0/${APP.id}/subscriptions`, {
    token,
    body: { ...body, verify_token: VERIFY },
  });
  expect(taken.body).toEqual({ success: true });
  const path = `/v23.0/${APP.id}/subscriptions`;
  expect((await call("GET", path, { token })).body.data).toMatchObject([{ object: "page", callback_url: HOOK }]);
  await call("DELETE", `${path}?object=page`, { token });
  expect((await call("GET", path, { token })).body.data).toEqual([]);
  expect((await call("GET", path, { token: `${APP.id}|wrong` })).body.error.code).toBe(190);
});

it("a customer's text comes signed, with ids that a double cannot hold", async () => {
  const { emulator, chat, events, bodies } = await page();
  const { mid, at } = await emulator.customers.says(chat, { text: "¿Precio? 😀" });
  expect(bodies).toMatchObject([{ object: "page", entry: [{ id: PAGE.id }] }]);
  expect(events()).toEqual([
    { sender: { id: chat.scopedId }, recipient: { id: PAGE.id }, timestamp: at, message: { mid, text: "¿Precio? 😀" } },
  ]);
  expect(Number(chat.scopedId)).toBeGreaterThan(Number.MAX_SAFE_INTEGER);
});

it("an app's message returns as an echo with its app and metadata, then is delivered and read", async () => {
  const { emulator, chat, events, send } = await page();
  await emulator.customers.says(chat, { text: "Hi" });
  const { body } = await send({ text: "Hello", metadata: "job-1" });
  expect(body).toEqual({ recipient_id: chat.scopedId, message_id: expect.stringMatching(/^m_/) });
  await emulator.customers.opens(chat);
  const [, echo, delivery, read] = events();
  expect(echo).toMatchObject({
    sender: { id: PAGE.id },
    recipient: { id: chat.scopedId },
    message: { is_echo: true, mid: body.message_id, text: "Hello", app_id: Number(APP.id), metadata: "job-1" },
  });
  expect(delivery).toMatchObject({ delivery: { mids: [body.message_id], watermark: echo?.timestamp } });
  expect(read).toMatchObject({ read: { watermark: echo?.timestamp } });
});

it("the staff's message in Business Suite returns with another app and no metadata", async () => {
  const { emulator, chat, events } = await page();
  await emulator.staffSays(chat, "From the inbox");
  const [echo] = events();
  expect(echo?.message).toMatchObject({ is_echo: true, text: "From the inbox", app_id: Number(BUSINESS_SUITE) });
  expect(echo?.message).not.toHaveProperty("metadata");
});

it("edits, unsends, reactions, postbacks and referrals each come in their own event", async () => {
  const { emulator, chat, events, send } = await page();
  const { customers } = emulator;
  const said = await customers.says(chat, { text: "Red" });
  await customers.edits(said, "Blue");
  await customers.edits(said, "Green");
  const { body } = await send({ text: "Done" });
  const ours = chat.messages.find(({ mid }) => mid === body.message_id);
  if (!ours) throw new Error("Our message is in the chat");
  await customers.reacts(ours, { reaction: "love", emoji: "❤" });
  await customers.reacts(ours, undefined);
  await customers.presses(chat, {
    title: "Start",
    payload: "GET_STARTED",
    referral: { ref: "spring", source: "SHORTLINK", type: "OPEN_THREAD" },
  });
  const ad = {
    source: "ADS",
    type: "OPEN_THREAD",
    ad_id: "6",
    ref: "x",
    ads_context_data: { ad_title: "Shoes", post_id: "1_2" },
  };
  await customers.arrives(chat, ad);
  await customers.unsends(said);
  const parts = events().map(({ sender: _, recipient: __, timestamp: ___, ...event }) => event);
  expect(parts).toMatchObject([
    { message: { text: "Red" } },
    { message_edit: { mid: said.mid, text: "Blue", num_edit: 1 } },
    { message_edit: { mid: said.mid, text: "Green", num_edit: 2 } },
    { message: { is_echo: true } },
    { delivery: {} },
    { reaction: { mid: ours.mid, action: "react", reaction: "love", emoji: "❤" } },
    { reaction: { mid: ours.mid, action: "unreact" } },
    { postback: { title: "Start", payload: "GET_STARTED", referral: { ref: "spring" } } },
    { referral: ad },
    { message: { mid: said.mid, is_deleted: true } },
  ]);
});

it("a sixth edit, and one after a quarter of an hour, are not possible", async () => {
  const { emulator, chat, clock } = await page();
  const said = await emulator.customers.says(chat, { text: "0" });
  for (const text of "12345") await emulator.customers.edits(said, text);
  await expect(emulator.customers.edits(said, "6")).rejects.toThrow("five times");
  const later = await emulator.customers.says(chat, { text: "0" });
  clock.jump(16 * 60_000);
  await expect(emulator.customers.edits(later, "1")).rejects.toThrow("too old");
});

it("files, stickers, locations and story replies have their attachments, with addresses that end", async () => {
  const { emulator, chat, events, call, clock } = await page();
  const { customers } = emulator;
  const bytes = new TextEncoder().encode("%PDF-1.7");
  await customers.says(chat, { files: [{ type: "file", name: "bill.pdf", mediaType: "application/pdf", bytes }] });
  await customers.says(chat, { stickerId: 369239263222822 });
  await customers.says(chat, {
    attachments: [{ type: "location", payload: { coordinates: { lat: 40.4, long: -3.7 } } }],
  });
  await customers.says(chat, { text: "Nice", replyTo: { story: { id: "9", url: "https://cdn.example/9" } } });
  const messages = events().map(({ message }) => message);
  expect(messages).toMatchObject([
    { attachments: [{ type: "file", payload: { url: expect.stringContaining("http://sandbox.test/") } }] },
    { sticker_id: 369239263222822, attachments: [{ type: "sticker", payload: { sticker_id: 369239263222822 } }] },
    { attachments: [{ type: "location", payload: { coordinates: { lat: 40.4, long: -3.7 } } }] },
    { text: "Nice", reply_to: { story: { id: "9" } } },
  ]);
  const [
    {
      attachments: [
        {
          payload: { url },
        },
      ],
    },
  ] = messages as never as [{ attachments: [{ payload: { url: string } }] }];
  const path = url.replace("http://sandbox.test", "");
  expect((await call("GET", path)).body).toBe("%PDF-1.7");
  clock.jump(8 * 86_400_000);
  expect((await call("GET", path)).status).toBe(404);
});

it("only subscribed fields come, and nothing of another vendor's page", async () => {
  const { emulator, chat, events, call } = await page();
  await call("POST", `/v23.0/${PAGE.id}/subscribed_apps`, { token: TOKEN, body: { subscribed_fields: "messages" } });
  const { body } = await call("GET", `/v23.0/${PAGE.id}/subscribed_apps`, { token: TOKEN });
  expect(body.data).toMatchObject([{ id: APP.id, subscribed_fields: ["messages"] }]);
  await emulator.customers.presses(chat, { payload: "x" });
  expect(events()).toEqual([]);
  await call("DELETE", `/v23.0/${PAGE.id}/subscribed_apps`, { token: TOKEN });
  await emulator.customers.says(chat, { text: "x" });
  expect(events()).toEqual([]);
});

it("a field comes only if both the app's webhook and the page's subscription name it", async () => {
  const { emulator, chat, events, call } = await page();
  const body = { object: "page", callback_url: HOOK, verify_token: VERIFY, fields: "messages" };
  await call("POST", `/v23.0/${APP.id}/subscriptions`, { token: `${APP.id}|${APP.secret}`, body });
  await emulator.customers.presses(chat, { payload: "x" });
  expect(events()).toEqual([]);
  await emulator.customers.says(chat, { text: "Hi" });
  expect(events()).toMatchObject([{ message: { text: "Hi" } }]);
});

it("entries of both pages come in one body when they are gathered", async () => {
  const { emulator, account, person, bodies, call } = await page();
  const { platform, customers, core } = emulator;
  await call("POST", `/v23.0/${SECOND_PAGE.id}/subscribed_apps`, {
    token: SECOND_TOKEN,
    body: { subscribed_fields: "messages" },
  });
  core.switches.set({ batchMs: 60_000 });
  const second = platform.world.accounts[1];
  if (!second) throw new Error("There are two pages");
  void customers.says(customers.chat(account, person), { text: "one" });
  void customers.says(customers.chat(second, person), { text: "two" });
  await core.courier.flush();
  expect(bodies.map(({ entry }) => entry.map(({ id }) => id))).toEqual([[PAGE.id, SECOND_PAGE.id]]);
  const [one, two] = platform.world.chats;
  expect(one?.scopedId).not.toBe(two?.scopedId);
});

it("an app that does not control the thread gets its events on standby and may not write", async () => {
  const { emulator, chat, events, standby, call, send } = await page();
  await emulator.customers.says(chat, { text: "Hi" });
  await call("POST", "/control/handover", {
    body: { account: PAGE.id, person: 1, action: "take", to: OTHER_APP.id },
  });
  expect(events().at(-1)).toMatchObject({ take_thread_control: { new_owner_app_id: Number(OTHER_APP.id) } });
  await emulator.customers.says(chat, { text: "Still there?" });
  expect(standby()).toMatchObject([{ message: { text: "Still there?" } }]);
  expect((await send({ text: "Yes" })).body.error).toMatchObject({ code: 10, error_subcode: 2018300 });
  const recipient = { id: chat.scopedId };
  const taken = await call("POST", `/v23.0/${PAGE.id}/take_thread_control`, { token: TOKEN, body: { recipient } });
  expect(taken.body).toEqual({ success: true });
  expect((await send({ text: "Yes" })).status).toBe(200);
  const target = { recipient, target_app_id: BUSINESS_SUITE, metadata: "to staff" };
  await call("POST", `/v23.0/${PAGE.id}/pass_thread_control`, { token: TOKEN, body: target });
  expect(events().at(-1)).toMatchObject({ pass_thread_control: { new_owner_app_id: Number(BUSINESS_SUITE) } });
  expect(chat.owner).toBe(BUSINESS_SUITE);
});

it("a policy warning, an unanswered webhook and the console's test event come as Meta sends them", async () => {
  const { emulator, chat, events, bodies, call, state, clock } = await page();
  await call("POST", "/control/policy", { body: { account: PAGE.id, action: "warning", reason: "Spam" } });
  expect(events()).toMatchObject([
    { recipient: { id: PAGE.id }, policy_enforcement: { action: "warning", reason: "Spam" } },
  ]);
  state.status = 503;
  await emulator.customers.says(chat, { text: "again" });
  expect(emulator.core.courier.waiting()).toBe(1);
  state.status = 200;
  clock.jump(5_000);
  await expect.poll(() => events().length).toBe(2);
  await call("POST", `/control/apps/${APP.id}/test`, {});
  expect(bodies.at(-1)?.entry).toMatchObject([
    { id: "0", messaging: [{ timestamp: expect.stringMatching(/^\d{10}$/) }] },
  ]);
});

it("a batch can hold an entry of a page that nobody serves", async () => {
  const { emulator, person, bodies, call, chat } = await page();
  const { customers, core, platform } = emulator;
  await call("PATCH", `/control/accounts/${FOREIGN_PAGE.id}`, { body: { subscribed: { [APP.id]: ["messages"] } } });
  const foreign = platform.world.accounts.find(({ id }) => id === FOREIGN_PAGE.id);
  if (!foreign) throw new Error("There is a foreign page");
  core.switches.set({ batchMs: 60_000 });
  void customers.says(customers.chat(foreign, person), { text: "for somebody else" });
  void customers.says(chat, { text: "for us" });
  await core.courier.flush();
  expect(bodies.map(({ entry }) => entry.map(({ id }) => id))).toEqual([[FOREIGN_PAGE.id, PAGE.id]]);
});

it("another vendor's app gets a page's events at its own address, signed with its own secret", async () => {
  const seen: string[] = [];
  const { emulator, chat, call } = await page();
  const { core } = emulator;
  core.journal.observe(({ kind, path, status }) => void (kind === "webhook" && seen.push(`${path} ${status}`)));
  const other = core.apps.find(OTHER_APP.id);
  if (!other) throw new Error("There is another app");
  other.webhook = { url: "http://module.test/other", verifyToken: VERIFY };
  await call("PATCH", `/control/accounts/${PAGE.id}`, {
    body: { subscribed: { [APP.id]: ["messages"], [OTHER_APP.id]: ["messages"] } },
  });
  await emulator.customers.says(chat, { text: "Hi" });
  // The module checks with the first app's secret alone.
  expect(seen.sort()).toEqual(["/hook 200", "/other 401"]);
});

it("people who quote themselves, and both forms of digits, are told as Messenger does", async () => {
  const { emulator, chat, events } = await page();
  const { customers, core } = emulator;
  const said = await customers.says(chat, { text: "Hi" });
  core.switches.set({ digits: "text" });
  await customers.says(chat, { text: "I mean", replyTo: { mid: said.mid } });
  expect(events()[1]).toMatchObject({
    timestamp: expect.stringMatching(/^\d{13}$/),
    message: { reply_to: { mid: said.mid, is_self_reply: true } },
  });
});
