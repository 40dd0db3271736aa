import { setImmediate } from "node:timers/promises";
import type { Call, CallResult } from "gangway-messenger/call";
import { describe, expect, it } from "vitest";
import { fastClock, openStage } from "../../fuzz/stage.ts";
import { readRows, writeRows } from "../../support/engine.ts";
import { until } from "../../support/until.ts";

/** A test of the bot's connection is under way; the gateway and the messenger fail when the test says so. `stands`: its clock, from then on. */
async function testedBot({ stands = false } = {}) {
  const down = { gateway: false, messenger: false };
  let webhook = "";
  const around =
    (real: Call): Call =>
    async (request): Promise<CallResult> => {
      const { pathname, hostname } = new URL(request.url);
      const isBot = hostname === "api.telegram.org";
      if (isBot && pathname.endsWith("/getWebhookInfo")) {
        const bytes = Buffer.from(JSON.stringify({ ok: true, result: { url: webhook } }));
        return { type: "answer", status: 200, headers: { "content-type": "application/json" }, bytes };
      }
      const fails = isBot ? down.messenger : down.gateway && pathname.endsWith("/messages");
      return fails ? { type: "answer", status: 502, headers: {}, bytes: Buffer.from("down") } : real(request);
    };
  const clock = fastClock();
  let ahead = 0;
  /** What the clock shows while it stands. */
  let held: number | undefined;
  const stage = await openStage({ around, clock: { ...clock, now: () => (held ?? clock.now()) + ahead } });
  const { cookie, token: formToken, bot } = stage;
  const [, id = ""] = stage.chat.ids;
  webhook = `https://gangway.example${bot.door}`;
  const rows = async () => (await readRows(stage.folder, ["message"])).message ?? [];
  await until("the first messages", async () => (await rows()).every(({ state }) => state === "done"));
  if (stands) held = clock.now();
  const begun = await stage.submit(`/account/channels/${id}/test`, { formToken }, { cookie });
  const at = begun.headers.get("location") ?? "";
  const look = async (language = "en") =>
    (await stage.ask(at, { headers: { cookie: `${cookie}; gangway-language=${language}` } })).text();
  const stages = async (language = "en") =>
    [...(await look(language)).matchAll(/data-stage="(\w+)" data-state="(\w+)"/g)].map(([, stage, state]) => [
      stage,
      state,
    ]);
  let updates = 1;
  const knock = (message: object, secret = bot.secret) => {
    updates += 1;
    const body = JSON.stringify({ update_id: updates, ...message });
    return stage.ask(bot.door, { method: "POST", headers: { "x-telegram-bot-api-secret-token": secret }, body });
  };
  const person = { id: Number(bot.chat), type: "private", first_name: "Robin" };
  const customer = (text: string) =>
    knock({ message: { message_id: updates + 1, date: 1_764_000_000, chat: person, from: person, text } });
  const agent = (messageId: number) => {
    const place = { channel_id: bot.channel, external_chat_id: bot.chat, external_user_id: bot.chat };
    const content = { id: messageId, type: "text", content: "Yes", quote_content: null, quote_external_id: null };
    const body = JSON.stringify({ type: "message_sent", meta: { timestamp: 1 }, data: { ...place, ...content } });
    return stage.ask(stage.hook, { method: "POST", headers: { clientid: stage.clientId }, body });
  };
  const aMinuteLater = () => {
    ahead += 60_000;
  };
  const unhook = () => {
    webhook = "";
  };
  return { ...stage, id, at, down, look, stages, knock, customer, agent, rows, unhook, aMinuteLater };
}

const silenceOf = (page: string) => /data-silence="(\w+)">([^<]*)/.exec(page)?.slice(1);

describe("a message followed both ways", () => {
  it("is named stage by stage, from the customer to the agent who is told", async () => {
    const site = await testedBot();
    expect(await site.stages()).toEqual([
      ["stored", "now"],
      ...["handed", "answered", "sent", "told"].map((stage) => [stage, "next"]),
    ]);
    await site.customer("Is anybody there?");
    await site.customer("Hello?");
    const inbound = await until("the delivery", async () =>
      (await site.stages())[1]?.[1] === "done" ? site.stages() : undefined,
    );
    expect(inbound.map(([, state]) => state)).toEqual(["done", "done", "now", "next", "next"]);
    expect(await site.look()).toMatch(/Now answer it in the CRM\..*If you have answered already/s);
    expect(silenceOf(await site.look())).toBeUndefined();
    // The sandbox has no such message, and refuses to be told of it.
    await site.agent(71);
    const outbound = await until("the ack", async () => {
      const stages = await site.stages();
      return stages[4]?.[1] === "failed" && stages;
    });
    expect(outbound.map(([, state]) => state)).toEqual(["done", "done", "done", "done", "failed"]);
    expect(await site.look()).toContain("The CRM did not accept the delivery report: ");
    await site.close();
  });

  it("names the gateway that fails on the way to the CRM, in each language, and when it is tried again", async () => {
    const site = await testedBot();
    site.down.gateway = true;
    await site.customer("Is anybody there?");
    await until("a failed attempt", async () => (await site.stages())[1]?.[1] === "failed");
    const [english, spanish, russian] = [await site.look(), await site.look("es"), await site.look("ru")];
    expect(english).toMatch(/data-stage="handed".*Unexpected answer: .*tried again at/s);
    expect(spanish).toMatch(/data-stage="handed".*Respuesta inesperada: /s);
    expect(russian).toMatch(/data-stage="handed".*Неожиданный ответ: /s);
    for (const page of [spanish, russian]) expect(page).not.toMatch(/Unexpected|gateway answered|tried again/);
    site.down.gateway = false;
    await until("the delivery", async () => (await site.stages())[1]?.[1] === "done");
    await site.close();
  });

  it("names the messenger that fails on the way back", async () => {
    const site = await testedBot();
    await site.customer("Is anybody there?");
    await until("the delivery", async () => (await site.stages())[1]?.[1] === "done");
    site.down.messenger = true;
    await site.agent(71);
    await until("a failed attempt", async () => (await site.stages())[3]?.[1] === "failed");
    expect(await site.look()).toMatch(/data-stage="sent" data-state="failed".*(could not be|was not) delivered: /s);
    await site.close();
  });

  it("says nothing in the first minute of waiting, then what has reached the server when no message has", async () => {
    const site = await testedBot({ stands: true });
    expect(silenceOf(await site.look())).toBeUndefined();
    await site.knock({ of_tomorrow: {} });
    expect(silenceOf(await site.look())).toBeUndefined();
    site.aMinuteLater();
    expect(silenceOf(await site.look())?.[0]).toBe("empty");
    await site.close();
  });

  it("says what has reached the server when no message has for a minute", async () => {
    const site = await testedBot();
    site.aMinuteLater();
    expect(silenceOf(await site.look())).toEqual(["nothing", expect.stringContaining("No request from the messenger")]);
    await site.knock({}, "wrong");
    expect(silenceOf(await site.look())).toEqual(["refused", expect.stringContaining("and was refused")]);
    await site.knock({ of_tomorrow: {} });
    expect(silenceOf(await site.look())).toEqual(["empty", expect.stringContaining("none has brought a message")]);
    // Another messenger's message is none of this one.
    await site.ask(`${site.chat.door}/messages`, {
      ...{ method: "POST", headers: site.visitor.headers },
      body: JSON.stringify({ id: crypto.randomUUID(), text: "elsewhere" }),
    });
    expect(silenceOf(await site.look())?.[0]).toBe("empty");
    await site.customer("here");
    await until("the message", async () => (await site.stages())[0]?.[1] === "done");
    expect(silenceOf(await site.look())).toBeUndefined();
    await site.close();
  });

  it("names a webhook that the messenger has lost, and a messenger that is paused or stopped", async () => {
    const site = await testedBot();
    const state = async (set: string) => {
      await writeRows(site.folder, `UPDATE channel SET ${set} WHERE id = '${site.id}'`);
      // The server looks for other writers once a tick.
      await setImmediate();
    };
    site.unhook();
    await until("the loss", async () => silenceOf(await site.look())?.[0] === "troubled");
    expect(silenceOf(await site.look())?.[1]).toContain("Nothing comes from the messenger: ");
    expect(silenceOf(await site.look("es"))?.[1]).toMatch(/^No llega nada del servicio de mensajería: .*webhook/);
    await state("state = 'paused'");
    await until("the pause", async () => silenceOf(await site.look())?.[0] === "paused");
    await state("state = 'stopped', trouble = 'this token belongs to another bot'");
    await until("the stop", async () => silenceOf(await site.look())?.[0] === "stopped");
    expect(silenceOf(await site.look("ru"))?.[1]).toContain("этот токен принадлежит другому боту");
    await site.close();
  });

  it("is of this account only, and over after an hour", async () => {
    const site = await testedBot();
    const channel = `/account/channels/${site.id}`;
    const to = async (path: string) =>
      (await site.ask(path, { headers: { cookie: site.cookie } })).headers.get("location");
    const since = Number(/since=(\d+)/.exec(site.at)?.[1]);
    for (const query of ["", "?since=soon", `?since=${since - 3_700_000}`, `?since=${since + 3_700_000}`])
      expect(await to(`${channel}/test${query}`)).toBe(channel);
    const unknown = `/account/channels/${"x".repeat(22)}/test?since=${since}`;
    expect((await site.ask(unknown, { headers: { cookie: site.cookie } })).status).toBe(404);
    await site.close();
  });
});
