import { resolve } from "node:path";
import { verifyBackup, verifyDamaged } from "../store/care/backup.ts";
import { restoreBackup } from "../store/care/restore.ts";
import type { Check } from "../store/care.ts";
import { StoreError } from "../store/store.ts";
import type { Answer, Command, Desk } from "./command.ts";
import { PATIENCE_MS } from "./letters.ts";
import { remediesOf } from "./remedies.ts";
import { bytesInWords, plain, when } from "./table.ts";

const problems = (checks: Check[]) => checks.reduce((sum, check) => sum + check.faults.length, 0);

const inWords = (count: number) => `${count} ${count === 1 ? "problem" : "problems"}`;

function told(checks: Check[]): string[] {
  return checks.flatMap(({ name, seen, faults }) => [
    `${faults.length === 0 ? "ok  " : "FAIL"}  ${name}${seen && `: ${seen}`}`,
    ...faults.map((fault) => `        ${plain(fault)}`),
  ]);
}

export const backup: Command = {
  words: "backup",
  summary:
    "copies the database to <file> and kept files to <file>.files, beside the running server, and verifies the copy",
  takes: { name: "file", needed: true },
  options: {},
  run: (desk, { word = "" }) =>
    desk.withStore(async (store): Promise<Answer> => {
      const report = await store.backup.write(resolve(word));
      await store.audit.record(undefined, {
        actor: "operator",
        action: "backup made",
        detail: { bytes: report.bytes, files: report.files },
      });
      const found = problems(report.checks);
      const todo = remediesOf(report.checks, false);
      return {
        ok: found === 0,
        json: { ...report, todo },
        text: [
          ...told(report.checks),
          `${report.file}: ${bytesInWords(report.bytes)} of database; ${report.files} kept files in ${report.file}.files`,
          "Keep the two together. SECRET_KEYS is not in them, and without it they do not open.",
          ...(found > 0
            ? [`The backup is whole and kept. ${inWords(found)} of the database itself, and so in the copy:`, ...todo]
            : []),
        ],
      };
    }),
};

export const restore: Command = {
  words: "restore",
  summary: "puts a backup into the data folder of a server that is stopped",
  takes: { name: "backup", needed: true },
  options: {
    force: {
      help: "also when the data folder is not empty (its content is put aside, in a folder within it), or the backup's content has faults",
    },
    resend: {
      help: "send what the backup has as not yet sent; else it is held, since it may have been delivered since",
    },
  },
  run: async (desk, given): Promise<Answer> => {
    const config = desk.config();
    const report = await restoreBackup({
      backup: resolve(given.word ?? ""),
      folder: resolve(config.dataFolder),
      keyRing: config.keyRing,
      clock: desk.clock,
      force: given.on("force"),
      resend: given.on("resend"),
      patienceMs: Math.max(PATIENCE_MS, config.limits.outboundPatienceMs),
    });
    const { aside, held, files, madeAt, checks } = report;
    const found = problems(checks);
    const todo = remediesOf(checks, false);
    const age = madeAt === undefined ? "" : `, made ${when(madeAt)},`;
    return {
      ok: found === 0,
      json: { ...report, todo, madeAt: madeAt === undefined ? undefined : when(madeAt) },
      text: [
        ...told(checks.filter(({ faults }) => faults.length > 0)),
        `The backup${age} is in ${config.dataFolder}, with ${files} kept files.`,
        ...(aside ? [`What was there is in ${aside}; delete it when it is not needed any more.`] : []),
        ...(held > 0
          ? [`${held} messages to customers are held: see gangway dead list --held, then dead replay or dead drop.`]
          : []),
        ...(found > 0
          ? [`${inWords(found)} of the backup, which ${found === 1 ? "is" : "are"} there now:`, ...todo]
          : []),
      ],
    };
  },
};

export const verify: Command = {
  words: "verify",
  summary: "looks through the database, or through a backup: integrity, sealed values, lanes, ledger, kept files",
  takes: { name: "backup", needed: false },
  options: {},
  async run(desk, { word }): Promise<Answer> {
    const isBackup = word !== undefined;
    const checks = isBackup ? verifyBackup(resolve(word), desk.config().keyRing) : await verifyLive(desk);
    const found = problems(checks);
    const last = found === 0 ? "All is well." : `${inWords(found)} found.`;
    const todo = remediesOf(checks, isBackup);
    return { ok: found === 0, json: { checks, todo }, text: [...told(checks), last, ...todo] };
  },
};

const verifyLive = (desk: Desk): Promise<Check[]> =>
  desk
    .withStore((store) => store.condition.verify())
    .catch((error: unknown) => {
      if (!(error instanceof StoreError) || error.kind !== "damaged") throw error;
      const { dataFolder, keyRing } = desk.config();
      return verifyDamaged(dataFolder, keyRing);
    });
