import { paintPng } from "gangway-messenger/kit/emulator/picture";
import { agentAt, type InboxMessage } from "gangway-sandbox/demo/agent";
import { phonesAt } from "gangway-sandbox/demo/phone";
import { DEMO_BOTS } from "gangway-sandbox/demo/set-up";
import { describe, expect, it } from "vitest";
import { runningDemo } from "../../support/demo.ts";
import { until } from "../../support/until.ts";

/** A demo with one bot, for rarer actions of customers. */
async function harbour() {
  const demo = await runningDemo();
  const telegram = `${demo.sandbox.origin}/telegram`;
  const phones = phonesAt(telegram);
  const agent = agentAt(demo.sandbox.origin);
  const [{ token = "" } = {}] = DEMO_BOTS;
  const bot = (await phones.bots()).find((each) => each.token === token);
  if (!bot) throw new Error("no bot");
  const robin = await phones.newPerson({ firstName: "Robin", language: "en" });
  const merle = await phones.newPerson({ firstName: "Merle", language: "en" });
  const kim = await phones.newPerson({ firstName: "Kim", language: "en" });
  const connect = () =>
    demo.visit.add("telegram", "Harbour bot", {
      ...{ token, updates: "polling", language: "en", groups: "whole", businessOwners: String(merle.id) },
    });
  const inbox = async () => {
    const chats = await agent.chats();
    return (await Promise.all(chats.map(({ id }) => agent.messages(id)))).flat();
  };
  const heard = (words: string | ((message: InboxMessage) => unknown)) =>
    until(`the agent to see ${words}`, async () =>
      (await inbox()).find((each) => (typeof words === "string" ? each.text === words : words(each))),
    );
  const at = (person: { id: number }, chat: number, id: number | undefined, rest = "") =>
    `/phone/api/${person.id}/chats/${chat}/messages/${id}${rest}`;
  const edit = (id: number | undefined, change: object) => phones.ask("PATCH", at(robin, bot.id, id), change);
  const picture = async (colour: [number, number, number]) => {
    const headers = { "content-type": "image/png", "x-file-name": "rope.png" };
    const body = new Blob([new Uint8Array(paintPng(8, 8, colour))]);
    const response = await fetch(`${telegram}/phone/api/files`, { method: "POST", headers, body });
    return ((await response.json()) as { id: string }).id;
  };
  const restart = async () => {
    await demo.server.kill("SIGKILL");
    await demo.server.start();
  };
  const faults = () => demo.sandbox.sandbox.calls.entries(true);
  const all = { phones, agent, bot, robin, merle, kim, connect, inbox, heard, at, edit, picture, restart, faults };
  return { ...demo, telegram, token, ...all };
}

describe("what a customer answers and changes in Telegram", () => {
  it("reaches the agent, even for messages from before the bot was connected", async () => {
    const { phones, robin, bot, telegram, token, connect, heard, edit, agent } = await harbour();
    const [early] = await phones.say(robin.id, bot.id, { text: "Do you have blue rope?" });
    const updates = `${telegram}/bot${token}/getUpdates`;
    const { result } = (await (await fetch(updates)).json()) as { result: { update_id: number }[] };
    await fetch(`${updates}?offset=${(result.at(-1)?.update_id ?? 0) + 1}`);
    await connect();
    await edit(early, { text: "Do you have green rope?" });
    await heard("[Edited message]\nDo you have green rope?");
    await phones.say(robin.id, bot.id, { text: "I still wait", replyTo: early });
    await heard("> Do you have green rope?\nI still wait");

    const [{ id: chat = 0 } = {}] = await agent.chats();
    await agent.say(chat, { text: "Blue rope or red rope?" });
    const asked = await heard(({ text, externalId }) => text === "Blue rope or red rope?" && externalId);
    const there = (await phones.messages(robin.id, bot.id)).find(({ from }) => from === "bot");
    await phones.say(robin.id, bot.id, { text: "That one", replyTo: there?.id, quote: { text: "red rope" } });
    expect((await heard("> red rope\nThat one")).quote?.id).toBe(asked.id);
    await phones.say(robin.id, bot.id, {
      text: "Is that so?",
      external: { from: "News", isChannel: true, text: "Sale" },
    });
    await heard("Replying to News:\n> Sale\nIs that so?");
    await phones.say(robin.id, bot.id, { gift: { stars: 15, text: "Thank you" } });
    await heard("[Gift 🎁 worth 15 stars]\nThank you");
  });

  it("is an edit where the gateway can edit, and otherwise a message of its own, through a kill", async () => {
    const { phones, robin, bot, connect, heard, edit, picture, restart, inbox, sandbox } = await harbour();
    await connect();
    const say = (draft: Parameters<typeof phones.say>[2]) => phones.say(robin.id, bot.id, draft);
    const [blue, red] = [await picture([0, 0, 200]), await picture([200, 0, 0])];
    const part = (caption: string) => ({ kind: "photo" as const, file: blue, caption });
    // The kill comes between the album's arrival and the gateway's answer.
    sandbox.sandbox.faults.plan({ operation: "sendMessage", hang: true, when: "after" });
    const [, second] = await say({ text: "one", media: [part("one"), part("two"), part("three")] });
    const album = await heard("one\ntwo\nthree");
    await restart();
    await edit(second, { text: "zwei" });
    expect((await heard("one\nzwei\nthree")).id).toBe(album.id);
    await edit(second, { text: null });
    expect((await heard("one\nthree")).id).toBe(album.id);

    const [photo] = await say({ text: "like this", media: [part("")] });
    const pictured = await heard("like this");
    await edit(photo, { media: { kind: "photo", file: red } });
    const replaced = await heard("[File replaced]\nlike this");
    expect(replaced.quote?.id).toBe(pictured.id);
    expect(replaced.files).toHaveLength(1);
    await edit(photo, { text: null });
    expect((await heard("[Caption removed]")).id).toBe(replaced.id);

    const [voice] = await say({ text: "listen", media: [{ kind: "voice", file: blue, duration: 3 }] });
    const sound = await heard("listen");
    await edit(voice, { text: "listen to this" });
    expect((await heard("[Edited message]\nlisten to this")).quote?.id).toBe(sound.id);

    const [still] = await say({ text: "as it was" });
    await edit(still, {});
    await say({ text: "and the end" });
    await heard("and the end");
    expect((await inbox()).filter(({ text }) => text.includes("as it was")).map(({ edited }) => edited)).toEqual([
      false,
    ]);
  });
});

describe("people of a group", () => {
  it("react each with a line of their own, also on behalf of a chat", async () => {
    const { phones, robin, kim, bot, connect, heard, at, agent, inbox, faults } = await harbour();
    await connect();
    const make = { people: [robin.id, kim.id], bot: bot.id, supergroup: true, admin: true };
    const { id: group } = await phones.ask<{ id: number }>("POST", "/phone/api/groups", { title: "Crew", ...make });
    const [asked] = await phones.say(robin.id, group, { text: "Who has rope?" });
    const question = await heard("Robin: Who has rope?");
    const react = (person: { id: number }, emoji: string | null, as?: number) =>
      phones.ask("PUT", at(person, group, asked, "/reaction"), { emoji, as });
    await react(robin, "👍");
    await react(kim, "🔥");
    await react(robin, null);
    await react(kim, "🎉", group);
    for (const line of [
      "Robin: [Reaction 👍]",
      "Kim: [Reaction 🔥]",
      "Robin: [Reaction removed]",
      "Crew: [Reaction 🎉]",
    ])
      expect((await heard(line)).quote?.id).toBe(question.id);
    expect((await inbox()).filter(({ text }) => text.includes("Reaction"))).toHaveLength(4);
    expect(await agent.chats()).toHaveLength(1);
    expect(faults()).toEqual([]);
  });
});

describe("the customers of a business account", () => {
  it("delete several messages at once and after restarts, and the agent sees them deleted", async () => {
    const { phones, robin, merle, bot, token, visit, heard, restart, inbox, faults } = await harbour();
    const settings = { token, updates: "polling", language: "en", servesBusiness: "on" };
    const page = await visit.add("telegram", "Merle's chats", settings);
    const [, payload = ""] = /[?]start=(own-[\w-]+)/.exec(page) ?? [];
    await phones.ask("POST", "/control/business", { bot: bot.id, owner: merle.id });
    await phones.say(merle.id, bot.id, { text: `/start ${payload}` });
    await until("the bot's thanks", async () =>
      (await phones.messages(merle.id, bot.id)).some(({ text = "" }) => text.startsWith("Thank you")),
    );
    const say = async (text: string) => (await phones.say(robin.id, merle.id, { text }))[0];
    const ids = [await say("one"), await say("two"), await say("three")];
    await heard("three");
    await restart();
    const erase = (...gone: (number | undefined)[]) =>
      phones.ask("POST", `/phone/api/${robin.id}/chats/${merle.id}/erase`, { ids: gone });
    await erase(ids[2], ids[0]);
    await until("the deletions", async () => (await inbox()).filter(({ deleted }) => deleted).length === 2);
    const left = (await inbox()).filter(({ deleted }) => !deleted).map(({ text }) => text);
    expect(left).toEqual(["two"]);
    expect(faults()).toEqual([]);
  });

  it("are not answered while the owner has disconnected the bot; agents and the account page say why, until it works again", async () => {
    const { phones, robin, merle, bot, connect, heard, agent, visit } = await harbour();
    await connect();
    const change = (how: object) => phones.ask("POST", "/control/business", { bot: bot.id, owner: merle.id, ...how });
    await change({});
    await phones.say(robin.id, merle.id, { text: "Ahoy" });
    await heard("Ahoy");
    const [{ id: chat = 0 } = {}] = await agent.chats();
    const refused = async (text: string, reason: RegExp) => {
      await agent.say(chat, { text });
      const { error } = await heard((each) => each.text === text && each.error);
      expect(error).toMatchObject({ code: "access_restricted", message: expect.stringMatching(reason) });
    };
    await change({ enabled: false });
    await refused("Nobody home?", /business account has disconnected this bot/);
    await until("the account page", async () => /account of Merle has disconnected this bot/.test(await visit.look()));
    await change({ enabled: true, rights: {} });
    await refused("Nor now?", /business account does not allow this bot/);
    await until("the account page", async () =>
      /account of Merle does not allow this bot to reply/.test(await visit.look()),
    );
    await change({ enabled: true, rights: { can_reply: true } });
    await agent.say(chat, { text: "Here we are" });
    await until("the answer", async () =>
      (await phones.messages(robin.id, merle.id)).some(({ text }) => text === "Here we are"),
    );
    await until("the account page to be quiet", async () => !/business account of Merle/.test(await visit.look()));
  });
});
