import { describe, expect, it } from "vitest";
import { contractJudge } from "../../../meta/test/emulator/contract.ts";
import { customerDoes, PICTURE } from "../../../meta/test/emulator/messaging/everything.ts";
import { ACCOUNT, APP, TOKEN } from "../../emulator/emulator.ts";
import { account } from "./account.ts";

const judge = contractJudge("instagram");
type Stage = Awaited<ReturnType<typeof account>>;

async function onlyHere({ emulator: { customers }, chat, account: owner, person }: Stage): Promise<void> {
  for (const type of ["share", "ig_post", "story_mention"])
    await customers.says(chat, { attachments: [{ type, payload: { url: PICTURE } }] });
  await customers.says(chat, { attachments: [{ type: "ephemeral" }] });
  await customers.says(chat, { more: { is_unsupported: true } });
  await customers.comments(owner, person, "Price?");
}

async function accountSends({ send, call, chat, emulator }: Stage): Promise<void> {
  const [said] = chat.messages;
  const postback = { type: "postback", title: "Buy", payload: "BUY" };
  const link = { type: "web_url", title: "Open", url: "https://shop.example/1" };
  const template = (payload: object) => ({ attachment: { type: "template", payload } });
  const replies = [{ content_type: "text", title: "Yes", payload: "YES" }];
  await send({ text: "Hi", quick_replies: replies }, { reply_to: { mid: said?.mid } });
  await send({ attachment: { type: "image", payload: { url: PICTURE } } });
  await send(template({ template_type: "generic", elements: [{ title: "Shoes", buttons: [postback, link] }] }));
  await send(template({ template_type: "button", text: "Buy?", buttons: [postback] }));
  await send({ text: "late" }, { messaging_type: "MESSAGE_TAG", tag: "HUMAN_AGENT" });
  await send({ text: "ñ".repeat(501) });
  const [comment] = emulator.platform.world.comments.values();
  await send({ text: "In private" }, { recipient: { comment_id: comment?.id } });
  const act = (sender_action: string, payload?: object) =>
    call("POST", "/v23.0/me/messages", {
      token: TOKEN,
      body: { recipient: { id: chat.scopedId }, sender_action, ...(payload && { payload }) },
    });
  await act("typing_on");
  await act("mark_seen");
  await act("react", { message_id: said?.mid, reaction: "love" });
  await act("unreact", { message_id: said?.mid });
  const upload = { message: { attachment: { type: "image", payload: { url: PICTURE } } } };
  await call("POST", "/v23.0/me/message_attachments", { token: TOKEN, body: upload });
}

async function appAsks({ call, chat, emulator, clock }: Stage): Promise<void> {
  const get = (path: string) => call("GET", path, { token: TOKEN });
  await get("/v23.0/me?fields=user_id,username,name,profile_picture_url,account_type");
  await get(`/v23.0/${chat.scopedId}?fields=name,username,profile_pic,follower_count`);
  await get(`/v23.0/${ACCOUNT.id}/subscribed_apps`);
  await get(`/v23.0/${ACCOUNT.id}/conversations?platform=instagram`);
  await get("/v23.0/1?fields=name");
  const { core } = emulator;
  const { apps, tokens } = core;
  const bought = tokens.add({ app: APP.id, type: "USER", rights: ["instagram_business_basic"], nodes: [ACCOUNT.id] });
  for (const loginAnswer of ["flat", "data"]) {
    core.switches.set({ loginAnswer });
    const { value } = tokens.add({
      ...bought,
      value: `${bought.value}${loginAnswer}`,
      expiresAt: clock.now() + 3_600_000,
    });
    const code = apps.newCode({ app: APP.id, redirectUri: "http://localhost/back", token: value });
    const form = { client_id: APP.id, client_secret: APP.secret, grant_type: "authorization_code", code };
    const body = new URLSearchParams({ ...form, redirect_uri: "http://localhost/back" });
    const { data, access_token } = (await call("POST", "/oauth/access_token", { body })).body;
    const short = access_token ?? data[0].access_token;
    await get(`/access_token?grant_type=ig_exchange_token&client_secret=${APP.secret}&access_token=${short}`);
  }
  clock.jump(86_400_000);
  await get(`/refresh_access_token?grant_type=ig_refresh_token&access_token=${TOKEN}`);
  await get("/refresh_access_token?grant_type=ig_refresh_token&access_token=IGforged");
  await call("DELETE", `/v23.0/${ACCOUNT.id}/subscribed_apps`, { token: TOKEN });
}

describe.skipIf(!judge)("beside the published contract", () => {
  it.each(["number", "text"] as const)("all of Instagram's traffic fits it, with digits as %s", async (digits) => {
    const stage = await account();
    const { emulator } = stage;
    emulator.core.switches.set({ digits });
    await customerDoes(stage);
    await onlyHere(stage);
    await accountSends(stage);
    await emulator.customers.opens(stage.chat);
    await stage.call("POST", `/control/apps/${APP.id}/test`, {});
    await appAsks(stage);
    const entries = emulator.core.journal.entries();
    expect(entries.flatMap((entry) => judge?.(entry) ?? [])).toEqual([]);
    expect(entries.filter(({ kind }) => kind === "webhook").length).toBeGreaterThan(25);
    expect(new Set(entries.map(({ operation }) => operation)).size).toBeGreaterThan(10);
  });
});
