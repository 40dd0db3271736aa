import { describe, expect, it } from "vitest";
import { startBrowser, tileOf } from "../../support/browser.ts";
import { OTHER_CRM } from "../../support/crms.ts";
import { listening } from "../../support/listening.ts";
import { accountIn, CRM, runningSite } from "../../support/site.ts";
import { servedSite } from "./served.ts";

const framers = (answer: Response) =>
  /frame-ancestors ([^;]*)$/.exec(answer.headers.get("content-security-policy") ?? "")?.[1];

describe("the account's pages in a frame", () => {
  it("are allowed to nobody unless the server is set to it", async () => {
    const site = await runningSite();
    const cookie = await site.connect();
    for (const path of ["", "/history", "/messages", "/no-such-page"])
      expect(framers(await site.ask(`/account${path}`, { headers: { cookie, accept: "text/html" } }))).toBe("'none'");
  });

  it("are then allowed to that account's CRM alone, and pages without an account to nobody", async () => {
    const site = await runningSite({ embedding: true });
    const mine = await site.connect();
    const connected = await site.submit("/", { crmUrl: OTHER_CRM, apiKey: "sandbox-key" });
    const theirs = site.cookieOf(connected);
    const look = async (path: string, cookie = "") =>
      framers(await site.ask(path, { headers: { cookie, accept: "text/html" } }));
    for (const path of ["/account", "/account/history", "/account/add/webchat"]) {
      expect((await look(path, mine))?.split(" ")).toContain(CRM);
      expect((await look(path, mine))?.split(" ")).not.toContain(OTHER_CRM);
      expect((await look(path, theirs))?.split(" ")).toContain(OTHER_CRM);
    }
    for (const path of ["/", "/account", `/account/${accountIn(mine)}`, "/nowhere"])
      expect(await look(path)).toBe("'none'");
  });

  it("keep their sign-in in a cookie for each site around them, still only with the form's token", async () => {
    const site = await runningSite({ embedding: true });
    const set = (await site.submit("/", { crmUrl: CRM, apiKey: "sandbox-key" })).headers.get("set-cookie") ?? "";
    expect(set.split("; ").slice(1).sort()).toEqual(["HttpOnly", "Partitioned", "Path=/", "SameSite=None", "Secure"]);
    expect(set).toMatch(/^__Host-/);
    const cookie = set.split(";")[0] ?? "";
    const formToken = await site.formToken(cookie);
    const evil = { cookie, origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    expect((await site.submit("/account/leave", { formToken }, evil)).status).toBe(403);
    expect((await site.submit("/account/leave", { formToken: "x" }, { cookie })).status).toBe(403);
    expect((await site.submit("/account/leave", { formToken }, { cookie })).status).toBe(303);
  });

  it("open in the CRM's frame and work there without third-party cookies, and in no other site's", async () => {
    const { origin, sandbox } = await servedSite(undefined, undefined, true);
    const card =
      () => `<form method="post" action="${origin}/account" target="page"><input type="hidden" name="clientId"
      value="${sandbox.world.modules.get("gangway")?.registration.clientId}"><button>Open</button></form>
      <iframe name="page" width="900" height="700"></iframe>`;
    // To a browser, other sites than the server's 127.0.0.1.
    const served = async () => {
      const at = await listening((_, response) => response.setHeader("content-type", "text/html").end(card()));
      return at.replace("127.0.0.1", "localhost");
    };
    const [crm, other] = [await served(), await served()];
    const body = new URLSearchParams({ crmUrl: crm, apiKey: "sandbox-key" });
    expect((await fetch(origin, { method: "POST", body, redirect: "manual" })).status).toBe(303);
    const browser = await startBrowser(undefined, "--test-third-party-cookie-phaseout");
    const openFrom = async (site: string) => {
      const page = await (await browser.newContext()).newPage();
      await page.goto(site);
      await page.getByRole("button", { name: "Open" }).click();
      return { page, frame: page.frameLocator("iframe") };
    };
    const { page, frame } = await openFrom(crm);
    await frame.getByRole("heading", { name: "Channels" }).waitFor();
    await tileOf(frame, "Web chat").click();
    await frame.getByRole("button", { name: "Add", exact: true }).click();
    await frame.getByText("The channel is connected.").waitFor();
    await frame.getByRole("button", { name: "Menu" }).click();
    await frame.getByRole("button", { name: "Русский" }).click();
    await frame.getByRole("heading", { name: "Настройки" }).waitFor();
    const [cookie] = await page.context().cookies(origin);
    expect(cookie).toMatchObject({
      sameSite: "None",
      secure: true,
      partitionKey: expect.stringContaining("localhost"),
    });
    const evil = await openFrom(other);
    const refused = () => evil.page.frames().some((each) => each.url().startsWith("chrome-error:"));
    await expect.poll(refused).toBe(true);
    expect(await evil.frame.getByRole("heading", { name: "Channels" }).count()).toBe(0);
  });
});
