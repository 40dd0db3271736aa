import { paintPng } from "gangway-messenger/kit/emulator/picture";
import { expect, it } from "vitest";
import { connected } from "./stage.ts";

async function phone() {
  const all = await connected();
  const { call, dialog } = all;
  const at = `?bot=${dialog.bot.id}&person=${dialog.person.n}`;
  return {
    ...all,
    at,
    shown: async () => (await call("GET", `/phone/messages${at}`)).text,
    does: (fields: Record<string, string | File>, more = "") => {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      return call("POST", `/phone${at}${more}`, form);
    },
    last: () => dialog.messages.at(-1)?.mid ?? "",
  };
}

it("the page starts, writes, sends pictures, quotes, changes, deletes, and stops", async () => {
  const { does, shown, last, bodies, call, at } = await phone();
  expect((await call("GET", `/phone${at}`)).text).toContain(">Start</button>");
  await does({ do: "start", text: "spring" });
  expect((await does({ text: "Is it <b>red</b>?" })).status).toBe(303);
  const first = last();
  expect(await shown()).toContain("Is it &lt;b&gt;red&lt;/b&gt;?");
  await does({ file: new File([Uint8Array.from(paintPng(2, 2, [1, 2, 3]))], "a.png", { type: "image/png" }) });
  const picture = last();
  await does({ text: "This one", reply: picture });
  expect((await call("GET", `/phone${at}&edit=${first}`)).text).toContain("Change");
  await does({ do: "edit", mid: first, text: "Is it blue?" });
  await does({ do: "delete", mid: picture });
  await does({ do: "location" });
  await does({ do: "contact" });
  await does({ do: "stop" });
  expect(bodies).toMatchObject([
    { update_type: "bot_started", payload: "spring", user_locale: "ru" },
    { update_type: "message_created", message: { body: { text: "Is it <b>red</b>?" } } },
    { message: { body: { attachments: [{ type: "image" }] } } },
    { message: { link: { type: "reply", message: { mid: picture } } } },
    { update_type: "message_edited", message: { body: { text: "Is it blue?" } } },
    { update_type: "message_removed", message_id: picture },
    { message: { body: { attachments: [{ type: "location" }] } } },
    { message: { body: { attachments: [{ type: "contact" }] } } },
    { update_type: "bot_stopped" },
  ]);
  expect(await shown()).toContain("You deleted a message");
  expect((await does({ text: "x" })).status).toBe(400);
  expect((await does({})).status).toBe(400);
});

it("buttons of a message can be pressed: words, a callback, the number, a link", async () => {
  const { does, shown, send, bodies, call } = await phone();
  await does({ do: "start" });
  const buttons = [
    [{ type: "message", text: "Red & blue" }],
    [{ type: "callback", text: "Buy", payload: "B&Y" }],
    [{ type: "request_contact", text: "My number" }],
    [{ type: "request_geo_location", text: "Where I am" }],
    [{ type: "link", text: "Shop", url: "https://shop.example/" }],
  ];
  await send({ text: "Which?", attachments: [{ type: "inline_keyboard", payload: { buttons } }] });
  const actions = [...(await shown()).matchAll(/formaction="([^"]+)"/g)].map(([, action = ""]) =>
    action.replaceAll("&amp;", "&"),
  );
  expect(actions).toHaveLength(4);
  for (const action of actions) await call("POST", action.replace("..", ""), new FormData());
  expect(bodies.slice(1)).toMatchObject([
    { message: { body: { text: "Red & blue" } } },
    { update_type: "message_callback", callback: { payload: "B&Y" } },
    { message: { body: { attachments: [{ type: "contact" }] } } },
    { message: { body: { attachments: [{ type: "location" }] } } },
  ]);
  expect(await shown()).toContain("https://shop.example/");
});

it("the agent's formatting is shown, and that the shop has read the customer's message", async () => {
  const { does, shown, send, call, dialog, now } = await phone();
  await does({ text: "hi" });
  await send({ text: '<b>bold <a href="javascript:alert(1)">x</a></b> <code>y</code>', format: "html" });
  now.ms += 1;
  await call("POST", `/chats/${dialog.chatId}/actions`, { action: "mark_seen" });
  const page = await shown();
  expect(page).toContain("<b>bold </b>");
  expect(page).toContain("<code>y</code>");
  expect(page).not.toContain("javascript:");
  expect(page).toContain("✓✓");
});

it("tests and people set switches, faults and acts under /control", async () => {
  const { call, bodies, dialog } = await phone();
  expect((await call("PUT", "/control/settings", { notReady: 3 })).body).toMatchObject({ notReady: 3, paced: false });
  expect((await call("PUT", "/control/settings", { mood: 1 })).body.error).toContain("mood");
  expect((await call("POST", "/control/faults", { operation: "sing" })).body.error).toContain("Unknown operation");
  await call("POST", "/control/faults", { operation: "getMyInfo", status: 503 });
  expect((await call("GET", "/control/faults")).body.plans).toMatchObject([{ operation: "getMyInfo" }]);
  expect((await call("GET", "/me")).status).toBe(503);
  await call("POST", "/control/faults", { operation: "*", status: 500 });
  await call("DELETE", "/control/faults");
  expect((await call("GET", "/me")).status).toBe(200);
  await call("POST", "/control/start", { payload: "x" });
  await call("POST", "/control/stop", { person: 1 });
  expect(bodies.map(({ update_type }) => update_type)).toEqual(["bot_started", "bot_stopped"]);
  expect(dialog.status).toBe("suspended");
  await call("DELETE", "/control/subscriptions");
  expect((await call("GET", "/subscriptions")).body).toEqual({ subscriptions: [] });
  expect((await call("GET", "/control/calls")).body.total).toBeGreaterThan(3);
});
