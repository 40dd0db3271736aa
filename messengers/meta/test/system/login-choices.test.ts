import facebook from "gangway-facebook";
import { PAGE, createEmulator as pages, RIGHTS, SECOND_PAGE } from "gangway-facebook/emulator/emulator";
import instagram from "gangway-instagram";
import { ACCOUNT, createEmulator as accounts, APP as INSTAGRAM_APP } from "gangway-instagram/emulator/emulator";
import { hasApp } from "gangway-messenger/apps";
import { systemClock } from "gangway-messenger/clock";
import { callFrom } from "gangway-messenger/kit/call";
import type { ChannelAdapter } from "gangway-messenger/port";
import whatsapp from "gangway-whatsapp";
import { expect, it } from "vitest";
import { DEMO_APP } from "../../emulator/demo-app.ts";
import { granted } from "../../emulator/oauth.ts";

const redirectUrl = "https://gangway.example/account/login/back";
const OPTIONS = {
  origin: () => "https://network.example",
  clock: { now: systemClock.now, after: () => () => {} },
  deliver: async () => new Response(null, { status: 503 }),
};
const appOf = (adapter: ChannelAdapter) => {
  if (!hasApp(adapter)) throw new Error("it has no app");
  return adapter.app;
};
const serverOf = (adapter: ChannelAdapter, env: object) => adapter.serverSettings?.parse(env) as object;
const fresh = () => new AbortController().signal;

it("a login at Facebook offers each page that the person has shared, with the page's own lasting token", async () => {
  const { core, site } = pages(OPTIONS);
  const env = { META_APP_ID: DEMO_APP.id, META_APP_SECRET: DEMO_APP.secret, META_VERIFY_TOKEN: "verify-me" };
  const server = serverOf(facebook, env);
  const { login, isSetUp } = appOf(facebook);
  expect([isSetUp(server), isSetUp(serverOf(facebook, {}))]).toEqual([true, false]);
  expect([login.title, appOf(whatsapp).login.title]).toEqual(["Facebook", "Facebook"]);
  const address = new URL(login.authorizeUrl({ redirectUrl, state: "s1" }, server));
  expect(address.origin + address.pathname).toBe("https://www.facebook.com/v26.0/dialog/oauth");
  expect(address.searchParams.get("scope")).toBe("pages_messaging,pages_manage_metadata,pages_show_list");
  const app = core.apps.find(DEMO_APP.id);
  if (!app) throw new Error("there is no app");
  const grant = { redirectUri: redirectUrl, rights: RIGHTS, nodes: [PAGE.id, SECOND_PAGE.id], user: "102" };
  const code = granted(core, app, grant);
  const from = { query: { code }, redirectUrl, server, call: callFrom(site), clock: systemClock };
  const choices = await login.choices(from, fresh());
  expect(choices.map(({ login, name }) => [login, name])).toEqual([
    [`facebook:${PAGE.id}`, PAGE.name],
    [`facebook:${SECOND_PAGE.id}`, SECOND_PAGE.name],
  ]);
  for (const { settings } of choices) {
    expect(facebook.settings.safeParse(settings).success).toBe(true);
    expect(core.tokens.find(String(settings.token))?.expiresAt).toBeUndefined();
  }
  await expect(login.choices(from, fresh())).rejects.toMatchObject({ verdict: { type: "reject" } });
});

it.each(["flat", "data"])("a login at Instagram gives the account a token of 60 days (answer: %s)", async (shape) => {
  const { core, site } = accounts(OPTIONS);
  core.switches.set({ loginAnswer: shape });
  const env = { INSTAGRAM_APP_ID: INSTAGRAM_APP.id, INSTAGRAM_APP_SECRET: INSTAGRAM_APP.secret };
  const server = serverOf(instagram, { ...env, META_VERIFY_TOKEN: "verify-me" });
  const { login } = appOf(instagram);
  const address = new URL(login.authorizeUrl({ redirectUrl, state: "s1" }, server));
  expect(address.origin + address.pathname).toBe("https://www.instagram.com/oauth/authorize");
  const rights = ["instagram_business_basic", "instagram_business_manage_messages"];
  const app = core.apps.find(INSTAGRAM_APP.id);
  if (!app) throw new Error("there is no app");
  const code = granted(core, app, { redirectUri: redirectUrl, rights, nodes: [ACCOUNT.id], user: "26" });
  const query = { code: `${code}#_` };
  const [choice] = await login.choices(
    { query, redirectUrl, server, call: callFrom(site), clock: systemClock },
    fresh(),
  );
  expect(choice).toMatchObject({ login: `instagram:${ACCOUNT.id}`, name: `@${ACCOUNT.username}` });
  const token = core.tokens.find(String(choice?.settings.token));
  expect(((token?.expiresAt ?? 0) - systemClock.now()) / 86_400_000).toBeCloseTo(60, 1);
  expect(instagram.settings.parse(choice?.settings)).toMatchObject({ issued: expect.stringMatching(/^\S+ \d+$/) });
});
