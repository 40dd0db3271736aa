import { agentAt } from "gangway-sandbox/demo/agent";
import { phonesAt } from "gangway-sandbox/demo/phone";
import { addBot, connectThroughForm, DEMO_BOTS } from "gangway-sandbox/demo/set-up";
import { describe, expect, it, onTestFinished } from "vitest";
import { serveSandbox } from "../../../sandbox/src/serve.ts";
import { runningDemo } from "../../support/demo.ts";
import { until } from "../../support/until.ts";

const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** A demo with a phone user who has written to one of its bots. */
async function phoneCall(which: "webhook" | "polling") {
  const demo = await runningDemo({ bots: true });
  const phones = phonesAt(`${demo.sandbox.origin}/telegram`);
  const agent = agentAt(demo.sandbox.origin);
  const bots = await phones.bots();
  const bot = bots.find(({ webhook }) => (webhook !== "") === (which === "webhook"));
  if (!bot) throw new Error(`no bot with ${which}`);
  const person = await phones.newPerson({ firstName: "Robin", language: "en" });
  const say = (draft: Parameters<typeof phones.say>[2]) => phones.say(person.id, bot.id, draft);
  await say({ start: "summer-sale" });
  const chat = await until("the chat in the inbox", async () => (await agent.chats())[0]);
  const inbox = async () => (await agent.messages(chat.id)).filter(({ from }) => from === "customer");
  const heard = async () => (await phones.messages(person.id, bot.id)).filter(({ from }) => from === "bot");
  const faults = () => demo.sandbox.sandbox.calls.entries(true);
  const upload = async (name: string, mediaType: string, bytes: Uint8Array) => {
    const headers = { "content-type": mediaType, "x-file-name": encodeURIComponent(name) };
    const body = new Blob([new Uint8Array(bytes)]);
    const response = await fetch(`${demo.sandbox.origin}/telegram/phone/api/files`, { method: "POST", headers, body });
    return ((await response.json()) as { id: string }).id;
  };
  return { ...demo, phones, agent, bot, person, say, chat: chat.id, inbox, heard, faults, upload };
}

const world = ({ sandbox }: Awaited<ReturnType<typeof phoneCall>>) => sandbox.sandbox.world;

describe("a person with a phone and an agent", () => {
  // By webhook: story/phone.
  it("talk in both directions, the bot by polling", async () => {
    const call = await phoneCall("polling");
    const { say, inbox, heard, agent, chat, upload } = call;
    await say({ text: "Do you have blue rope? 🧵" });
    await until("the question", async () => (await inbox()).some(({ text }) => text.includes("blue rope")));
    const customer = [...world(call).customers.values()][0];
    expect(customer).toMatchObject({ nickname: "Robin", language: "en", utm: { campaign: "summer-sale" } });

    const photo = await upload("rope.png", "image/png", PICTURE);
    await say({ text: "like this", media: [{ kind: "photo", file: photo }] });
    const pictured = await until("the picture", async () => (await inbox()).find(({ type }) => type === "image"));
    expect(pictured).toMatchObject({ text: "like this" });

    await say({ media: [1, 2, 3].map(() => ({ kind: "photo" as const, file: photo })), text: "an album" });
    const album = await until("the album", async () => (await inbox()).find(({ text }) => text === "an album"));
    expect(album.files).toHaveLength(3);

    await agent.say(chat, { text: "Yes, three euros a metre", suggestions: [{ type: "text", title: "Ten metres" }] });
    const answer = await until("the answer", async () => (await heard()).find(({ text }) => text.startsWith("Yes")));
    const sent = await until("the ack", async () =>
      (await agent.messages(chat)).find((m) => m.text.startsWith("Yes") && m.externalId),
    );
    // Telegram cannot edit a message with a keyboard: the edit replaces it.
    await agent.edit(sent.id, "Yes, four euros a metre");
    const edited = await until("the edit", async () => (await heard()).find(({ text }) => text.includes("four")));
    expect((await heard()).some(({ id }) => id === answer.id)).toBe(false);
    await say({ text: "Ten metres", replyTo: edited.id });
    const order = await until("the order", async () => (await inbox()).find(({ text }) => text === "Ten metres"));
    expect(order.quote?.id).toBe(sent.id);
    await agent.edit(sent.id, "Yes, five euros a metre");
    await until("the second edit", async () => (await heard()).find(({ text }) => text.includes("five")));
    await agent.remove(sent.id);
    await until("the deletion", async () => !(await heard()).some(({ text }) => text.includes("euros a metre")));
    expect(call.faults()).toEqual([]);
  });

  it("get a text longer than one message complete and in order, through a kill", async () => {
    const { agent, chat, heard, server } = await phoneCall("webhook");
    const words = Array.from({ length: 1_500 }, (_, n) => `word${n}`).join(" ");
    await agent.say(chat, { text: words });
    await until("the first piece", async () => (await heard()).length > 0);
    await server.kill("SIGKILL");
    await server.start();
    const pieces = await until("the last piece", async () => {
      const texts = (await heard()).map(({ text }) => text);
      return texts.at(-1)?.endsWith("word1499") && texts;
    });
    const once = pieces.filter((text, n) => pieces.indexOf(text) === n);
    expect(once.join(" ")).toBe(words);
    expect(pieces.length - once.length).toBeLessThanOrEqual(1);
  });
});

describe("a bot in the account", () => {
  it("is refused to a second account with the reason, and the first stays untouched", async () => {
    const demo = await runningDemo({ bots: true });
    const other = await serveSandbox({ port: 0 });
    onTestFinished(() => other.close());
    const visit = await connectThroughForm(demo.server.origin, other.origin, "sandbox-key");
    const phones = phonesAt(`${demo.sandbox.origin}/telegram`);
    const [bot] = DEMO_BOTS;
    if (!bot) throw new Error("no bot");
    const before = (await phones.bots()).map(({ webhook }) => webhook);
    await expect(addBot(visit, bot)).rejects.toThrow(/already connected to this server/);
    expect((await phones.bots()).map(({ webhook }) => webhook)).toEqual(before);
    await expect(addBot(visit, { ...bot, token: "1234567890:not-a-token" })).rejects.toThrow(
      /exactly as BotFather shows it/,
    );
    const dead = addBot(visit, { ...bot, token: `1234567890:${"A".repeat(35)}` });
    await expect(dead).rejects.toThrow(/does not recognise this token/);
  });
});
