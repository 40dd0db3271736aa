import { ACCOUNT_ID, NUMBER_ID, RIGHTS } from "gangway-whatsapp/emulator/seed";
import { describe, expect, it } from "vitest";
import { opened } from "../../../whatsapp/test/emulator/stage.ts";
import { DEMO_APP } from "../../emulator/demo-app.ts";

const BACK = "http://127.0.0.1:3000/back";
const query = (more: object = {}) =>
  new URLSearchParams({ client_id: DEMO_APP.id, redirect_uri: BACK, state: "s1", scope: RIGHTS.join(","), ...more });

async function loggedIn(form: Record<string, string> = { choice: ACCOUNT_ID }, more: object = {}) {
  const stage = await opened();
  const path = `/v23.0/dialog/oauth?${query(more)}`;
  const answer = await stage.emulator.site.request(path, { method: "POST", body: new URLSearchParams(form) });
  const back = answer.headers.get("location");
  const exchange = (code: string, secret = DEMO_APP.secret) =>
    stage.ask(
      "GET",
      `oauth/access_token?${new URLSearchParams({ client_id: DEMO_APP.id, client_secret: secret, redirect_uri: BACK, code })}`,
      undefined,
      null,
    );
  return { ...stage, answer, back: back ? new URL(back) : undefined, exchange };
}

describe("Facebook's login", () => {
  it("asks what the app may use, and comes back with a code that buys a token once", async () => {
    const { ask, back, exchange, emulator } = await loggedIn();
    const page = await (await emulator.site.request(`/v23.0/dialog/oauth?${query()}`)).text();
    expect(page).toContain("Quay app wants access");
    expect(back?.searchParams.get("state")).toBe("s1");
    const code = back?.searchParams.get("code") ?? "";
    expect((await exchange(code, "wrong")).status).toBe(400);
    const { body } = await exchange(code);
    expect(body.token_type).toBe("bearer");
    expect(body.expires_in / 3_600).toBeCloseTo(2);
    expect(await exchange(code)).toMatchObject({ status: 400, body: { error: { code: 100 } } });
    expect((await ask("GET", NUMBER_ID, undefined, body.access_token)).status).toBe(200);
    const debugged = await ask("GET", `debug_token?input_token=${body.access_token}`, undefined, body.access_token);
    expect(debugged.body.data).toMatchObject({ app_id: DEMO_APP.id, is_valid: true, scopes: RIGHTS });
    expect(debugged.body.data.granular_scopes).toContainEqual({
      scope: "whatsapp_business_management",
      target_ids: [ACCOUNT_ID],
    });
    const longer = new URLSearchParams({
      grant_type: "fb_exchange_token",
      client_id: DEMO_APP.id,
      client_secret: DEMO_APP.secret,
      fb_exchange_token: body.access_token,
    });
    const { expires_in } = (await ask("GET", `oauth/access_token?${longer}`, undefined, null)).body;
    expect(expires_in / 86_400).toBeCloseTo(60);
  });

  it("gives no permission that the person has refused", async () => {
    const { ask, back, exchange } = await loggedIn({ choice: ACCOUNT_ID, without: "whatsapp_business_messaging" });
    const { body } = await exchange(back?.searchParams.get("code") ?? "");
    const refused = await ask("POST", `${NUMBER_ID}/messages`, { messaging_product: "whatsapp" }, body.access_token);
    expect(refused).toMatchObject({ status: 403, body: { error: { code: 200 } } });
  });

  it("comes back with Meta's words when the person says no, and nowhere else than the app allows", async () => {
    const { back } = await loggedIn({ cancel: "1" });
    expect(Object.fromEntries(back?.searchParams ?? [])).toMatchObject({ error: "access_denied", error_code: "200" });
    const { answer } = await loggedIn({}, { redirect_uri: "https://evil.invalid/" });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("URL Blocked");
  });
});

describe("the app's own calls", () => {
  it("set its webhook by the API after a handshake", async () => {
    const { ask, emulator, arrived } = await opened({ subscribed: false });
    await ask("POST", `${ACCOUNT_ID}/subscribed_apps`);
    const subscription = {
      object: "whatsapp_business_account",
      callback_url: "http://module.example/app",
      fields: "messages",
      verify_token: "quay-verify",
    };
    const token = `${DEMO_APP.id}|${DEMO_APP.secret}`;
    const path = `${DEMO_APP.id}/subscriptions`;
    expect((await ask("POST", path, { ...subscription, verify_token: "other" }, token)).body.error.code).toBe(2200);
    expect((await ask("POST", path, subscription, token)).body).toEqual({ success: true });
    await emulator.says("hello");
    expect(arrived).toHaveLength(1);
    expect((await ask("GET", path, undefined, token)).body.data).toMatchObject([{ active: true }]);
  });
});
