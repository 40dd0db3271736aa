import { createHmac } from "node:crypto";
import { DEMO_APP } from "gangway-meta/emulator/demo-app";
import { signedRequest } from "gangway-meta/emulator/signature";
import { expect, it } from "vitest";
import { connected } from "../../../meta/test/emulator/messaging/module.ts";
import { createEmulator, FOREIGN_PAGE, PAGE, SECOND_PAGE, TOKEN } from "../../emulator/emulator.ts";
import { page } from "./pages.ts";

const REDIRECT = "http://localhost:7000/back";
const SCOPES = "pages_messaging,pages_manage_metadata,pages_show_list";
const dialog = `/v23.0/dialog/oauth?client_id=${DEMO_APP.id}&redirect_uri=${encodeURIComponent(REDIRECT)}&response_type=code&scope=${SCOPES}&state=s1`;
const SECRETS = `client_id=${DEMO_APP.id}&client_secret=${DEMO_APP.secret}`;

function login(now?: () => number) {
  const module = connected(createEmulator, () => DEMO_APP.secret, now);
  const { call } = module;
  const back = async (form: URLSearchParams) => {
    const { headers } = await call("POST", dialog, { body: form });
    return new URL(headers.get("location") ?? "").searchParams;
  };
  const token = async (form: URLSearchParams) => {
    const code = (await back(form)).get("code");
    const query = `${SECRETS}&redirect_uri=${encodeURIComponent(REDIRECT)}&code=${code}`;
    return (await call("GET", `/v23.0/oauth/access_token?${query}`)).body.access_token as string;
  };
  const pages = async (of: string) => (await call("GET", "/v23.0/me/accounts", { token: of })).body;
  return { ...module, back, token, pages };
}
const both = () =>
  new URLSearchParams([
    ["choice", PAGE.id],
    ["choice", SECOND_PAGE.id],
  ]);

it("the login shows the person's own pages and returns the state; the code buys the chosen ones' tokens", async () => {
  const { call, token, pages, back } = login();
  const shown = (await call("GET", dialog)).body;
  expect(shown).toContain(SECOND_PAGE.name);
  expect(shown).not.toContain(FOREIGN_PAGE.name);
  expect((await back(both())).get("state")).toBe("s1");
  const user = await token(both());
  expect((await call("GET", "/v23.0/me?fields=id,username", { token: user })).body.error.code).toBe(100);
  const { data } = await pages(user);
  expect(data).toMatchObject([{ id: PAGE.id, tasks: ["MESSAGING", "MODERATE"] }, { id: SECOND_PAGE.id }]);
  const own = await call("GET", `/v23.0/${SECOND_PAGE.id}?fields=name`, { token: data[1].access_token });
  expect(own.body).toEqual({ id: SECOND_PAGE.id, name: SECOND_PAGE.name });
  expect((await call("GET", `/v23.0/${PAGE.id}?fields=name`, { token: data[1].access_token })).status).toBe(400);
});

it("a page's token ends with a short login, and never with a long one", async () => {
  const { call, token, pages, clock } = login(() => Date.UTC(2026, 0, 1));
  const user = await token(both());
  const short = (await pages(user)).data[0].access_token;
  const query = `grant_type=fb_exchange_token&${SECRETS}&fb_exchange_token=${user}`;
  const long = (await call("GET", `/v23.0/oauth/access_token?${query}`)).body;
  expect(long.expires_in).toBe(60 * 86_400);
  const lasting = (await pages(long.access_token)).data[0].access_token;
  clock.jump(61 * 86_400_000);
  const me = (of: string) => call("GET", "/v23.0/me?fields=id", { token: of });
  expect((await me(short)).body.error).toMatchObject({ code: 190, error_subcode: 463 });
  expect((await me(lasting)).body).toEqual({ id: PAGE.id });
});

it("who cancels has no code, and who refuses a permission has a token without it", async () => {
  const { back, token, pages } = login();
  expect((await back(new URLSearchParams({ cancel: "1" }))).get("error_reason")).toBe("user_denied");
  const form = both();
  form.append("without", "pages_show_list");
  expect((await pages(await token(form))).error).toMatchObject({ code: 200 });
});

it("the dialog passes WhatsApp's permissions on to WhatsApp's own", async () => {
  const { call } = login();
  const { headers } = await call("GET", dialog.replace(SCOPES, "whatsapp_business_messaging"));
  expect(headers.get("location")).toContain("whatsapp/v26.0/dialog/oauth?");
});

it("deauthorising and data deletion come as signed requests", async () => {
  const { call, files } = login();
  const answer = new Response(JSON.stringify({ url: "http://module.test/d", confirmation_code: "1" }));
  files.set("http://module.test/erase", answer);
  await call("PATCH", `/control/apps/${DEMO_APP.id}`, { body: { deletionUrl: "http://module.test/erase" } });
  const { body } = await call("POST", `/control/apps/${DEMO_APP.id}/erase`, { body: { user: "42" } });
  expect(body).toMatchObject({ status: 200, answer: expect.stringContaining("confirmation_code") });
  const [mac, payload = ""] = signedRequest("secret", { user_id: "42" }).split(".");
  expect(mac).toBe(createHmac("sha256", "secret").update(payload).digest("base64url"));
});

it("debugging a token tells its app, rights and end", async () => {
  const { call } = login();
  const { data } = (await call("GET", `/v23.0/debug_token?input_token=${TOKEN}`, { token: TOKEN })).body;
  expect(data).toMatchObject({ app_id: DEMO_APP.id, is_valid: true, expires_at: 0 });
  expect(data.scopes).toContain("pages_messaging");
});

it("a customer's profile has a picture whose address ends, and none for who has gone", async () => {
  const { emulator, chat, call, clock, person } = await page();
  await emulator.customers.says(chat, { text: "Hi" });
  const profile = () =>
    call("GET", `/v23.0/${chat.scopedId}?fields=first_name,last_name,profile_pic`, { token: TOKEN });
  const { body } = await profile();
  expect(body).toMatchObject({ id: chat.scopedId, first_name: "Ada", last_name: "Reyes" });
  const path = body.profile_pic.replace("http://sandbox.test", "");
  expect((await call("GET", path)).headers.get("content-type")).toBe("image/png");
  clock.jump(86_400_000);
  expect((await call("GET", path)).status).toBe(404);
  expect((await profile()).body.profile_pic).not.toBe(body.profile_pic);
  person.isGone = true;
  expect((await profile()).body.error).toMatchObject({ code: 100, error_subcode: 2018218 });
});

it("a page's conversations are listed, two calls a second", async () => {
  const { emulator, chat, call } = await page();
  await emulator.customers.says(chat, { text: "Hi" });
  const path = `/v23.0/${PAGE.id}/conversations?platform=messenger&fields=messages{message,from}`;
  const { data } = (await call("GET", path, { token: TOKEN })).body;
  expect(data).toMatchObject([
    { id: chat.thread, messages: { data: [{ message: "Hi", from: { id: chat.scopedId } }] } },
  ]);
  await call("GET", path, { token: TOKEN });
  expect((await call("GET", path, { token: TOKEN })).body.error.code).toBe(613);
});
