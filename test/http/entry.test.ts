import { describe, expect, it } from "vitest";
import { unmasked } from "../../src/http/form-token.ts";
import { rowsOf } from "../support/rows.ts";
import { CRM, runningSite } from "../support/site.ts";

type Site = Awaited<ReturnType<typeof runningSite>>;
const OTHER = CRM.replace("127.0.0.1", "localhost");
const THIRD = CRM.replace("127.0.0.1", "[::1]");
/** Headers of a form from a CRM or another site: cross-site, so without Lax cookies. */
const CROSS = { origin: "https://elsewhere.example", "sec-fetch-site": "cross-site" };

/** A browser's cookie handling: a form `from` another site carries no cookies. */
function browser(site: Site) {
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
  const look = async (path = "/account") => take(await site.ask(path, { headers: { cookie: cookie() } }));
  const page = async () => (await look()).text();
  const formToken = async () => /name="formToken" value="([^"]+)"/.exec(await page())?.[1] ?? "";
  const submit = async (path: string, fields: Record<string, string> = {}) =>
    take(await site.submit(path, { formToken: await formToken(), ...fields }, { cookie: cookie() }));
  /** The CRM's module card: a cross-site form. */
  const comeIn = async (clientId: string) => take(await site.submit("/account", { clientId }, CROSS));
  /** The visit's token, the same on each of its pages. */
  const visitToken = async () => unmasked(await formToken());
  return { jar, cookie, look, page, formToken, visitToken, submit, comeIn };
}

/** Two accounts of one CRM, reached under two host names. */
async function twoAccounts() {
  const site = await runningSite();
  const clientIdOf = async (crmUrl: string) => {
    await site.submit("/", { crmUrl, apiKey: "sandbox-key" });
    return site.sandbox.world.modules.get("gangway")?.registration.clientId ?? "";
  };
  const [mine, theirs] = [await clientIdOf(CRM), await clientIdOf(OTHER)];
  return { site, mine, theirs };
}
const isPageOf = (page: string, crmUrl: string) =>
  page.includes("<h1>Your messengers</h1>") && page.includes(`<strong>${crmUrl.replace("http://", "")}</strong>`);

describe("entering from the CRM's module card", () => {
  it("is one step when no account is open, with no secret in a URL", async () => {
    const { site, mine } = await twoAccounts();
    const person = browser(site);
    const answer = await person.comeIn(mine);
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/account"]);
    expect(isPageOf(await person.page(), CRM)).toBe(true);
    expect([...person.jar.keys()]).toEqual(["__Host-gangway"]);
    for (const flag of ["HttpOnly", "Secure", "SameSite=Lax", "Path=/", "Max-Age=300"])
      expect(answer.headers.get("set-cookie")).toContain(flag);
  });

  it("continues the open visit of the same account", async () => {
    const { site, mine } = await twoAccounts();
    const person = browser(site);
    await person.comeIn(mine);
    const visitToken = await person.visitToken();
    await person.comeIn(mine);
    expect(isPageOf(await person.page(), CRM)).toBe(true);
    expect([await person.visitToken(), person.jar.size]).toEqual([visitToken, 1]);
  });
});

describe("another account's form, sent by any site", () => {
  async function trapped() {
    const stage = await twoAccounts();
    const person = browser(stage.site);
    await person.comeIn(stage.mine);
    const visitToken = await person.visitToken();
    await person.comeIn(stage.theirs);
    return { ...stage, person, visitToken };
  }
  const added = { kind: "webchat", name: "Mine", "setting.title": "t", "setting.accent": "#000000" };

  it("does not replace the open account: the page asks, and names both", async () => {
    const { person, visitToken } = await trapped();
    const question = await person.page();
    expect(question).toContain("Which account?");
    for (const crmUrl of [CRM, OTHER]) expect(question).toContain(crmUrl.replace("http://", ""));
    expect(await person.visitToken()).toBe(visitToken);
    expect((await person.submit("/account/channels", added)).headers.get("location")).toMatch(/\?done=added$/);
    await person.submit("/account/stay");
    const page = await person.page();
    expect([isPageOf(page, CRM), page.includes(">Mine</a>")]).toEqual([true, true]);
  });

  it("leaves nothing behind when the user stays, however often it comes", async () => {
    const { site, person, theirs } = await trapped();
    const visits = () => rowsOf(site.folder, ["web_session"]).web_session?.length;
    const before = visits();
    const answer = await person.submit("/account/stay");
    expect(answer.headers.get("location")).toBe("/account");
    expect(visits()).toBe((before ?? 0) - 1);
    for (let n = 0; n < 3; n++) await person.comeIn(theirs);
    expect(await person.page()).toContain("Which account?");
  });

  it("opens the other account on the user's decision, and ends the previous visit", async () => {
    const { site, person } = await trapped();
    const before = person.cookie().split("; ")[0] ?? "";
    const answer = await person.submit("/account/enter", { crmUrl: OTHER });
    expect(answer.headers.get("location")).toBe("/account");
    expect(isPageOf(await person.page(), OTHER)).toBe(true);
    expect((await site.ask("/account", { headers: { cookie: before } })).status).toBe(401);
  });

  it.each(["/account/enter", "/account/stay"])("is not decided by a form that is not ours: %s", async (path) => {
    const { site, person } = await trapped();
    const cookie = person.cookie();
    const formToken = await person.formToken();
    for (const [fields, headers] of [
      [{ formToken: "guess" }, {}],
      [{ formToken }, CROSS],
      [{ formToken }, { origin: "null" }],
    ] as [Record<string, string>, Record<string, string>][])
      expect((await site.submit(path, fields, { cookie, ...headers })).status).toBe(403);
    expect(await person.page()).toContain("Which account?");
  });

  it("opens nothing once the person has signed out, or connected an account", async () => {
    const { person } = await trapped();
    await person.submit("/account/leave");
    expect((await person.look()).status).toBe(401);
    const again = await trapped();
    await again.person.submit("/", { crmUrl: CRM, apiKey: "sandbox-key" });
    expect(isPageOf(await again.person.page(), CRM)).toBe(true);
  });

  it("opens only the account named on the answered page: a newer request is confirmed first", async () => {
    const { site, person } = await trapped();
    const question = await person.page();
    const fields = [...question.matchAll(/name="(formToken|crmUrl)" value="([^"]+)"/g)].slice(-2);
    expect(fields.map(([, name]) => name)).toEqual(["formToken", "crmUrl"]);
    await site.submit("/", { crmUrl: THIRD, apiKey: "sandbox-key" });
    await person.comeIn(site.sandbox.world.modules.get("gangway")?.registration.clientId ?? "");
    await person.submit("/account/enter", Object.fromEntries(fields.map(([, name, value]) => [name, value])));
    const next = await person.page();
    expect(next).toContain("Which account?");
    expect([next.includes(THIRD.slice(7)), next.includes(OTHER.slice(7))]).toEqual([true, false]);
  });

  it("cannot be entered without a request", async () => {
    const { site, mine } = await twoAccounts();
    const person = browser(site);
    await person.comeIn(mine);
    expect((await person.submit("/account/enter")).status).toBe(403);
    expect(isPageOf(await person.page(), CRM)).toBe(true);
  });
});
