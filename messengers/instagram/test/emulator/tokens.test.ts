import { expect, it } from "vitest";
import { connected } from "../../../meta/test/emulator/messaging/module.ts";
import { ACCOUNT, APP, createEmulator, SECOND_ACCOUNT } from "../../emulator/emulator.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const REDIRECT = "http://localhost:7000/back";
const SCOPES = "instagram_business_basic,instagram_business_manage_messages";
const dialog = `/oauth/authorize?client_id=${APP.id}&redirect_uri=${encodeURIComponent(REDIRECT)}&response_type=code&scope=${SCOPES}&state=s1`;

function login() {
  const module = connected(createEmulator, () => APP.secret);
  const { call } = module;
  const back = async (form: Record<string, string>) => {
    const { headers } = await call("POST", dialog, { body: new URLSearchParams(form) });
    return new URL(headers.get("location") ?? "").searchParams;
  };
  const redeem = (code: string, secret = APP.secret) =>
    call("POST", "/oauth/access_token", {
      body: new URLSearchParams({
        client_id: APP.id,
        client_secret: secret,
        grant_type: "authorization_code",
        redirect_uri: REDIRECT,
        code,
      }),
    });
  const exchange = (token: string) =>
    call("GET", `/access_token?grant_type=ig_exchange_token&client_secret=${APP.secret}&access_token=${token}`);
  const refresh = (token: string) =>
    call("GET", `/refresh_access_token?grant_type=ig_refresh_token&access_token=${token}`);
  return { ...module, back, redeem, exchange, refresh };
}

it("a login returns with its state and a code, good once for a token of an hour", async () => {
  const { call, back, redeem, clock } = login();
  expect((await call("GET", dialog)).body).toContain(SECOND_ACCOUNT.name);
  const query = await back({ choice: ACCOUNT.id });
  expect(query.get("state")).toBe("s1");
  const code = query.get("code") ?? "";
  expect((await redeem(code, "wrong")).status).toBe(400);
  const { body } = await redeem(code);
  expect(body).toMatchObject({ access_token: expect.stringMatching(/^IGAA/), user_id: ACCOUNT.id });
  expect((await redeem(code)).body.error).toMatchObject({ code: 100, error_subcode: 36009 });
  const me = () => call("GET", "/v23.0/me?fields=user_id", { token: body.access_token });
  expect((await me()).body.user_id).toBe(ACCOUNT.id);
  clock.jump(HOUR_MS);
  expect((await me()).body.error).toMatchObject({ code: 190, error_subcode: 463 });
});

it("a person who cancels returns without a code, and an unknown redirect is not followed", async () => {
  const { call, back } = login();
  expect((await back({ cancel: "1" })).get("error")).toBe("access_denied");
  const foreign = dialog.replace(encodeURIComponent(REDIRECT), encodeURIComponent("https://evil.com/back"));
  expect((await call("POST", foreign, { body: new URLSearchParams({ choice: ACCOUNT.id }) })).status).toBe(400);
});

it("a short token buys 60 days; these are refreshed after a day, and never once they have ended", async () => {
  const { back, redeem, exchange, refresh, clock } = login();
  const short = (await redeem((await back({ choice: ACCOUNT.id })).get("code") ?? "")).body.access_token;
  expect((await refresh(short)).body.error.code).toBe(100);
  const long = (await exchange(short)).body;
  expect(long).toMatchObject({ token_type: "bearer", expires_in: 60 * 86_400 });
  expect((await exchange(long.access_token)).status).toBe(400);
  expect((await refresh(long.access_token)).body.error.code).toBe(100);
  clock.jump(DAY_MS);
  const fresh = (await refresh(long.access_token)).body;
  expect(fresh).toMatchObject({ expires_in: 60 * 86_400, permissions: SCOPES });
  clock.jump(59 * DAY_MS);
  expect((await refresh(long.access_token)).body.error).toMatchObject({ code: 190, error_subcode: 463 });
  expect((await refresh(fresh.access_token)).status).toBe(200);
});
