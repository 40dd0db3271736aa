import type { Command } from "./command.ts";
import { table } from "./table.ts";

export const messengersList: Command = {
  words: "messengers",
  summary: "list the messengers of this server, and the packages of MESSENGERS that it refuses",
  options: {},
  async run(context) {
    const { adapters, installed } = await context.messengers();
    const packages = new Map(installed.map((each) => ["adapter" in each ? each.adapter : undefined, each]));
    const messengers = adapters.map((adapter) => {
      const { kind, title } = adapter;
      const { package: from = "", version = "", license = "" } = packages.get(adapter) ?? {};
      return { kind, title, package: from, version, license };
    });
    const refused = installed.flatMap((each) => ("refused" in each ? [each] : []));
    const rows = messengers.map(({ kind, title, package: from, version, license }) => [
      ...[kind, title],
      ...(from ? [from, version, license] : ["comes with the server", "", ""]),
    ]);
    return {
      ok: refused.length === 0,
      json: { messengers, refused },
      text: [
        ...table(["kind", "title", "package", "version", "licence"], rows),
        ...refused.map(({ package: name, refused: why }) => `${name} is refused: ${why}.`),
      ],
    };
  },
};
