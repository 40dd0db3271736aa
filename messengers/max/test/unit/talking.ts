import type { ChatId } from "gangway-messenger/ids";
import { streamOf } from "gangway-messenger/kit/context";
import { besideEmulator } from "gangway-messenger/kit/emulated";
import type { EmulatorOptions } from "gangway-messenger/kit/emulator";
import { textStep } from "gangway-messenger/kit/sending";
import type { SendStep } from "gangway-messenger/plan";
import { createEmulator } from "../../emulator/emulator.ts";
import max from "../../src/index.ts";

export const fresh = () => new AbortController().signal;
export const SECRET = "s".repeat(43);

/** A bot beside its emulator, connected, with a customer who has written once. The clock of both stands still, but for the waits of the adapter. */
export async function talking(own: object = {}) {
  const now = { ms: 1_764_000_000_000 };
  const create = (options: EmulatorOptions) =>
    createEmulator({ ...options, clock: { now: () => now.ms, after: () => () => {} } });
  const { settings, open } = besideEmulator(max, create, { webhookSecret: SECRET, ...own });
  const all = await open();
  const waits: number[] = [];
  const after = (ms: number, run: () => void) => {
    waits.push(ms);
    now.ms += ms;
    setImmediate(run);
    return () => {};
  };
  Object.assign(all.context, { clock: { ...all.context.clock, now: () => now.ms, after }, openedAt: now.ms });
  const { emulator, context } = all;
  emulator.switches.set({ paced: false, notReady: 0 });
  // A session begins with its clock.
  const session = max.open(context);
  await session.connect(fresh());
  const dialog = emulator.firstDialog();
  const events = await all.after(() => emulator.customers.says(dialog, { text: "hello" }));
  const chat = String(dialog.chatId) as ChatId;
  const step = (more: Partial<SendStep> = {}): SendStep => ({ ...textStep(max, settings), ...more });
  return {
    ...{ ...all, session, dialog, chat, step, settings, events, waits },
    later: (ms: number) => {
      now.ms += ms;
    },
    target: (key: string) => ({ chat, key }),
    send: (more: Partial<SendStep> = {}, key = "k") => session.send(step(more), { chat, key }, fresh()),
    lookup: (key = "k", more: Partial<SendStep> = {}) =>
      session.lookup?.(step(more), { chat, key, since: now.ms - 60_000 }, fresh()),
    sent: () => dialog.messages.filter(({ from, isDeleted }) => from === "bot" && !isDeleted),
    calls: (operation: string) => emulator.journal.entries().filter((entry) => entry.operation === operation),
    has: (name: string, bytes: Uint8Array | string, mediaType: string, id = "f1") =>
      all.atGateway.set(id, () => ({
        body: streamOf(bytes),
        mediaType,
        name,
        size: Buffer.byteLength(bytes),
      })),
  };
}
