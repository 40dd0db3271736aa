import { resolve } from "node:path";
import { StoreError } from "../store/store.ts";
import { type Answer, type Command, UsageError } from "./command.ts";

export const move: Command = {
  words: "move",
  summary: "move everything of a stopped server from the data folder to PostgreSQL, or back; begun again, it goes on",
  options: {
    to: { value: "postgres://…", help: "the empty database to move to" },
    from: { value: "postgres://…", help: "the database to move back from, into an empty data folder" },
  },
  run: async (context, given): Promise<Answer> => {
    const [to, from] = [given.text("to"), given.text("from")];
    const url = to ?? from;
    if (url === undefined || (to !== undefined && from !== undefined))
      throw new UsageError("name one of --to and --from");
    if (!/^postgres(ql)?:\/\//.test(url)) throw new UsageError("the database is named as postgres://user@host/name");
    const { dataFolder, keyRing } = context.config();
    const { moveBetween } = await import("../store/moving/move.ts");
    const lines: string[] = [];
    const told = (line: string) => void lines.push(line);
    const way = to === undefined ? "from" : "to";
    const between = {
      folder: resolve(dataFolder),
      url,
      bucket: context.bucket(),
      keyRing,
      now: context.clock.now(),
      told,
    };
    const { rows, files } = await moveBetween(way, between).catch((error) => {
      // Here an option names the database, not DATABASE_URL.
      if (!(error instanceof StoreError)) throw error;
      throw new StoreError(error.message.replaceAll("DATABASE_URL", `--${way}`), error.kind);
    });
    return {
      ok: true,
      json: { rows, files },
      text: [
        ...lines,
        "Both sides have the same rows, sums and files. From now on the old one is refused at a start.",
        way === "to" ? "Start the server on PostgreSQL." : "Start the server on the data folder.",
      ],
    };
  },
};
