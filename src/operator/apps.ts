import { hasApp } from "gangway-messenger/apps";
import { deadline } from "gangway-messenger/clock";
import { errorText } from "gangway-messenger/errors";
import type { ChannelAdapter } from "gangway-messenger/port";
import type { Config } from "../config.ts";
import type { CommandContext } from "./command.ts";
import type { Finding } from "./remedies.ts";

/** Deadline per messenger, ms. */
const ANSWER_MS = 5_000;

/** Checks whether messengers accept the credentials of the operator's apps, and send to this server. */
export async function askApps(
  { call, clock }: Pick<CommandContext, "call" | "clock">,
  { publicUrl, updates, messengers }: Pick<Config, "publicUrl" | "updates" | "messengers">,
  adapters: ChannelAdapter[],
): Promise<Finding[]> {
  const asked = adapters.filter(hasApp).map(async ({ kind, title, app }): Promise<Finding[]> => {
    const server = { updates, ...messengers[kind] };
    if (!app.check || !app.isSetUp(server)) return [];
    const about = `app at ${title}`;
    const from = { server, call, clock, doorUrl: `${publicUrl}/apps/${kind}` };
    const { signal, end } = deadline(clock, ANSWER_MS);
    try {
      return [{ about, ...(await app.check(from, signal)) }];
    } catch (error) {
      const todo = "run the doctor again later: nothing is known of the app's secret until the messenger answers";
      return [{ state: "warn", about, seen: errorText(error), todo }];
    } finally {
      end();
    }
  });
  return (await Promise.all(asked)).flat();
}
