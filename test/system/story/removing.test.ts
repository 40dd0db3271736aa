import { agentAt } from "gangway-sandbox/demo/agent";
import { phonesAt } from "gangway-sandbox/demo/phone";
import { expect, it } from "vitest";
import type { AccountId } from "../../../src/domain/ids.ts";
import { runningDemo } from "../../support/demo.ts";
import { storeIn } from "../../support/store.ts";
import { until } from "../../support/until.ts";

const WAITING = ["one", "two", "three"];

/** Three of an agent's messages wait, since their messenger is away. */
async function waiting() {
  const demo = await runningDemo({ bots: true });
  const agent = agentAt(demo.sandbox.origin);
  const phones = phonesAt(`${demo.sandbox.origin}/telegram`);
  const bot = (await phones.bots()).find(({ webhook }) => webhook !== "");
  const person = await phones.newPerson({ firstName: "Robin", language: "en" });
  await phones.say(person.id, bot?.id ?? 0, { start: "" });
  const chat = await until("the chat", async () => (await agent.chats())[0]);
  const look = await demo.visit.look();
  const formToken = /name="formToken" value="([^"]+)"/.exec(look)?.[1] ?? "";
  const id = await until(
    "the bot",
    () => /data-channel="([\w-]{22})"(?:(?!data-channel)[\s\S])*Harbour bot/.exec(look)?.[1],
  );
  const submit = async (path: string) => {
    const headers = { origin: demo.server.origin, cookie: demo.visit.cookie };
    const init = { method: "POST", headers, body: new URLSearchParams({ formToken }), redirect: "manual" } as const;
    expect((await fetch(`${demo.server.origin}${demo.visit.home}${path}`, init)).status).toBe(303);
  };
  await phones.ask("POST", "/control/faults", { method: "sendMessage", status: 500, times: 1_000 });
  const ids: number[] = [];
  for (const text of WAITING) ids.push(await agent.say(chat.id, { text }));
  const ended = async () => {
    const said = (await agent.messages(chat.id)).filter((message) => ids.includes(message.id));
    return said.map(({ status }) => status);
  };
  const acks = async () => {
    await demo.server.kill("SIGTERM");
    const store = await storeIn(demo.dataFolder);
    const account = demo.visit.home.split("/")[2] as AccountId;
    const rows = await store.ledger(account).finally(() => store.close());
    return rows.find(({ channelId }) => channelId === id);
  };
  const heard = async () => (await phones.messages(person.id, bot?.id ?? 0)).filter(({ from }) => from === "bot");
  const errors = () => ids.map((each) => demo.sandbox.sandbox.world.messageById(each)?.error?.message);
  return { submit, id, ended, errors, acks, heard };
}

it.each([
  ["of a removed channel", (id: string) => `/channels/${id}/remove`],
  ["of a disconnected account", () => "/disconnect"],
])("agents' messages %s are ended at the gateway, in words", async (_, pathOf) => {
  const { submit, id, ended, errors, acks, heard } = await waiting();
  expect((await ended()).filter((status) => !["sending", "sent"].includes(status))).toEqual([]);
  await submit(pathOf(id));
  expect(await ended()).toEqual(["failed", "failed", "failed"]);
  expect(errors()).toEqual(Array(3).fill("The channel was removed."));
  expect(await heard()).toEqual([]);
  expect(await acks()).toMatchObject({ waiting: 0, hole: 0, acks: { owed: 3, given: 3, refused: 0, hole: 0 } });
});
