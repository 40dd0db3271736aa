import { DEMO_APP } from "gangway-meta/emulator/demo-app";
import { describe, expect, it } from "vitest";
import { contractJudge } from "../../../meta/test/emulator/contract.ts";
import { customerDoes, PICTURE } from "../../../meta/test/emulator/messaging/everything.ts";
import { OTHER_APP, PAGE, TOKEN } from "../../emulator/emulator.ts";
import { page } from "./pages.ts";

const judge = contractJudge("messenger");
type Stage = Awaited<ReturnType<typeof page>>;

async function pageSends({ send, act, call, chat }: Stage): Promise<void> {
  const [said] = chat.messages;
  const postback = { type: "postback", title: "Buy", payload: "BUY" };
  const link = { type: "web_url", title: "Open", url: "https://shop.example/1" };
  const replies = [
    { content_type: "text", title: "Yes", payload: "YES", image_url: PICTURE },
    { content_type: "user_phone_number" },
    { content_type: "user_email" },
  ];
  const image = { type: "image", payload: { url: PICTURE } };
  const card = { title: "Shoes", subtitle: "€40", image_url: PICTURE, buttons: [postback, link] };
  const template = (payload: object) => ({ attachment: { type: "template", payload } });
  await send({ text: "Hi", metadata: "job-1", quick_replies: replies }, { reply_to: { mid: said?.mid } });
  const { body } = await send({ attachment: { ...image, payload: { url: PICTURE, is_reusable: true } } });
  await send({ attachment: { type: "image", payload: { attachment_id: body.attachment_id } } });
  await send({ attachments: [image, image] });
  await send(template({ template_type: "generic", elements: [card] }));
  await send(template({ template_type: "button", text: "Buy?", buttons: [postback, link] }));
  await send({ text: "late" }, { messaging_type: "MESSAGE_TAG", tag: "HUMAN_AGENT" });
  for (const action of ["typing_on", "typing_off", "mark_seen"]) await act(action);
  await act("react", { payload: { message_id: said?.mid, reaction: "love" } });
  await act("unreact", { payload: { message_id: said?.mid } });
  await send({ text: "x".repeat(2001) });
  await send({ text: "x" }, { recipient: { id: "1" } });
  const upload = { message: { attachment: { type: "image", payload: { url: PICTURE, is_reusable: true } } } };
  await call("POST", `/v23.0/${PAGE.id}/message_attachments`, { token: TOKEN, body: upload });
  const form = new FormData();
  form.set("message", JSON.stringify({ attachment: { type: "file", payload: {} } }));
  form.set("filedata", new File(["%PDF-1.7"], "bill.pdf", { type: "application/pdf" }));
  await call("POST", `/v23.0/${PAGE.id}/message_attachments`, { token: TOKEN, body: form });
}

async function appAsks({ call, chat, account, emulator }: Stage): Promise<void> {
  const get = (path: string, token = TOKEN) => call("GET", `/v23.0/${path}`, { token });
  await get(`${PAGE.id}?fields=id,name,picture{url}`);
  await get(`${chat.scopedId}?fields=first_name,last_name,name,profile_pic`);
  await get(`${PAGE.id}/subscribed_apps`);
  await get(`${PAGE.id}/conversations?platform=messenger&user_id=${chat.scopedId}`);
  const user = emulator.core.tokens.add({
    app: DEMO_APP.id,
    type: "USER",
    rights: ["pages_show_list"],
    nodes: [PAGE.id],
  });
  await get("me/accounts", user.value);
  await get("me", user.value);
  const secrets = `client_id=${DEMO_APP.id}&client_secret=${DEMO_APP.secret}`;
  await get(`oauth/access_token?grant_type=fb_exchange_token&${secrets}&fb_exchange_token=${user.value}`);
  await get("me/accounts", "EAAforged");
  const recipient = { id: chat.scopedId };
  const thread = (name: string, more = {}) =>
    call("POST", `/v23.0/${account.id}/${name}_thread_control`, { token: TOKEN, body: { recipient, ...more } });
  await thread("pass", { target_app_id: OTHER_APP.id, metadata: "x" });
  await thread("take");
  await thread("release");
  await call("DELETE", `/v23.0/${PAGE.id}/subscribed_apps`, { token: TOKEN });
}

async function metaDoes({ call }: Stage): Promise<void> {
  const at = { account: PAGE.id, person: 1 };
  await call("POST", "/control/policy", { body: { account: PAGE.id, action: "block", reason: "Spam" } });
  await call("POST", "/control/staff", { body: { ...at, text: "From the inbox" } });
  await call("POST", "/control/roles", { body: { ...at, roles: { [DEMO_APP.id]: ["primary_receiver"] } } });
  await call("POST", "/control/handover", { body: { ...at, action: "request", to: OTHER_APP.id } });
  await call("POST", "/control/handover", { body: { ...at, action: "take", to: OTHER_APP.id } });
  await call("POST", "/control/staff", { body: { ...at, text: "On standby" } });
  await call("PATCH", "/control/chats", { body: { ...at, owner: null } });
  await call("POST", `/control/apps/${DEMO_APP.id}/test`, {});
}

describe.skipIf(!judge)("beside the published contract", () => {
  it.each(["number", "text"] as const)("all of Messenger's traffic fits it, with digits as %s", async (digits) => {
    const stage = await page();
    const { emulator } = stage;
    emulator.core.switches.set({ digits });
    await customerDoes(stage);
    await pageSends(stage);
    await emulator.customers.opens(stage.chat);
    await metaDoes(stage);
    await appAsks(stage);
    const entries = emulator.core.journal.entries();
    expect(entries.flatMap((entry) => judge?.(entry) ?? [])).toEqual([]);
    expect(entries.filter(({ kind }) => kind === "webhook").length).toBeGreaterThan(30);
    expect(new Set(entries.map(({ operation }) => operation)).size).toBeGreaterThan(12);
  });
});
