import { paintPng } from "gangway-messenger/kit/emulator/picture";
import { DEMO_APP } from "gangway-meta/emulator/demo-app";
import { expect, it } from "vitest";
import { connected, HOOK, VERIFY } from "../../../meta/test/emulator/messaging/module.ts";
import { createEmulator, PAGE } from "../../emulator/emulator.ts";
import { page } from "./pages.ts";

async function phone() {
  const module = await page();
  const { call, chat } = module;
  const at = `?account=${PAGE.id}&person=1`;
  return {
    ...module,
    at,
    shown: async () => String((await call("GET", `/phone/messages${at}`)).body),
    does: (fields: Record<string, string | File>) => {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      return call("POST", `/phone${at}`, { body: form });
    },
    last: () => chat.messages.at(-1)?.mid ?? "",
  };
}

it("the page writes, sends pictures, quotes, changes, takes back, reacts and reads", async () => {
  const { does, shown, last, send, events, call, at } = await phone();
  expect((await does({ text: "Is it <b>red</b>?" })).status).toBe(303);
  const first = last();
  expect(await shown()).toContain("Is it &lt;b&gt;red&lt;/b&gt;?");
  await does({ file: new File([Uint8Array.from(paintPng(2, 2, [1, 2, 3]))], "a.png", { type: "image/png" }) });
  const picture = last();
  await does({ text: "This one", reply: picture });
  expect((await call("GET", `/phone${at}&edit=${first}`)).body).toContain("Change");
  await does({ do: "edit", mid: first, text: "Is it blue?" });
  await does({ do: "unsend", mid: picture });
  await send({ text: "It is" });
  await does({ do: "react", mid: last() });
  await does({ do: "unreact", mid: last() });
  await does({ do: "read" });
  await does({ do: "story" });
  const parts = events().map(
    ({ message, message_edit, reaction, read, delivery }) => message ?? message_edit ?? reaction ?? read ?? delivery,
  );
  expect(parts).toMatchObject([
    { text: "Is it <b>red</b>?" },
    { attachments: [{ type: "image" }] },
    { text: "This one", reply_to: { mid: picture } },
    { text: "Is it blue?", num_edit: 1 },
    { mid: picture, is_deleted: true },
    { is_echo: true },
    { mids: [expect.any(String)] },
    { action: "react" },
    { action: "unreact" },
    { watermark: expect.any(Number) },
    { reply_to: { story: { url: expect.any(String) } } },
  ]);
  expect(await shown()).toContain("You unsent a message");
});

it("quick replies and buttons of a message can be pressed on the page", async () => {
  const { does, shown, send, events, call } = await phone();
  await does({ text: "Hi" });
  await send({ text: "Which?", quick_replies: [{ content_type: "text", title: "Red & blue", payload: "R&B" }] });
  const button = { type: "postback", title: "Buy", payload: "BUY" };
  await send({
    attachment: { type: "template", payload: { template_type: "button", text: "Buy?", buttons: [button] } },
  });
  const actions = [...(await shown()).matchAll(/formaction="([^"]+)"/g)].map(([, action = ""]) =>
    action.replaceAll("&amp;", "&"),
  );
  expect(actions).toHaveLength(2);
  for (const action of actions) await call("POST", action.replace("..", ""), { body: new FormData() });
  const pressed = events().filter(({ message, postback }) => postback || message?.quick_reply);
  expect(pressed).toMatchObject([
    { message: { text: "Red & blue", quick_reply: { payload: "R&B" } } },
    { postback: { title: "Buy", payload: "BUY" } },
  ]);
});

it("a person who has blocked the page cannot write until it is unblocked", async () => {
  const { does } = await phone();
  await does({ do: "block" });
  expect(await does({ text: "x" })).toMatchObject({ status: 400, body: "The person has blocked this account" });
  await does({ do: "block" });
  expect((await does({ text: "x" })).status).toBe(303);
});

it("the same acts are JSON calls", async () => {
  const { call, events, chat } = await phone();
  const path = `/phone/api/chats/${PAGE.id}/1`;
  const bytes = Buffer.from("%PDF-1.7").toString("base64");
  const file = { type: "file", name: "bill.pdf", mediaType: "application/pdf", bytes };
  const { mid } = (await call("POST", `${path}/messages`, { body: { text: "Hi", files: [file] } })).body;
  await call("PATCH", `${path}/messages/${mid}`, { body: { text: "Hello" } });
  await call("PUT", `${path}/messages/${mid}/reaction`, { body: { reaction: "love", emoji: "❤" } });
  await call("DELETE", `${path}/messages/${mid}/reaction`);
  await call("POST", `${path}/postback`, { body: { payload: "START" } });
  await call("POST", `${path}/referral`, { body: { ref: "spring", source: "SHORTLINK", type: "OPEN_THREAD" } });
  await call("DELETE", `${path}/messages/${mid}`);
  expect(events()).toHaveLength(7);
  const view = (await call("GET", path)).body;
  expect(view).toMatchObject({ scopedId: chat.scopedId, messages: [{ mid, isDeleted: true, text: "Hello" }] });
  expect((await call("POST", `${path}/messages`, { body: { words: "x" } })).body.error).toContain("words");
});

it("the console confirms an address before it keeps it", async () => {
  const { call, emulator } = connected(createEmulator, () => DEMO_APP.secret);
  const save = async (token: string) => {
    const form = new FormData();
    for (const [name, value] of Object.entries({
      app: DEMO_APP.id,
      url: HOOK,
      token,
      redirects: "http://a.test/ http://b.test/",
    }))
      form.set(name, value);
    const { headers } = await call("POST", "/console", { body: form });
    return (await call("GET", headers.get("location") ?? "")).body;
  };
  expect(await save("wrong")).toContain("(#2200) Callback verification failed");
  expect(emulator.core.apps.find(DEMO_APP.id)?.webhook).toBeUndefined();
  expect(await save(VERIFY)).toContain("Verified and saved");
  expect(emulator.core.apps.find(DEMO_APP.id)).toMatchObject({
    webhook: { url: HOOK },
    redirects: new Set(["http://a.test/", "http://b.test/"]),
  });
});
