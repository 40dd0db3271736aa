import { systemClock } from "gangway-messenger/clock";
import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";
import { callFrom } from "gangway-messenger/kit/call";
import { memoryContext } from "gangway-messenger/kit/context";
import { besideEmulator } from "gangway-messenger/kit/emulated";
import { seeded } from "gangway-messenger/kit/emulator/random";
import type { Seen } from "gangway-messenger/kit/proof";
import { textStep } from "gangway-messenger/kit/sending";
import type { ChannelEvent } from "gangway-messenger/message";
import type { SendStep } from "gangway-messenger/plan";
import { createEmulator } from "../emulator/emulator.ts";
import type { Chat, Message } from "../emulator/world.ts";
import avito from "../src/index.ts";

export const SECRET = "s".repeat(43);
export const ORIGIN = "https://network.example";
export const fresh = () => new AbortController().signal;
export const shop = () => besideEmulator(avito, createEmulator, { webhookSecret: SECRET });

export const webhook = (doorUrl: string, body: string, secret = SECRET) =>
  new Request(secret ? `${doorUrl}/${secret}` : doorUrl, { method: "POST", body });

/** An account beside its emulator, connected, with a customer's empty chat about the first listing; a test moves the clock of both. */
export async function talking(own: object = {}) {
  const now = { ms: systemClock.now() };
  const clock = { ...systemClock, now: () => now.ms };
  const events: ChannelEvent[] = [];
  const emulator = createEmulator({
    ...{ origin: () => ORIGIN, random: seeded(5) },
    clock: { now: () => now.ms, after: () => () => {} },
    async deliver(request) {
      const receipt = await session.receive(request);
      await kit.commit(receipt);
      events.push(...receipt.events);
      return receipt.reply;
    },
  });
  emulator.switches.set({ ownAfterMs: 0 });
  const settings = avito.settings.parse({ ...emulator.channel().settings, webhookSecret: SECRET, ...own });
  const kit = memoryContext(settings, clock);
  const { context, atGateway } = kit;
  const server = { ...context.server, ...avito.serverSettings?.parse({ AVITO_API_URL: ORIGIN }) };
  Object.assign(context, { call: callFrom(emulator.site), server });
  const session = avito.open(context);
  await session.connect(fresh());
  const chat = emulator.firstChat();
  const step = (more: Partial<SendStep> = {}): SendStep => ({ ...textStep(avito, settings), ...more });
  const target = (key: string) => ({ chat: chat.id as ChatId, key });
  return {
    ...{ context, atGateway, emulator, session, settings, chat, step, target },
    later: (ms: number) => {
      now.ms += ms;
    },
    /** Another session of the same channel, as after a restart. */
    again: (more: object = {}) => avito.open({ ...context, ...more }),
    send: (more: Partial<SendStep> = {}, key = "k") => session.send(step(more), target(key), fresh()),
    sent: () => chat.messages.filter(({ author }) => author === chat.account.id),
    /** The events that an act brings. */
    async after(act: () => Promise<unknown>) {
      events.length = 0;
      await act();
      return [...events];
    },
    calls: (operation: string) =>
      emulator.journal.entries().filter((each) => each.kind === "call" && each.operation === operation),
  };
}

/** A message as the customer sees it. */
export function seenOf({ id, author, type, content, readAt }: Message, { account }: Chat): Seen {
  const { text, image } = content as { text?: string; image?: object };
  return {
    id: id as MessengerMessageId,
    text: text ?? "",
    files: image ? ["image"] : [],
    buttons: [],
    ...{ quotes: false, edited: false, deleted: type === "deleted" },
    ...(author !== account.id && readAt !== undefined && { status: "read" as const }),
  };
}
