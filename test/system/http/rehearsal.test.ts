import type { Call } from "gangway-messenger/call";
import { describe, expect, it } from "vitest";
import { adapters } from "../../../src/messengers.ts";
import { OTHER_CRM } from "../../support/crms.ts";
import { readRows } from "../../support/engine.ts";
import { OWN, runningSite } from "../../support/site.ts";
import { until } from "../../support/until.ts";

/** An account whose only messenger is the one with a customer to play. */
async function rehearsing(around: (real: Call) => Call = (real) => real) {
  const site = await runningSite({ call: around });
  const cookie = await site.connect();
  const token = await site.formToken(cookie);
  const kind = adapters.find((adapter) => "standIn" in adapter)?.kind ?? "";
  const added = await site.submit("/account/channels", { formToken: token, kind, name: "" }, { cookie });
  const at = added.headers.get("location")?.split("?")[0] ?? "";
  const look = async (language = "en", path = `${at}/try`) =>
    (await site.ask(path, { headers: { cookie: `${cookie}; gangway-language=${language}` } })).text();
  const say = (text: string) => site.submit(`${at}/try`, { formToken: token, text }, { cookie });
  const stages = async () =>
    [...(await look()).matchAll(/data-stage="\w+" data-state="(\w+)"/g)].map(([, state]) => state);
  const chat = async () =>
    [...(await look()).matchAll(/data-from="(\w+)".*?<span class="detail said">(.*?)<\/span>/gs)].map(
      ([, from, text]) => `${from}: ${text}`,
    );
  const { registration } = site.sandbox.world.modules.get("gangway") ?? {};
  const agent = (id: number, text: string) => {
    const [channel] = site.sandbox.world.channels.values();
    const place = { channel_id: channel?.id, external_chat_id: "customer", external_user_id: "customer", id };
    const content = { type: "text", content: text, quote_content: null, quote_external_id: null };
    const body = JSON.stringify({ type: "message_sent", meta: { timestamp: 1 }, data: { ...place, ...content } });
    const hook = (registration?.integrations.mgTransport?.webhookUrl ?? "").replace(OWN, "");
    return site.ask(hook, { method: "POST", headers: { clientid: registration?.clientId ?? "" }, body });
  };
  return { ...site, cookie, token, at, look, say, stages, chat, agent };
}

describe("a customer played by an account's user", () => {
  it("is added without a setting, and offered on the messenger's page", async () => {
    const site = await rehearsing();
    const page = await site.look("en", site.at);
    expect(page).toContain(`${site.at.replace("/account", "")}/try"`);
    expect(page).toContain("Write as the customer");
    expect(await site.stages()).toEqual([]);
    expect(await site.look("es")).toContain("¡Hola! ¿Les queda la cuerda azul?");
  });

  it("is tested without advice about a connection that it does not have", async () => {
    const site = await rehearsing();
    const begun = await site.submit(`${site.at}/test`, { formToken: site.token }, { cookie: site.cookie });
    const at = begun.headers.get("location") ?? "";
    const since = Number(/since=(\d+)/.exec(at)?.[1]);
    expect(await site.look("en", at)).not.toContain("data-silence");
    const page = await site.look("en", at.replace(String(since), String(since - 60_000)));
    expect(page).toContain('data-silence="nothing"');
    expect(page).not.toContain("connects it again");
  });

  it("writes through the messenger's own door, and sees the agent's answer", async () => {
    const site = await rehearsing();
    expect((await site.say("Is the rope <b>blue</b>?")).headers.get("location")).toBe(`${site.at}/try`);
    await until("the delivery", async () => (await site.stages())[1] === "done");
    expect(site.sandbox.world.messages.map(({ text }) => text)).toEqual(["Is the rope <b>blue</b>?"]);
    expect(await site.stages()).toEqual(["done", "done", "now", "next", "next"]);
    expect((await site.agent(71, "It is.\nTwelve metres.")).status).toBe(200);
    await until("the answer", async () => (await site.stages())[3] === "done");
    expect(await site.chat()).toEqual([
      "customer: Is the rope &lt;b&gt;blue&lt;/b&gt;?",
      "agent: It is.\nTwelve metres.",
    ]);
    // The next message starts anew.
    await site.say("Thank you");
    await until("the delivery", async () => (await site.stages())[1] === "done");
    expect(await site.stages()).toEqual(["done", "done", "now", "next", "next"]);
  });

  it("shows the hop that fails, while the message is kept", async () => {
    let isDown = true;
    const site = await rehearsing((real) => async (request) => {
      if (!isDown || !new URL(request.url).pathname.endsWith("/messages")) return real(request);
      return { type: "failure", sent: "no", reason: "refused", detail: "127.0.0.1:7001" };
    });
    await site.say("Hello");
    await until("a failed attempt", async () => (await site.stages())[1] === "failed");
    expect(await site.look("ru")).toMatch(/Неожиданный ответ: .*соединение отклонено/);
    isDown = false;
    await until("the delivery", async () => (await site.stages())[1] === "done");
  });

  it("cannot say nothing, nor more than a message holds; what was typed stays", async () => {
    const site = await rehearsing();
    for (const [text, words] of [
      ["  ", "Write something first."],
      ["x".repeat(4_097), "Too long: at most 4,096 characters."],
    ] as const) {
      const refused = await site.say(text);
      expect(refused.status).toBe(422);
      const page = await refused.text();
      expect(page).toContain(words);
      expect(page).toContain(`${text}</textarea>`);
    }
    expect((await readRows(site.folder, ["message"])).message).toEqual([]);
  });

  it("is in no other account, nor in a channel without one", async () => {
    const site = await rehearsing();
    const { token: formToken, cookie } = site;
    await site.addChannel(cookie);
    const other = /data-channel="([\w-]{22})"/g;
    const ids = [...(await site.look("en", "/account")).matchAll(other)].map(([, id]) => id);
    const webchat = ids.find((id) => !site.at.endsWith(id ?? ""));
    expect((await site.submit(`/account/channels/${webchat}/try`, { formToken, text: "x" }, { cookie })).status).toBe(
      404,
    );
    const theirs = site.cookieOf(await site.submit("/", { crmUrl: OTHER_CRM, apiKey: "sandbox-key" }));
    const form = { formToken: await site.formToken(theirs), text: "x" };
    expect((await site.submit(`${site.at}/try`, form, { cookie: theirs })).status).toBe(404);
    expect((await site.ask(`${site.at}/try`, { headers: { cookie: theirs } })).status).toBe(404);
    const unknown = `/account/channels/${"x".repeat(22)}/try`;
    expect((await site.submit(unknown, { formToken, text: "x" }, { cookie })).status).toBe(404);
    expect((await site.submit(`${site.at}/try`, { formToken: "wrong", text: "x" }, { cookie })).status).toBe(403);
  });
});
