import { describe, expect, it } from "vitest";
import { gangway } from "../../../support/gangway.ts";
import { CRM, OWN, runningSite } from "../../../support/site.ts";

/** A connected account with a channel, and a link for support that the command has made. */
async function invited() {
  const site = await runningSite();
  const merchant = await site.connect();
  await site.addChannel(merchant);
  const { out } = await gangway(site.folder, ["accounts", "open", CRM, "--why", "ticket 4711"], { PUBLIC_URL: OWN });
  const path = out.trim().replace(OWN, "");
  return { ...site, merchant, path };
}

describe("a link for the vendor's support", () => {
  it("opens the account's pages by a button, once, and no preview of it does", async () => {
    const { ask, submit, cookieOf, path } = await invited();
    expect(path).toMatch(/^\/support\/[\w-]{43}$/);
    expect(await (await ask(path)).text()).toContain("Open the pages");
    expect((await submit(path, {}, { origin: "https://evil.example" })).status).toBe(403);
    const opened = await submit(path, {});
    expect([opened.status, opened.headers.get("location")]).toEqual([303, "/account"]);
    const page = await (await ask("/account", { headers: { cookie: cookieOf(opened) } })).text();
    expect(page).toContain("Support visit until");
    expect(page).toContain("Shop chat");
    const again = await submit(path, {});
    expect([again.status, (await again.text()).includes("its link opens once")]).toEqual([401, true]);
  });

  it("changes nothing: each form is refused in words, but leaving", async () => {
    const { ask, submit, cookieOf, path, formToken, page, merchant } = await invited();
    const cookie = cookieOf(await submit(path, {}));
    const token = await formToken(cookie);
    const [, id = ""] = / data-channel="([\w-]{22})"/.exec(await page(merchant)) ?? [];
    const acts = [
      `/channels/${id}/pause`,
      `/channels/${id}/remove`,
      "/disconnect",
      "/key",
      "/customers/erase",
      "/visits/end",
    ];
    for (const act of [...acts, "/leave/", "/channels/leave"]) {
      const answer = await submit(`/account${act}`, { formToken: token }, { cookie });
      expect([answer.status, (await answer.text()).includes("changes nothing")], act).toEqual([403, true]);
    }
    const account = await page(merchant);
    expect(account).toContain("Shop chat");
    expect(account).not.toContain("paused");
    expect((await submit("/account/leave", { formToken: token }, { cookie })).status).toBe(303);
    expect((await ask("/account", { headers: { cookie } })).status).toBe(401);
  });

  it("is seen by the account's users, who may end the visit", async () => {
    const { ask, submit, cookieOf, path, formToken, merchant } = await invited();
    const cookie = cookieOf(await submit(path, {}));
    const history = await (await ask("/account/history", { headers: { cookie: merchant } })).text();
    expect(history).toMatch(/The server's support<\/strong>|The server&#39;s support<\/strong>/);
    expect(history).toMatch(/support opened the account(&#39;|')s pages/);
    expect(history).toContain("A link was made for the server");
    await submit("/account/visits/end", { formToken: await formToken(merchant) }, { cookie: merchant });
    expect((await ask("/account", { headers: { cookie } })).status).toBe(401);
  });

  it("is not guessed: after twenty failures an address has to wait", async () => {
    const { submit } = await runningSite();
    const statuses: number[] = [];
    for (let n = 0; n < 22; n++) statuses.push((await submit(`/support/${"A".repeat(43)}`, {})).status);
    expect([statuses[0], statuses[19], statuses[20]]).toEqual([401, 401, 429]);
  });
});

it("the command refuses what it cannot do, in words", async () => {
  const { folder } = await invited();
  const run = (...args: string[]) => gangway(folder, ["accounts", "open", ...args]);
  const nobody = await run("https://nobody.retailcrm.ru", "--why", "x");
  expect([nobody.code, nobody.out + nobody.err]).toEqual([1, expect.stringContaining("There is no account")]);
  for (const args of [[CRM], [CRM, "--why", "x".repeat(201)]]) {
    const { code, out, err } = await run(...args);
    expect([code, out + err], args.join(" ")).toEqual([2, expect.stringContaining("--why")]);
  }
});
