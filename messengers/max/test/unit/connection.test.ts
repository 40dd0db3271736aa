import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { besideEmulator } from "gangway-messenger/kit/emulated";
import { describe, expect, it, onTestFinished } from "vitest";
import { selfSigned } from "../../../../sandbox/src/certificate.ts";
import { readConfig } from "../../../../src/config.ts";
import { createEmulator } from "../../emulator/emulator.ts";
import max from "../../src/index.ts";
import { UPDATE_TYPES } from "../../src/wire.ts";
import { fresh, SECRET } from "./talking.ts";

const { open } = besideEmulator(max, createEmulator, { webhookSecret: SECRET });
const ELSEWHERE = "https://elsewhere.example/hook";

async function opened(own: object = {}, server: object = {}) {
  const all = await open();
  Object.assign(all.context, { settings: { ...(all.context.settings as object), ...own } });
  Object.assign(all.context.server, server);
  const [bot] = all.emulator.world.bots;
  if (!bot) throw new Error("there is no bot");
  const urls = () => [...bot.subscriptions.keys()];
  const foreign = () => bot.subscriptions.set(ELSEWHERE, { url: ELSEWHERE, time: 1 });
  return { ...all, session: max.open(all.context), bot, urls, foreign, door: all.context.doorUrl };
}

describe("connecting a bot", () => {
  it("names it with its link, and subscribes with a secret to what a CRM needs; removing it ends that", async () => {
    const { session, bot, door, urls } = await opened();
    expect(await session.identify?.(fresh())).toEqual({
      ...{ id: "max:229229229", name: "Sandbox Shop", link: "https://max.ru/sandbox_shop_bot" },
    });
    expect(await session.connect(fresh())).toMatchObject({ name: "Sandbox Shop" });
    expect(bot.subscriptions.get(door)).toMatchObject({ secret: SECRET, updateTypes: UPDATE_TYPES });
    await session.connect(fresh());
    expect(urls()).toEqual([door]);
    await session.disconnect(fresh());
    expect(urls()).toEqual([]);
    await session.disconnect(fresh());
  });

  it("leaves a subscription that is whole as it is, and what waits under it; one for fewer events is made anew", async () => {
    const { session, bot, door } = await opened();
    await session.connect(fresh());
    const made = bot.subscriptions.get(door);
    await session.connect(fresh());
    expect(bot.subscriptions.get(door)).toBe(made);
    bot.subscriptions.set(door, { url: door, time: 1, updateTypes: ["message_created"] });
    await session.connect(fresh());
    expect(bot.subscriptions.get(door)?.updateTypes).toEqual(UPDATE_TYPES);
  });

  it("says in words that MAX does not know the token", async () => {
    const { session } = await opened({ token: "not.a.token.that.max.has.given" });
    await expect(session.identify?.(fresh())).rejects.toThrow(/does not recognise this token/);
    await expect(session.connect(fresh())).rejects.toMatchObject({ verdict: { type: "reconnect" } });
  });

  it("leaves the bot to another service unless it may take it over, and says whose it is", async () => {
    const polite = await opened();
    polite.foreign();
    await expect(polite.session.connect(fresh())).rejects.toThrow(/another service now \(elsewhere\.example\)/);
    expect(polite.urls()).toEqual([ELSEWHERE]);
    await polite.session.disconnect(fresh());
    expect(polite.urls()).toEqual([ELSEWHERE]);
    const bold = await opened({ takeOver: true });
    bold.foreign();
    await bold.session.connect(fresh());
    expect(bold.urls()).toEqual([bold.door]);
  });

  it("ends the subscription of a door that this server has no more", async () => {
    const { session, bot, door, urls } = await opened();
    const old = "https://gangway.example/m/removed";
    bot.subscriptions.set(old, { url: old, time: 1 });
    await session.connect(fresh());
    expect(urls()).toEqual([door]);
  });

  it("says that MAX has not accepted the address, and leaves the others", async () => {
    const all = await opened({ takeOver: true });
    all.foreign();
    Object.assign(all.context, { doorUrl: "http://gangway.example/m/door" });
    await expect(max.open(all.context).connect(fresh())).rejects.toThrow(/not accepted this server's address.*https/);
    expect(all.urls()).toEqual([ELSEWHERE]);
  });

  it("undoes its subscription when that of another service cannot be ended", async () => {
    const all = await opened({ takeOver: true });
    all.foreign();
    all.emulator.plans.plan({ operation: "unsubscribe", status: 503 });
    await expect(all.session.connect(fresh())).rejects.toMatchObject({ verdict: { type: "retry" } });
    expect(all.urls()).toEqual([ELSEWHERE]);
  });

  it("with long polling ends every subscription, since MAX would not be polled", async () => {
    const { session, bot, door, urls } = await opened({ updates: "polling" });
    bot.subscriptions.set(door, { url: door, time: 1 });
    await session.connect(fresh());
    expect(urls()).toEqual([]);
    expect(session.feed).toBeDefined();
    expect(session.inspect).toBeUndefined();
    expect(await session.standing?.(fresh())).toMatchObject({ facts: [{ value: "@sandbox_shop_bot" }] });
  });
});

describe("a subscription that MAX has ended after eight silent hours", () => {
  it("is made again by the next look, which says once that messages may be missing", async () => {
    const { session, bot, door, urls } = await opened();
    await session.connect(fresh());
    bot.subscriptions.clear();
    expect(await session.standing?.(fresh())).toMatchObject({ facts: [{ value: "@sandbox_shop_bot" }] });
    expect(urls()).toEqual([]);
    expect(await session.inspect?.(fresh())).toMatch(/had ended the subscription.*may be missing/);
    expect(bot.subscriptions.get(door)).toMatchObject({ secret: SECRET });
    expect(await session.inspect?.(fresh())).toBeUndefined();
    expect(urls()).toEqual([door]);
  });

  it("is not made again where another service has the bot now, which is named", async () => {
    const { session, bot, foreign, urls } = await opened();
    await session.connect(fresh());
    bot.subscriptions.clear();
    foreign();
    expect(await session.inspect?.(fresh())).toBe(
      "another service has taken over this bot (elsewhere.example) and gets its messages",
    );
    expect(urls()).toEqual([ELSEWHERE]);
  });
});

it("the account page shows the bot and since when it is subscribed, in each language", async () => {
  const { session, bot, door } = await opened();
  await session.connect(fresh());
  const own = bot.subscriptions.get(door);
  if (own) own.time = Date.UTC(2026, 10, 29, 12);
  expect(await session.standing?.(fresh())).toEqual({
    facts: [
      { name: { en: "Bot", es: "Bot", ru: "Бот" }, value: "@sandbox_shop_bot" },
      {
        name: {
          en: "Sends messages here since",
          es: "Envía aquí los mensajes desde",
          ru: "Присылает сюда сообщения с",
        },
        value: { en: "29 November 2026", es: "29 de noviembre de 2026", ru: "29 ноября 2026 г." },
      },
    ],
  });
});

it("the token goes whole into Authorization, to the API alone", async () => {
  const all = await opened();
  const seen: { url: string; headers: Record<string, string> }[] = [];
  const { call } = all.context;
  Object.assign(all.context, {
    call: (request: Parameters<typeof call>[0]) => {
      seen.push({ url: request.url, headers: request.headers ?? {} });
      return call(request);
    },
  });
  const session = max.open(all.context);
  await session.connect(fresh());
  all.emulator.switches.set({ notReady: 0 });
  const dialog = all.emulator.firstDialog();
  await all.emulator.customers.starts(dialog);
  all.atGateway.set("f1", () => ({ body: new Blob(["x"]).stream(), mediaType: "text/plain", name: "a.txt", size: 1 }));
  const files = [{ file: { at: "gateway" as const, id: "f1" as never } }];
  const step = { do: "send" as const, kind: "file" as const, text: "", marks: [], files, links: [], suggestions: [] };
  await session.send(step, { chat: String(dialog.chatId) as never, key: "k" }, fresh());
  const { token } = all.context.settings as { token: string };
  for (const { url, headers } of seen) {
    expect(url).not.toContain(token);
    expect(new URL(url).host).toBe(/\/upload\//.test(url) ? "network.example" : "platform-api2.max.ru");
    expect(headers.authorization).toBe(/\/upload\//.test(url) ? undefined : token);
  }
  expect(seen.some(({ url }) => /\/upload\//.test(url))).toBe(true);
});

it("MAX_CA_FILE is trusted for MAX's host alone", () => {
  const folder = mkdtempSync(join(tmpdir(), "max-ca-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { cert } = selfSigned(["platform-api2.max.ru"], Date.now());
  const file = join(folder, "ca.pem");
  writeFileSync(file, cert);
  const given = (env: Record<string, string>) => readConfig({ SANDBOX: "1", ...env }, [max]).authorities;
  expect(given({ MAX_CA_FILE: file })).toEqual([{ hosts: ["platform-api2.max.ru"], pem: cert }]);
  expect(given({})).toEqual([]);
});
