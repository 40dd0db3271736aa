import type { ChatId, GatewayFileId } from "gangway-messenger/ids";
import { streamOf } from "gangway-messenger/kit/context";
import type { FilePart } from "gangway-messenger/message";
import type { SendStep } from "gangway-messenger/plan";
import { onTestFinished } from "vitest";
import { createOutgoing } from "../../../../src/calls/outgoing.ts";
import { channelContext } from "../../../../test/support/channel-context.ts";
import { serveTelegram } from "../../emulator/serve.ts";
import { HARBOUR_BOT_TOKEN } from "../../emulator/world.ts";
import { botApi } from "../../src/api.ts";
import { settings as schema } from "../../src/wire.ts";

export const fresh = () => new AbortController().signal;

/** A bot at the Telegram emulator, and a person who has started a chat with it. */
export async function openStage(given: Record<string, unknown> = {}) {
  const { telegram, origin, clock, close } = await serveTelegram({
    port: 0,
    limits: { perChat: Number.POSITIVE_INFINITY, perSecond: Number.POSITIVE_INFINITY },
  });
  const outgoing = createOutgoing({ allowLoopback: true });
  onTestFinished(async () => {
    await outgoing.close();
    await close();
  });
  const settings = schema.parse({ token: HARBOUR_BOT_TOKEN, updates: "polling", ...given });
  const { context, commit, atGateway } = await channelContext(settings);
  Object.assign(context, { call: outgoing.call, server: { TELEGRAM_API_URL: origin, updates: "polling" } });
  const bot = [...telegram.world.bots.values()].find(({ token }) => token === settings.token);
  const person = [...telegram.world.people.keys()][0] ?? 0;
  if (!bot) throw new Error("there is no such bot");
  const [start = 0] = telegram.phone.send(person, bot.id, { text: "/start" });
  const api = botApi({ call: outgoing.call, apiUrl: origin, token: settings.token });
  const chat = String(person) as ChatId;
  const seen = () => telegram.phone.chats(person).find(({ id }) => id === bot.id)?.messages ?? [];
  const heard = () => seen().filter(({ from }) => from === "bot");
  const atTheGateway = (id: string, bytes: string | Uint8Array, mediaType: string, name: string): FilePart => {
    const size = bytes.length;
    atGateway.set(id, () => ({ body: streamOf(bytes), mediaType, name, size }));
    return { file: { at: "gateway", id: id as GatewayFileId }, size };
  };
  return {
    telegram,
    origin,
    clock,
    context,
    commit,
    atGateway,
    api,
    bot,
    person,
    chat,
    start,
    seen,
    heard,
    atTheGateway,
  };
}

export const step = (more: Partial<SendStep>): SendStep => ({
  do: "send",
  kind: "text",
  text: "",
  marks: [],
  files: [],
  links: [],
  suggestions: [],
  ...more,
});
