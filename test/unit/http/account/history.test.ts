import { describe, expect, it } from "vitest";
import { runningSite } from "../../../support/site.ts";

const FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0";
const EDGE = "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36 EdgA/140.0";

async function twoVisits() {
  const site = await runningSite();
  const connect = async (agent: string) => {
    const fields = { crmUrl: "http://127.0.0.1:7001", apiKey: "sandbox-key" };
    return site.cookieOf(await site.submit("/", fields, { "user-agent": agent }));
  };
  const [mine, other] = [await connect(FIREFOX), await connect(EDGE)];
  await site.addChannel(mine);
  const look = async (cookie: string) => site.ask("/account/history", { headers: { cookie } });
  const end = async (path: string) =>
    site.submit(`/account/visits${path}`, { formToken: await site.formToken(mine) }, { cookie: mine });
  return { ...site, connect, mine, other, look, end };
}

describe("the history of an account", () => {
  it("shows who changed what, and where the page is open", async () => {
    const { look, mine } = await twoVisits();
    const page = await (await look(mine)).text();
    expect(page).toMatch(/Firefox, Windows<\/strong> <span class="badge neutral">this browser</);
    expect(page).toMatch(/Edge, Android<\/strong> <span/);
    expect(page).toMatch(/A channel was added<strong> Shop chat<\/strong>.*The account was connected again/s);
    expect(page).toContain("a user of the account");
  });

  it("names a channel also once it is removed, and the browser of who did it", async () => {
    const { look, page, formToken, submit, mine } = await twoVisits();
    const [, id = ""] = / data-channel="([\w-]{22})"/.exec(await page(mine)) ?? [];
    await submit(`/account/channels/${id}/remove`, { formToken: await formToken(mine) }, { cookie: mine });
    const history = await (await look(mine)).text();
    const by = ' <span class="hint detail">a user of the account · Firefox, Windows</span>'.trim();
    expect(history).toContain(`A channel was removed<strong> Shop chat</strong>${by}`);
    expect(history).toContain(`A channel was added<strong> Shop chat</strong>${by}`);
  });

  it("tells of what a messenger refused once", async () => {
    const { look, submit, formToken, mine } = await twoVisits();
    const fields = {
      formToken: await formToken(mine),
      kind: "telegram",
      name: "Refused",
      "setting.token": `123456:${"A".repeat(35)}`,
    };
    const refused = await submit("/account/channels", fields, { cookie: mine });
    expect(refused.status).toBe(422);
    const history = await (await look(mine)).text();
    expect(history).toContain("A channel was not added: it could not be connected<strong> Refused</strong>");
    expect(history).not.toContain("A channel was added<strong> Refused");
    expect(history).toContain("A channel was added<strong> Shop chat</strong>");
  });

  it("ends another visit, at once", async () => {
    const { look, end, mine, other } = await twoVisits();
    const [, id = ""] = /visits\/([\w-]+)\/end/.exec(await (await look(mine)).text()) ?? [];
    expect((await look(other)).status).toBe(200);
    const ended = await end(`/${id}/end`);
    expect(ended.headers.get("location")).toBe("/account/history?done=ended");
    expect((await look(other)).status).toBe(401);
    expect(await (await look(mine)).text()).toContain("Other browsers were signed out");
    expect((await end(`/${id}/end`)).status).toBe(404);
  });

  it("ends all other visits, and not this one", async () => {
    const { look, end, connect, mine, other } = await twoVisits();
    const third = await connect(FIREFOX);
    await end("/end");
    expect([(await look(mine)).status, (await look(other)).status, (await look(third)).status]).toEqual([
      200, 401, 401,
    ]);
  });
});
