import { describe, expect, it } from "vitest";
import { unmasked } from "../../../../src/http/visit/form-token.ts";
import { OTHER_CRM, THIRD_CRM } from "../../../support/crms.ts";
import { readRows } from "../../../support/engine.ts";
import { accountIn, CRM, OWN, runningSite } from "../../../support/site.ts";

type Site = Awaited<ReturnType<typeof runningSite>>;
/** Headers of a form from a CRM or another site: cross-site, so without Lax cookies. */
const CROSS = { origin: "https://elsewhere.example", "sec-fetch-site": "cross-site" };

/** A browser: its cookies, and its way from `/account` to the account's own page. A form from another site carries none. */
function browser({ app }: Site) {
  const send = (path: string, init: RequestInit) => app.fetch(new Request(OWN + path, { redirect: "manual", ...init }));
  const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    send(path, { method: "POST", body: new URLSearchParams(fields), headers: { origin: OWN, ...headers } });
  const jar = new Map<string, string>();
  const take = (response: Response) => {
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  };
  const cookie = () => [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
  const look = async (path = "/account"): Promise<Response> => {
    const answer = take(await send(path, { headers: { cookie: cookie() } }));
    const to = answer.headers.get("location");
    return to === null ? answer : look(to);
  };
  const page = async (path?: string) => (await look(path)).text();
  const formToken = async (path?: string) => tokenIn(await page(path));
  /** `at`: the page with the form. */
  const submit = async (path: string, fields: Record<string, string> = {}, at?: string) =>
    take(await post(path, { formToken: await formToken(at), ...fields }, { cookie: cookie() }));
  /** The CRM's module card: a cross-site form. */
  const comeIn = async (clientId: string) => take(await post("/account", { clientId }, CROSS));
  /** The visit's token, the same on each of its pages. */
  const visitToken = async (at?: string) => unmasked(await formToken(at));
  return { jar, cookie, post, look, page, formToken, visitToken, submit, comeIn };
}
const tokenIn = (page: string) => /name="formToken" value="([^"]+)"/.exec(page)?.[1] ?? "";

/** Two accounts, each of a CRM of its own, and their pages. */
async function twoAccounts() {
  const site = await runningSite();
  const connect = async (crmUrl: string) => {
    const answer = await site.submit("/", { crmUrl, apiKey: "sandbox-key" });
    const clientId = site.crmAt(crmUrl).world.modules.get("gangway")?.registration.clientId ?? "";
    return { clientId, page: `/account/${accountIn(answer.headers.get("set-cookie"))}` };
  };
  const [mine, theirs] = [await connect(CRM), await connect(OTHER_CRM)];
  return { site, mine, theirs, connect };
}
const isPageOf = (page: string, crmUrl: string) =>
  page.includes("<h1>Channels</h1>") && page.includes(`<strong>${crmUrl.replace("http://", "")}</strong>`);

describe("entering from the CRM's module card", () => {
  it("is one step when no account is open, with no secret in a URL", async () => {
    const { site, mine } = await twoAccounts();
    const person = browser(site);
    const answer = await person.comeIn(mine.clientId);
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/account"]);
    expect(isPageOf(await person.page(), CRM)).toBe(true);
    expect([...person.jar.keys()]).toEqual([`__Host-gangway-${mine.page.slice("/account/".length)}`]);
    for (const flag of ["HttpOnly", "Secure", "SameSite=Lax", "Path=/", "Max-Age=300"])
      expect(answer.headers.get("set-cookie")).toContain(flag);
  });

  it("continues the open visit of the same account", async () => {
    const { site, mine } = await twoAccounts();
    const person = browser(site);
    await person.comeIn(mine.clientId);
    const visitToken = await person.visitToken();
    await person.comeIn(mine.clientId);
    expect(isPageOf(await person.page(), CRM)).toBe(true);
    expect([await person.visitToken(), person.jar.size]).toEqual([visitToken, 1]);
  });
});

describe("another account's form, sent by any site", () => {
  async function trapped() {
    const stage = await twoAccounts();
    const person = browser(stage.site);
    await person.comeIn(stage.mine.clientId);
    const visitToken = await person.visitToken();
    await person.comeIn(stage.theirs.clientId);
    return { ...stage, person, visitToken };
  }
  const added = { kind: "webchat", name: "Mine", "setting.title": "t", "setting.accent": "#000000" };

  it("disturbs the open account in nothing: the page asks, and names both", async () => {
    const { person, mine, visitToken } = await trapped();
    const question = await person.page();
    expect(question).toContain("Which account?");
    for (const crmUrl of [CRM, OTHER_CRM]) expect(question).toContain(crmUrl.replace("http://", ""));
    expect(await person.visitToken(mine.page)).toBe(visitToken);
    const answer = await person.submit(`${mine.page}/channels`, added, mine.page);
    expect(answer.headers.get("location")).toMatch(/\?done=added$/);
    await person.submit("/account/stay");
    const page = await person.page();
    expect([isPageOf(page, CRM), page.includes(">Mine</a>")]).toEqual([true, true]);
  });

  it("leaves nothing behind when the user does not open it, however often it comes", async () => {
    const { site, person, theirs } = await trapped();
    const visits = async () => (await readRows(site.folder, ["web_session"])).web_session?.length;
    const before = await visits();
    const answer = await person.submit("/account/stay");
    expect(answer.headers.get("location")).toBe("/account");
    expect(await visits()).toBe((before ?? 0) - 1);
    for (let n = 0; n < 3; n++) await person.comeIn(theirs.clientId);
    expect(await person.page()).toContain("Which account?");
  });

  it.each(["/account/enter", "/account/stay"])("is not decided by a form that is not ours: %s", async (path) => {
    const { person } = await trapped();
    const cookie = person.cookie();
    const formToken = await person.formToken();
    for (const [fields, headers, status] of [
      [{ formToken: "guess" }, {}, 303],
      [{ formToken }, CROSS, 403],
      [{ formToken }, { origin: "null" }, 403],
      [{ formToken }, { "content-type": "text/plain" }, 415],
    ] as [Record<string, string>, Record<string, string>, number][])
      expect((await person.post(path, fields, { cookie, ...headers })).status).toBe(status);
    expect(await person.page()).toContain("Which account?");
  });

  it("opens nothing once the person has signed out, or connected an account", async () => {
    const { person, mine } = await trapped();
    await person.submit(`${mine.page}/leave`, {}, mine.page);
    expect((await person.look()).status).toBe(401);
    const again = await trapped();
    await again.person.submit("/", { crmUrl: CRM, apiKey: "sandbox-key" });
    expect(isPageOf(await again.person.page(), CRM)).toBe(true);
  });

  it("opens only the account named on the answered page: a newer request is confirmed first", async () => {
    const { person, connect } = await trapped();
    const formToken = await person.formToken();
    await person.comeIn((await connect(THIRD_CRM)).clientId);
    await person.submit("/account/enter", { formToken });
    const next = await person.page();
    expect(next).toContain("Which account?");
    expect([next.includes(THIRD_CRM.slice(7)), next.includes(OTHER_CRM.slice(7))]).toEqual([true, false]);
  });

  it("cannot be entered without a request", async () => {
    const { site, mine } = await twoAccounts();
    const person = browser(site);
    await person.comeIn(mine.clientId);
    const answer = await person.submit("/account/enter");
    expect(answer.headers.get("location")).toBe("/account");
    expect(isPageOf(await person.page(), CRM)).toBe(true);
  });
});

describe("two accounts in one browser", () => {
  async function both() {
    const stage = await twoAccounts();
    const person = browser(stage.site);
    await person.comeIn(stage.mine.clientId);
    await person.look();
    await person.comeIn(stage.theirs.clientId);
    const answer = await person.submit("/account/enter");
    expect(answer.headers.get("location")).toBe(stage.theirs.page);
    return { ...stage, person };
  }

  it("are open side by side, each at its address, and `/account` lists them", async () => {
    const { person, mine, theirs } = await both();
    expect(isPageOf(await person.page(mine.page), CRM)).toBe(true);
    expect(isPageOf(await person.page(theirs.page), OTHER_CRM)).toBe(true);
    const list = await person.page();
    for (const { page } of [mine, theirs]) expect(list).toContain(`href="${page}"`);
    expect(list).not.toContain("formToken");
  });

  it("do not take each other's forms, cookies or ends", async () => {
    const { site, person, mine, theirs } = await both();
    const formToken = await person.formToken(mine.page);
    expect((await person.submit(`${theirs.page}/channels`, { formToken }, mine.page)).status).toBe(403);
    const [own] = [...person.jar].filter(([name]) => name.endsWith(mine.page.slice("/account/".length)));
    const swapped = `__Host-gangway-${theirs.page.slice("/account/".length)}=${own?.[1]}`;
    const other = await site.app.fetch(new Request(OWN + theirs.page, { headers: { cookie: swapped } }));
    expect(other.status).toBe(401);
    await person.submit(`${mine.page}/leave`, {}, mine.page);
    expect((await person.look(mine.page)).status).toBe(401);
    expect(isPageOf(await person.page(), OTHER_CRM)).toBe(true);
  });

  it("say the same of an account that is not open and of one that does not exist", async () => {
    const { site, mine } = await twoAccounts();
    const stranger = browser(site);
    const [known, unknown] = [await stranger.look(mine.page), await stranger.look(`/account/${"x".repeat(22)}`)];
    expect([known.status, unknown.status]).toEqual([401, 401]);
    const said = async (answer: Response) => (await answer.text()).replace(/value="\/account[^"]*"/, "");
    expect(await said(known)).toBe(await said(unknown));
  });
});
