import { resolve } from "node:path";
import { verifyBackup } from "../store/backup.ts";
import { restoreBackup } from "../store/restore.ts";
import type { Check } from "../store/verify.ts";
import type { Answer, Command } from "./command.ts";
import { PATIENCE_MS } from "./letters.ts";
import { bytesInWords, plain, when } from "./table.ts";

const problems = (checks: Check[]) => checks.reduce((sum, check) => sum + check.faults.length, 0);

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
      return {
        ok: true,
        json: report,
        text: [
          ...told(report.checks),
          `${report.file}: ${bytesInWords(report.bytes)} of database; ${report.files} kept files in ${report.file}.files`,
          "Keep the two together. SECRET_KEYS is not in them, and without it they do not open.",
        ],
      };
    }),
};

export const restore: Command = {
  words: "restore",
  summary: "puts a backup into the data folder of a server that is stopped",
  takes: { name: "backup", needed: true },
  options: {
    force: { help: "also when the data folder is not empty: its content is put aside, in a folder within it" },
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
    const { aside, held, files, madeAt } = report;
    const age = madeAt === undefined ? "" : `, made ${when(madeAt)},`;
    return {
      ok: true,
      json: { ...report, madeAt: madeAt === undefined ? undefined : when(madeAt) },
      text: [
        `The backup${age} is in ${config.dataFolder}, with ${files} kept files.`,
        ...(aside ? [`What was there is in ${aside}; delete it when it is not needed any more.`] : []),
        ...(held > 0
          ? [`${held} messages to customers are held: see gangway dead list --held, then dead replay or dead drop.`]
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
    const checks =
      word === undefined
        ? await desk.withStore((store) => store.condition.verify())
        : verifyBackup(resolve(word), desk.config().keyRing);
    const found = problems(checks);
    const last = found === 0 ? "All is well." : `${found} ${found === 1 ? "problem" : "problems"} found.`;
    return { ok: found === 0, json: { checks }, text: [...told(checks), last] };
  },
};
