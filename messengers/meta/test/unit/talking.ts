import type { ChatId } from "gangway-messenger/ids";
import { besideEmulator } from "gangway-messenger/kit/emulated";
import type { Emulator, EmulatorOptions } from "gangway-messenger/kit/emulator";
import { textStep } from "gangway-messenger/kit/sending";
import type { SendStep } from "gangway-messenger/plan";
import type { ChannelAdapter } from "gangway-messenger/port";
import { firstChat } from "../../../../test/system/contract/messaging.ts";
import type { Messaging } from "../../emulator/messaging/emulator.ts";

export const fresh = () => new AbortController().signal;

/** A page or account beside its emulator, connected, with a customer who has written once. */
export async function talking<Network extends Messaging & Emulator>(
  adapter: ChannelAdapter,
  create: (options: EmulatorOptions) => Network,
  own: object = {},
  /** The app whose webhook a person sets, where the adapter cannot. */
  appId = "",
) {
  const { settings, open } = besideEmulator(adapter, create, { verifyToken: "v".repeat(43), ...own });
  const all = await open();
  all.emulator.core.switches.set({ echoAfterMs: 0 });
  const app = all.emulator.core.apps.find(appId);
  if (app) app.webhook = { url: all.context.doorUrl, verifyToken: "v".repeat(43) };
  await all.session.connect(fresh());
  const chat = firstChat(all.emulator);
  await all.emulator.customers.says(chat, { text: "hello" });
  const target = (key: string) => ({ chat: chat.scopedId as ChatId, key });
  const step = (more: Partial<SendStep> = {}): SendStep => ({ ...textStep(adapter, settings), ...more });
  const now = { ms: all.context.clock.now() };
  Object.assign(all.context, { clock: { ...all.context.clock, now: () => now.ms } });
  return {
    ...all,
    chat,
    target,
    step,
    settings,
    eventsAfter: all.after,
    /** The module's clock alone goes on. */
    later: (ms: number) => {
      now.ms += ms;
    },
    send: (more: Partial<SendStep> = {}, key = "k") => all.session.send(step(more), target(key), fresh()),
    sent: () => chat.messages.filter(({ from }) => from === "account"),
  };
}
