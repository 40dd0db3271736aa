import { checkLines, problemCount, problems } from "./checks.ts";
import { type Answer, type Command, failed } from "./command.ts";
import { MIN_PATIENCE_MS } from "./dead.ts";
import { remediesOf } from "./remedies.ts";

export const afterRestore: Command = {
  words: "after-restore",
  summary: "prepare a PostgreSQL database that its own tools have restored from a backup; all servers are stopped",
  options: {
    resend: {
      help: "send messages that were unsent at backup time; by default they are held, since they may have been delivered later",
    },
  },
  async run(context, given): Promise<Answer> {
    const { databaseUrl: url, keyRing, limits } = context.config();
    if (url === undefined)
      return failed("DATABASE_URL is not set: on SQLite, gangway restore does this with the restored backup itself.");
    const { afterRestore: prepare } = await import("../store/postgres/care/after-restore.ts");
    const { held, checks } = await prepare({
      ...{ url, bucket: context.bucket(), keyRing, now: context.clock.now() },
      resend: given.on("resend"),
      patienceMs: Math.max(MIN_PATIENCE_MS, limits.outboundPatienceMs),
    });
    const found = problems(checks);
    const todo = remediesOf(checks, "PostgreSQL");
    return {
      ok: found === 0,
      json: { held, checks, todo },
      text: [
        ...checkLines(checks.filter(({ faults }) => faults.length > 0)),
        held > 0
          ? `${held} messages to customers are held; see gangway dead list --held, then dead replay or dead drop.`
          : "No message to a customer is held by this run.",
        "Customers and accounts that were erased after the backup are in it again: erase them again.",
        ...(found > 0 ? [`The restored database has ${problemCount(found)}:`, ...todo] : ["The servers may start."]),
      ],
    };
  },
};
