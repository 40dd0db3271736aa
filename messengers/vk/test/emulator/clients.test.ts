import { Agent } from "node:http";
import { serve } from "@hono/node-server";
import { systemClock } from "gangway-messenger/clock";
import { PICTURE } from "gangway-messenger/kit/sending";
import { expect, it, onTestFinished } from "vitest";
import { APIError, Keyboard, type MessageContext, VK } from "vk-io";
import { COMMUNITY, createEmulator, TOKEN } from "../../emulator/emulator.ts";

type VKOptions = ConstructorParameters<typeof VK>[0];

/** A client of others, unmodified: only its base address is set. */
async function client(own: Partial<VKOptions> = {}) {
  let origin = "";
  const emulator = createEmulator({ origin: () => origin, clock: systemClock, deliver: fetch });
  onTestFinished(emulator.stop);
  const server = serve({ fetch: emulator.site.fetch, port: 0, hostname: "127.0.0.1" });
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  origin = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  // Its type is that of HTTPS; for HTTP it needs another.
  const agent = new Agent({ keepAlive: false }) as unknown as VKOptions["agent"];
  const options: VKOptions = {
    ...{ token: TOKEN, pollingGroupId: COMMUNITY.id, apiVersion: "5.199", apiBaseUrl: `${origin}/method` },
    ...{ agent, apiLimit: 20, apiRetryLimit: 0, pollingWait: 50, ...own },
  };
  const vk = new VK(options);
  const chat = emulator.chat();
  await emulator.customers.says(chat, { text: "Hi" });
  return { emulator, vk, options, chat, peer: chat.person.id };
}

it("vk-io holds a conversation by its methods", async () => {
  const { vk, chat, peer, emulator } = await client();
  const { api } = vk;
  const group_id = COMMUNITY.id;
  expect(await api.groups.getById({})).toMatchObject({ groups: [{ id: group_id }] });
  const [sent] = (await api.messages.send({ peer_ids: [peer], random_id: 7, message: "Hello" })) as unknown as {
    conversation_message_id: number;
  }[];
  const cmid = sent?.conversation_message_id ?? 0;
  // The same random_id is no second message.
  expect(await api.messages.send({ peer_id: peer, random_id: 7, message: "Hello" })).toBe(chat.messages.at(-1)?.id);
  const keyboard = Keyboard.keyboard([[Keyboard.textButton({ label: "Yes", color: "positive" })]]).inline();
  await api.messages.send({ peer_id: peer, random_id: 8, message: "Which?", keyboard });
  await api.messages.edit({ peer_id: peer, cmid, message: "Hello there" });
  await api.messages.markAsRead({ peer_id: peer });
  await api.messages.setActivity({ peer_id: peer, type: "typing" });
  const { items } = await api.messages.getHistory({ peer_id: peer });
  expect(items.map(({ text }: { text: string }) => text)).toEqual(["Which?", "Hello there", "Hi"]);
  expect((await api.messages.getConversations({})).items).toHaveLength(1);
  expect(await api.users.get({ user_ids: [peer] })).toMatchObject([{ id: peer, first_name: "Ada" }]);
  await api.messages.delete({ peer_id: peer, cmids: [cmid], delete_for_all: 1 });
  expect(chat.messages.map(({ isDeleted }) => isDeleted === true)).toEqual([false, true, false]);
  const answers = emulator.core.journal.entries().map(({ answer }) => answer as { error?: object });
  expect(answers.filter((answer) => answer?.error)).toEqual([]);
});

it("vk-io uploads a picture, a document and a voice message", async () => {
  const { vk, chat, peer } = await client();
  const options = { timeout: 5_000 };
  const photo = await vk.upload.messagePhoto({
    peer_id: peer,
    source: { ...options, value: PICTURE, filename: "a.png" },
  });
  const text = Buffer.from("terms");
  const doc = await vk.upload.messageDocument({
    peer_id: peer,
    title: "a.txt",
    source: { value: text, filename: "a.txt" },
  });
  const voice = await vk.upload.audioMessage({
    peer_id: peer,
    source: { value: Buffer.from("OggS OpusHead"), filename: "v.ogg" },
  });
  for (const [n, attachment] of [photo, doc, voice].entries())
    await vk.api.messages.send({ peer_id: peer, random_id: n + 1, attachment });
  expect(chat.messages.slice(1).map(({ attachments }) => attachments.map(({ type }) => type))).toEqual([
    ["photo"],
    ["doc"],
    ["audio_message"],
  ]);
});

it("vk-io reads the emulator's long poll, and its refusals as VK's", async () => {
  const { vk, chat, peer, emulator } = await client();
  await vk.api.groups.setLongPollSettings({ group_id: COMMUNITY.id, enabled: 1, api_version: "5.199", message_new: 1 });
  const said: (string | undefined)[] = [];
  vk.updates.on("message_new", async (context: MessageContext) => {
    said.push(context.text);
    await context.send("Got it");
  });
  await vk.updates.startPolling();
  onTestFinished(() => vk.updates.stop());
  await emulator.customers.says(chat, { text: "Is anybody there?" });
  await expect.poll(() => chat.messages.at(-1)?.text).toBe("Got it");
  expect(said).toEqual(["Is anybody there?"]);
  chat.isExpired = true;
  const late = vk.api.messages.send({ peer_id: peer, random_id: 9, message: "late" });
  await expect(late).rejects.toMatchObject({ code: 950 });
  await expect(late).rejects.toBeInstanceOf(APIError);
});

it("vk-io reads the emulator's callback events and confirms the address", async () => {
  const { vk, chat, emulator, options } = await client({ webhookSecret: "s3cret" });
  const said: (string | undefined)[] = [];
  const { code } = await vk.api.groups.getCallbackConfirmationCode({ group_id: COMMUNITY.id });
  const hooked = new VK({ ...options, webhookConfirmation: code });
  hooked.updates.on("message_new", (context: MessageContext) => void said.push(context.text));
  const { createServer } = await import("node:http");
  const server = createServer(hooked.updates.getWebhookCallback("/hook"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}/hook`;
  const group_id = COMMUNITY.id;
  const { server_id } = await vk.api.groups.addCallbackServer({ group_id, url, title: "vk-io", secret_key: "s3cret" });
  await vk.api.groups.setCallbackSettings({ group_id, server_id, api_version: "5.199", message_new: 1 });
  expect((await vk.api.groups.getCallbackServers({ group_id })).items).toMatchObject([{ status: "ok" }]);
  await emulator.customers.says(chat, { text: "By callback" });
  await expect.poll(() => said).toEqual(["By callback"]);
  expect(emulator.core.courier.waiting()).toBe(0);
});
