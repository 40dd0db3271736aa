import { own } from "../messengers.ts";
import type { Command } from "./command.ts";
import { table } from "./table.ts";

export const messengersList: Command = {
  words: "messengers",
  summary: "list the messengers of this server, and the packages of MESSENGERS that it refuses",
  options: {},
  async run(context) {
    const { installed } = await context.messengers();
    const loaded = [...own, ...installed.flatMap((each) => ("adapter" in each ? each : []))];
    const messengers = loaded.map(
      ({ adapter: { kind, title }, package: from, version = "", level = "", license = "" }) => ({
        ...{ kind, title, package: from, version, level, license },
      }),
    );
    const refused = installed.flatMap((each) => ("refused" in each ? [each] : []));
    const rows = messengers.map((each) => [
      each.kind,
      each.title,
      each.package,
      each.version,
      each.level,
      each.license,
    ]);
    return {
      ok: refused.length === 0,
      json: { messengers, refused },
      text: [
        ...table(["kind", "title", "package", "version", "level", "licence"], rows),
        ...refused.map(({ package: name, refused: why }) => `${name} is refused: ${why}.`),
      ],
    };
  },
};
