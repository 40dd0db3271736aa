import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";
import { besideEmulator } from "gangway-messenger/kit/emulated";
import { textStep } from "gangway-messenger/kit/sending";
import type { OpenFile } from "gangway-messenger/message";
import type { SendStep } from "gangway-messenger/plan";
import { createEmulator } from "../emulator/emulator.ts";
import { SECRET } from "../samples/wire.ts";
import vk from "../src/index.ts";

export const fresh = () => new AbortController().signal;

/** The adapter beside its emulator: nobody waits between calls. */
export async function beside(own: object = {}) {
  const { settings, open } = besideEmulator(vk, createEmulator, { webhookSecret: SECRET, ...own });
  const all = await open();
  all.emulator.core.switches.set({ callsPerSecond: 0, echoAfterMs: 0 });
  const now = { ms: all.context.clock.now() };
  // Both clocks go on together, when the test says so.
  const clock = { ...all.context.clock, now: () => now.ms };
  Object.assign(all.context, { clock });
  all.emulator.core.clock.now = () => now.ms;
  return {
    ...all,
    settings,
    later: (ms: number) => {
      now.ms += ms;
    },
  };
}

/** A connected community, to which a customer has written once. */
export async function talking(own: object = {}) {
  const all = await beside(own);
  const { session, emulator, atGateway } = all;
  await session.connect(fresh());
  const chat = emulator.chat();
  await emulator.customers.says(chat, { text: "hello" });
  const peer = String(chat.person.id) as ChatId;
  const target = (key: string) => ({ chat: peer, key });
  const step = (more: Partial<SendStep> = {}): SendStep => ({ ...textStep(vk, all.settings), ...more });
  const idOf = (cmid: number) => `${peer}:${cmid}` as MessengerMessageId;
  return {
    ...all,
    ...{ chat, peer, target, step, idOf },
    send: (more: Partial<SendStep> = {}, key = "k") => session.send(step(more), target(key), fresh()),
    lookup: (key: string, since = 0) => session.lookup?.(step(), { ...target(key), since }, fresh()),
    sent: () => chat.messages.filter(({ from }) => from === "community"),
    calls: (method: string) => emulator.core.journal.entries().filter(({ operation }) => operation === method),
    /** A file of an agent's, as a part of a step. */
    file(id: string, bytes: Uint8Array | string, mediaType: string, name: string) {
      const given = Buffer.from(bytes);
      const open = (): OpenFile => ({ body: new Blob([given]).stream(), mediaType, name, size: given.length });
      atGateway.set(id, open);
      return { file: { at: "gateway" as const, id: id as never } };
    },
  };
}
