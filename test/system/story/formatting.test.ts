import { agentAt } from "gangway-sandbox/demo/agent";
import { phonesAt } from "gangway-sandbox/demo/phone";
import { describe, expect, it } from "vitest";
import { runningDemo } from "../../support/demo.ts";
import { until } from "../../support/until.ts";

const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const SHOP = "https://shop.example/rope";
const FORMATS = ["bold", "italic", "underline", "strikethrough", "inline_monospace", "block_monospace", "link"];

const SAID = "bold 5 7 here secret 2*3";
const MARKS = [
  { type: "bold", offset: 0, length: 4 },
  { type: "strikethrough", offset: 5, length: 1 },
  { type: "text_link", offset: 9, length: 4, url: SHOP },
  { type: "spoiler", offset: 14, length: 6 },
];

/** A phone user and a bot, at a server whose settings may change at a restart. */
async function phoneCall(notation: "none" | "markdown") {
  const { server, sandbox, env } = await runningDemo({ bots: true, settings: { markup: notation } });
  const phones = phonesAt(`${sandbox.origin}/telegram`);
  const agent = agentAt(sandbox.origin);
  const [bot] = await phones.bots();
  const person = await phones.newPerson({ firstName: "Robin", language: "en" });
  const say = (text: string, marks: typeof MARKS = []) => phones.say(person.id, bot?.id ?? 0, { text, marks });
  await say("/start");
  const chat = (await until("the chat in the inbox", async () => (await agent.chats())[0])).id;
  const said = (word: string) =>
    until(`the words ${word}`, async () => (await agent.messages(chat)).find(({ text }) => text.includes(word)));
  const heard = (word: string) =>
    until(`the answer ${word}`, async () =>
      (await phones.messages(person.id, bot?.id ?? 0)).find(({ from, text }) => from === "bot" && text.includes(word)),
    );
  const formatsOf = (type: string) =>
    [...sandbox.sandbox.world.channels.values()].find((channel) => channel.type === type)?.settings.text
      ?.markup_formats;
  const restart = async (markup: "none" | "markdown") => {
    await server.kill("SIGTERM");
    env.GATEWAY_MARKUP = markup;
    await server.start();
  };
  return { sandbox, agent, chat, say, said, heard, formatsOf, restart };
}

describe("formatting between a phone and an agent", () => {
  it("stays readable text, and an agent's markup stays literal, while the gateway's notation is not set", async () => {
    const { agent, chat, say, said, heard, formatsOf, sandbox } = await phoneCall("none");
    expect(formatsOf("telegram") ?? []).toEqual([]);
    await say(SAID, MARKS);
    expect((await said("bold")).text).toBe(`bold ~5~ 7 here (${SHOP}) secret 2*3`);
    await agent.say(chat, { text: "**really** \\* 5" });
    expect(await heard("really")).toMatchObject({ text: "**really** \\* 5", marks: [] });
    expect(sandbox.sandbox.calls.entries(true)).toEqual([]);
  });

  it("arrives as formatting both ways once it is set, in texts, edits and notes", async () => {
    const { agent, chat, say, said, heard, formatsOf, restart, sandbox } = await phoneCall("markdown");
    expect(formatsOf("telegram") ?? []).toEqual([]);
    await restart("markdown");
    await until("the announcement", () => formatsOf("telegram")?.length);
    expect(formatsOf("telegram")).toEqual(FORMATS);
    expect(formatsOf("consultant") ?? []).toEqual([]);

    await say(SAID, MARKS);
    expect((await said("bold")).text).toBe(`**bold** ~~5~~ 7 [here](${SHOP}) secret 2\\*3`);

    await agent.say(chat, { text: `**really** [rope](${SHOP}) 2\\*3 *open` });
    const bold = { type: "bold", offset: 0, length: 6 };
    expect(await heard("really")).toMatchObject({
      text: "really rope 2*3 *open",
      marks: [bold, { type: "text_link", offset: 7, length: 4, url: SHOP }],
    });
    const sent = await until("the ack", async () =>
      (await agent.messages(chat)).find(({ text, externalId }) => text.includes("really") && externalId),
    );
    await agent.edit(sent.id, "~~really~~ not");
    expect(await heard("really not")).toMatchObject({
      text: "really not",
      marks: [{ type: "strikethrough", offset: 0, length: 6 }],
    });
    const file = await agent.upload("rope.png", "image/png", PICTURE);
    await agent.say(chat, { text: "**really** new", files: [file] });
    expect(await heard("really new")).toMatchObject({ text: "really new", marks: [bold] });
    expect(sandbox.sandbox.calls.entries(true)).toEqual([]);

    await restart("none");
    await until("the announcement", () => !formatsOf("telegram")?.length);
  });
});
