import { systemClock } from "../clock.ts";
import type { ChannelEvent } from "../message.ts";
import type { ChannelAdapter } from "../port.ts";
import { callFrom } from "./call.ts";
import { memoryContext } from "./context.ts";
import type { Emulator, EmulatorOptions } from "./emulator.ts";

const OPTIONS: EmulatorOptions = {
  origin: () => "https://network.example",
  clock: { now: systemClock.now, after: () => () => {} },
  deliver: async () => new Response(null, { status: 503 }),
};

/**
 * An adapter beside its emulator, without a socket: its calls go to the emulator, the emulator's webhooks to its session.
 * The settings are those of the demo and `own`.
 */
export function besideEmulator<Network extends Emulator>(
  adapter: ChannelAdapter,
  create: (options: EmulatorOptions) => Network,
  own: object = {},
) {
  const settings = { ...create(OPTIONS).channel().settings, ...own };
  const open = async () => {
    const events: ChannelEvent[] = [];
    const emulator = create({
      ...OPTIONS,
      // The emulator's clock; a test may set it.
      clock: { ...OPTIONS.clock },
      async deliver(request) {
        const receipt = await session.receive(request);
        await commit(receipt);
        events.push(...receipt.events);
        return receipt.reply;
      },
    });
    const { context, commit, atGateway } = await memoryContext<unknown>(adapter.settings.parse(settings));
    const server = { ...context.server, ...adapter.serverSettings?.parse({}) };
    Object.assign(context, { call: callFrom(emulator.site), server });
    const session = adapter.open(context);
    /** The events that an act of the customer causes. */
    const after = async (act: () => Promise<unknown>) => {
      events.length = 0;
      await act();
      return [...events];
    };
    return { context, commit, atGateway, emulator, session, after };
  };
  return { settings, open };
}
