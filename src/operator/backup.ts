import { resolve } from "node:path";
import { MIN_PATIENCE_MS } from "../module/vendor/bulk.ts";
import { BACKUP_MADE, type Check } from "../store/care.ts";
import { StoreError } from "../store/store.ts";
import { checkLines, problemCount, problems } from "./checks.ts";
import { type Answer, type Command, type CommandContext, failed } from "./command.ts";
import { remediesOf } from "./remedies.ts";
import { bytesInWords, when } from "./table.ts";

export const backup: Command = {
  words: "backup",
  summary: "copy the database to <file> and kept files to <file>.files, and verify the copy; the server may run",
  takes: { name: "file", needed: true },
  options: {},
  run: (context, { word = "" }) =>
    context.withStore(async (store): Promise<Answer> => {
      const report = await store.backup.write(resolve(word));
      await store.audit.record(undefined, {
        actor: "operator",
        action: BACKUP_MADE,
        detail: { file: report.file, bytes: report.bytes, files: report.files },
      });
      const found = problems(report.checks);
      const todo = remediesOf(report.checks, "data folder");
      return {
        ok: found === 0,
        json: { ...report, todo },
        text: [
          ...checkLines(report.checks),
          `${report.file}: ${bytesInWords(report.bytes)} database; ${report.files} kept files in ${report.file}.files`,
          "Keep the two together. SECRET_KEYS is not part of them, and they cannot be opened without it.",
          ...(found > 0
            ? [`The backup is complete. The database, and so the copy, has ${problemCount(found)}:`, ...todo]
            : []),
        ],
      };
    }),
};

const RESTORE_POSTGRES =
  "Everything is in PostgreSQL (DATABASE_URL): stop the servers, restore with its own tools, then run gangway after-restore before a server starts.";

export const restore: Command = {
  words: "restore",
  summary: "restore a backup into the data folder of a stopped server",
  takes: { name: "backup", needed: true },
  options: {
    force: {
      help: "restore even if the data folder is not empty (its content moves to a subfolder) or the backup's content has faults",
    },
    resend: {
      help: "send messages that were unsent at backup time; by default they are held, since they may have been delivered later",
    },
  },
  run: async (context, given): Promise<Answer> => {
    const config = context.config();
    if (config.databaseUrl !== undefined) return failed(RESTORE_POSTGRES);
    const { restoreBackup } = await import("../store/care/restore.ts");
    const report = await restoreBackup({
      backup: resolve(given.word ?? ""),
      folder: resolve(config.dataFolder),
      keyRing: config.keyRing,
      clock: context.clock,
      force: given.on("force"),
      resend: given.on("resend"),
      patienceMs: Math.max(MIN_PATIENCE_MS, config.limits.outboundPatienceMs),
    });
    const { aside, held, files, madeAt, checks } = report;
    const found = problems(checks);
    const todo = remediesOf(checks, "data folder");
    const age = madeAt === undefined ? "" : `, made ${when(madeAt)},`;
    return {
      ok: found === 0,
      json: { ...report, todo, madeAt: madeAt === undefined ? undefined : when(madeAt) },
      text: [
        ...checkLines(checks.filter(({ faults }) => faults.length > 0)),
        `The backup${age} was restored to ${config.dataFolder}, with ${files} kept files.`,
        ...(aside ? [`The previous content is in ${aside}; delete it once you no longer need it.`] : []),
        ...(held > 0
          ? [`${held} messages to customers are held; see gangway dead list --held, then dead replay or dead drop.`]
          : []),
        ...(found > 0 ? [`The backup, and so the restored data, has ${problemCount(found)}:`, ...todo] : []),
      ],
    };
  },
};

export const verify: Command = {
  words: "verify",
  summary: "check the database or a backup: integrity, sealed values, lanes, ledger, kept files",
  takes: { name: "backup", needed: false },
  options: {},
  async run(context, { word }): Promise<Answer> {
    const isBackup = word !== undefined;
    const checks = isBackup ? await verifyCopy(context, resolve(word)) : await verifyLive(context);
    const found = problems(checks);
    const last = found === 0 ? "No problems found." : `${problemCount(found)} found.`;
    const live = context.config().databaseUrl === undefined ? "data folder" : "PostgreSQL";
    const todo = remediesOf(checks, isBackup ? "backup" : live);
    return { ok: found === 0, json: { checks, todo }, text: [...checkLines(checks), last, ...todo] };
  },
};

async function verifyCopy(context: CommandContext, file: string): Promise<Check[]> {
  const { verifyBackup } = await import("../store/care/backup.ts");
  return verifyBackup(file, context.config().keyRing);
}

const verifyLive = (context: CommandContext): Promise<Check[]> =>
  context
    .withStore((store) => store.condition.verify())
    .catch(async (error: unknown) => {
      if (!(error instanceof StoreError) || error.kind !== "damaged") throw error;
      const { verifyDamaged } = await import("../store/care/backup.ts");
      const { dataFolder, keyRing } = context.config();
      return verifyDamaged(dataFolder, keyRing);
    });
