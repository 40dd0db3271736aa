import { errorText } from "gangway-messenger/errors";
import type { ChannelAdapter } from "gangway-messenger/port";
import { type Command, failed, UsageError } from "./command.ts";

/** Messengers' own commands for integrators: `<kind> <name>`. */
export function commandsOf(adapters: ChannelAdapter[], print: (line: string) => void): Command[] {
  return adapters.flatMap(({ kind, commands = {} }) =>
    Object.entries(commands).map(
      ([name, { summary, options, run }]): Command => ({
        ...{ words: `${kind} ${name}`, summary, options },
        async run({ callAnywhere, clock }, given) {
          const values = Object.entries(options).map(([option, { value, needed }]) => {
            const typed = value === undefined ? given.on(option) : given.text(option);
            if (needed && typed === undefined) throw new UsageError(`--${option} is missing`);
            return [option, typed];
          });
          try {
            const code = await run(Object.fromEntries(values), { call: callAnywhere, clock, print });
            return { ok: code === 0, json: {}, text: [] };
          } catch (error) {
            return failed(errorText(error));
          }
        },
      }),
    ),
  );
}
