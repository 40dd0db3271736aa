import { describe, expect, it } from "vitest";
import { form, HOSTILE, signedIn } from "../../../support/console.ts";

async function opened() {
  const made = await signedIn();
  const { ask, formToken, account, channel, store } = made;
  const at = `/accounts/${account.id}`;
  const post = async (path: string, fields: Record<string, string> = {}) =>
    ask(`${at}${path}`, form({ formToken: await formToken(), ...fields }));
  const now = async () => store.accounts.byId(account.id);
  return { ...made, at, ofChannel: `/channels/${channel.id}`, post, now };
}

describe("pausing in the console", () => {
  it("asks for a reason on a page of its own, pauses, shows it everywhere, and resumes", async () => {
    const { at, page, post, now } = await opened();
    expect(await page(at)).toContain(`href="${at}/pause"`);
    const asked = await page(`${at}/pause`);
    for (const words of ["Pause shop.retailcrm.ru?", `action="${at}/pause"`, 'name="reason"', "Nothing is lost"])
      expect(asked).toContain(words);
    const paused = await post("/pause", { reason: " unpaid since May " });
    expect([paused.status, paused.headers.get("location")]).toEqual([303, `${at}?done=paused`]);
    expect((await now())?.pauseReason).toBe("unpaid since May");
    const shown = await page(`${at}?done=paused`);
    for (const words of [
      "Paused.",
      "Paused by us: unpaid since May",
      `href="${at}/resume"`,
      "reason: unpaid since May",
    ])
      expect(shown, words).toContain(words);
    expect(shown).toContain("through: console");
    expect(await page("/accounts?standing=paused")).toContain("shop.retailcrm.ru");
    expect(await page("/accounts?standing=stopped"), "of its stopped channel").not.toContain("shop.retailcrm.ru");
    expect(await page("/accounts.csv")).toContain("unpaid since May");
    const again = await page(`${at}/resume`);
    for (const words of ["Paused since", "unpaid since May", "Resume shop.retailcrm.ru?"])
      expect(again).toContain(words);
    expect((await post("/resume")).headers.get("location")).toBe(`${at}?done=resumed`);
    expect((await now())?.pauseReason).toBeUndefined();
    expect(await page("/audit")).toContain("account resumed");
  });

  it("refuses a reason that no merchant can be shown, keeps what was typed, and shows it as text", async () => {
    const { at, post, now, page } = await opened();
    for (const [reason, words] of [
      ["", "A reason is needed"],
      [`${HOSTILE}${"x".repeat(500)}`, "The reason is too long"],
      ["a\u0007b", "The reason is one line of plain text"],
    ] as const) {
      const refused = await post("/pause", { reason });
      const text = await refused.text();
      expect([refused.status, text.includes(words)], words).toEqual([422, true]);
      expect(text).not.toContain("<img src=x");
    }
    expect((await now())?.pauseReason).toBeUndefined();
    await post("/pause", { reason: HOSTILE });
    for (const path of [at, `${at}/pause`, `${at}/resume`, "/audit", "/accounts"])
      expect(await page(path), path).not.toContain("<img src=x");
  });

  it("pauses and resumes a channel by its own forms, only in its own account", async () => {
    const { at, ofChannel, post, page, store, channel, other, ask } = await opened();
    const state = async () => (await store.channels.ofJob(channel.id))?.pauseReason;
    expect((await post(`${ofChannel}/pause`, { reason: "spam" })).headers.get("location")).toBe(`${at}?done=paused`);
    expect(await state()).toBe("spam");
    const shown = await page(at);
    expect(shown).toContain("Paused by us: spam");
    expect(shown).toContain(`href="${at}${ofChannel}/resume"`);
    await post(`${ofChannel}/resume`);
    expect(await state()).toBeUndefined();
    for (const path of [`/channels/${other.id}`, "/channels/nothing"]) {
      expect((await ask(`${at}${path}/pause`)).status).toBe(404);
      expect((await post(`${path}/pause`, { reason: "x" })).status).toBe(404);
      expect((await post(`${path}/resume`)).status).toBe(404);
    }
  });

  it("sets limits, says which are refused beside the field, and sets them back when a field is empty", async () => {
    const { at, post, now, page, ask } = await opened();
    expect((await post("/limits", { calls: "3", jobs: "" })).headers.get("location")).toBe(`${at}?done=limits`);
    expect((await now())?.limits).toEqual({ calls: 3 });
    const shown = await page(`${at}?done=limits`);
    for (const words of [
      "The limits are set.",
      'name="calls"',
      'value="3"',
      "The server&#39;s (CALLS_PER_ACCOUNT): 8.",
    ])
      expect(shown).toContain(words);
    const refused = await post("/limits", { calls: "999", jobs: "50" });
    const text = await refused.text();
    expect([refused.status, text.includes("Calls: a whole number from 1 to 64, or default")]).toEqual([422, true]);
    expect(text).toContain('value="999"');
    expect(text).toContain('value="50"');
    expect((await now())?.limits).toEqual({ calls: 3 });
    await post("/limits", { calls: "", jobs: "" });
    expect((await now())?.limits).toBeUndefined();
    expect((await ask(`${at}/limits`)).headers.get("location")).toBe(at);
  });

  it("does nothing without a session, nor with a form of another page or site", async () => {
    const { at, ofChannel, site, cookie, ask, formToken, now, store, account } = await opened();
    const before = await store.audit.list({ accountId: account.id, limit: 99 });
    for (const path of ["/pause", "/resume", "/limits", `${ofChannel}/pause`, `${ofChannel}/resume`]) {
      const fields = { reason: "x", calls: "1", jobs: "10" };
      const token = await formToken();
      const statuses = [
        await site.request(at + path, form({ formToken: token, ...fields })),
        await ask(at + path, form({ formToken: "forged", ...fields })),
        await ask(at + path, form(fields)),
        await ask(at + path, form({ formToken: token, ...fields }, { origin: "https://evil.example" })),
        await site.request(at + path, { headers: { cookie: `${cookie}x` } }),
      ].map(({ status }) => status);
      expect(statuses, path).toEqual([401, 403, 403, 403, 401]);
    }
    expect([(await now())?.pauseReason, (await now())?.limits]).toEqual([undefined, undefined]);
    expect(await store.audit.list({ accountId: account.id, limit: 99 })).toEqual(before);
  });

  it("knows no account that is not there", async () => {
    const { ask, formToken } = await opened();
    for (const path of ["/accounts/nobody", "/accounts/nobody/pause", "/accounts/nobody/resume"])
      expect((await ask(path)).status, path).toBe(404);
    for (const path of ["/pause", "/resume", "/limits"])
      expect((await ask(`/accounts/nobody${path}`, form({ formToken: await formToken(), reason: "x" }))).status).toBe(
        404,
      );
  });
});
