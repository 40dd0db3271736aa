import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { CONSOLE_TOKEN } from "../../../support/console.ts";
import { readRows, writeRows } from "../../../support/engine.ts";
import { CRM, runningSite } from "../../../support/site.ts";
import { storeIn } from "../../../support/store.ts";
import { until } from "../../../support/until.ts";

const form = (fields: Record<string, string>) => ({
  method: "POST",
  body: new URLSearchParams(fields),
  headers: { host: "console.example", origin: "http://console.example" },
});
const minute = (ms: number) => new Date(ms).toISOString().slice(0, 16);

/** A running server whose database has lost one of two messages, and its console. */
async function lossy() {
  const site = await runningSite({ console: { host: "127.0.0.1", port: 0, token: CONSOLE_TOKEN } });
  await site.addChannel(await site.connect());
  const beside = await storeIn(site.folder, undefined, { shared: true });
  onTestFinished(() => beside.close());
  const account = (await beside.accounts.byCrmUrl(CRM)) ?? expect.fail("no account");
  const [channel] = await beside.channels.list(account.id);
  const door = `/m/${channel?.door}`;
  const opened = await site.ask(`${door}/open`, { method: "POST", body: "{}" });
  const { visitor } = (await opened.json()) as { visitor: string };
  const heard = () => site.sandbox.world.messages.map(({ text }) => text);
  for (const text of ["kept", "lost"]) {
    const body = JSON.stringify({ id: randomUUID(), text });
    await site.ask(`${door}/messages`, { method: "POST", body, headers: { authorization: `Bearer ${visitor}` } });
    await until(text, () => heard().includes(text));
  }
  const rows = async () => (await readRows(site.folder, ["message"])).message ?? [];
  await until("its end", async () => (await rows()).every(({ state }) => state === "done"));
  await writeRows(site.folder, "DELETE FROM message WHERE payload LIKE '%\"lost\"%'");
  const serve = site.app.console ?? expect.fail("no console");
  const origin = "http://console.example";
  const signedIn = await serve(new Request(`${origin}/sign-in`, form({ token: CONSOLE_TOKEN })));
  const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { cookie, ...(init.headers as Record<string, string>) };
    const answer = await serve(new Request(`${origin}${path}`, { ...init, headers }));
    return { status: answer.status, text: await answer.text() };
  };
  const home = `/accounts/${account.id}/replay`;
  const search = (from: string, to = "") => ask(`${home}?${new URLSearchParams({ from, to })}`);
  return { ...site, beside, account, ask, home, search, rows, heard };
}

describe("the console's search for missing messages", () => {
  it("only counts first, then delivers what is missing, with an entry in the audit; a repeat finds nothing", async () => {
    const { search, ask, home, beside, account, rows } = await lossy();
    const from = minute(Date.now() - 3_600_000);
    const dry = await search(from);
    expect(dry.text).toContain("one event is missing");
    expect([(await rows()).length, (await beside.audit.list({ limit: 50 })).map(({ action }) => action)]).toEqual([
      1,
      expect.not.arrayContaining(["webhooks run again"]),
    ]);
    const fields = Object.fromEntries(
      [...dry.text.slice(dry.text.indexOf("data-report")).matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
        ([, name = "", value = ""]) => [name, value],
      ),
    );
    const { formToken: _, ...forged } = fields;
    expect((await ask(home, form(forged))).status).toBe(403);
    const done = await ask(home, form(fields));
    expect([done.status, done.text.includes("one event is being delivered")]).toEqual([200, true]);
    await until("its end", async () => (await rows()).every(({ state }) => state === "done"));
    expect(await rows()).toHaveLength(2);
    const [act] = (await beside.audit.list({ limit: 50 })).filter(({ action }) => action === "webhooks run again");
    expect(act).toMatchObject({ actor: "operator", accountId: account.id });
    expect((await search(from)).text).toContain("0 events are missing");
  });

  it("refuses times that make no sense in words, and searches nothing", async () => {
    const { search, ask, home } = await lossy();
    const now = Date.now();
    for (const [from, to, words] of [
      ["", "", "Give both times"],
      ["<script>", "", "Give both times"],
      ["2026-02-31T10:00", "", "Give both times"],
      [minute(now), minute(now - 60_000), "The first time should be before the second."],
      [minute(now + 3_600_000), "", "The first time should be before the second."],
      [minute(now - 2 * 86_400_000), "", "That is more than 24 hours"],
    ] as const) {
      const { status, text } = await search(from, to);
      expect([status, text.includes(words), text.includes("<script>")], `${from} ${to}`).toEqual([422, true, false]);
      expect(text).not.toContain("data-report");
    }
    const page = await ask("/accounts");
    const formToken = /name="formToken" value="([^"]+)"/.exec(page.text)?.[1] ?? "";
    for (const fields of [{}, { from: "1", to: "x" }, { from: "5", to: "1" }, { from: "1", to: "999999999999999" }])
      expect((await ask(home, form({ ...(fields as Record<string, string>), formToken }))).status).toBe(422);
    expect((await ask("/accounts/nobody/replay")).status).toBe(404);
  });
});
