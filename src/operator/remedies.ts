import type { Check } from "../store/care.ts";
import { RESTORE_COMMAND } from "../store/store.ts";

// Remedies for the faults that verify, backup, restore and doctor report.

/** One result of the doctor: observation and remedy. */
export interface Finding {
  state: "ok" | "warn" | "fail";
  about: string;
  seen: string;
  todo?: string;
}

const CONTENT: Record<string, string> = {
  "sealed values":
    "reconnect the account, or remove the messenger on its account page and add it again; kept webhooks expire after RAW_WEBHOOK_DAYS",
  ledger: "the channel's totals stay off by this amount: look for its messages in the log and in gangway dead list",
  "kept files":
    "copy these files from the .files folder of an older backup into files/ in the data folder; without such a backup they are lost",
  "files in the bucket":
    "look for what else deletes from the bucket of FILES_S3_URL, and bring the objects back from its versions or a copy",
};
const OTHER = "restart the server; if that does not help, restore a backup without the fault";

/** Remedy for a damaged database. */
export const DAMAGED = `stop the server and restore the newest backup with ${RESTORE_COMMAND}`;

/** Remedy for a database that lacks messages it had accepted. */
export const INCOMPLETE = `they are lost, unless a backup is newer: then stop the server and run ${RESTORE_COMMAND}; else gangway doctor --accept-loss lets the server go on without them`;

const IN_POSTGRES: Record<string, string> = {
  integrity: "stop the servers, restore the newest backup with PostgreSQL's own tools, and run gangway after-restore",
  "kept files":
    "restore an older backup into a database beside it and copy these files' rows of kept_chunk; without such a backup they are lost",
};

export const remedyOf = (name: string): string => CONTENT[name] ?? OTHER;

/** What the checks examined. */
type Checked = "data folder" | "backup" | "PostgreSQL";

/** One remedy per faulty check, or one in all if a damaged file or wrong keys explain the other faults. */
export function remediesOf(checks: Check[], of: Checked): string[] {
  const faulty = checks.filter(({ faults }) => faults.length > 0);
  const decisive = faulty.find(({ kind }) => kind !== "content");
  return (decisive ? [decisive] : faulty).map((check) => remedy(check, of));
}

function remedy({ name, kind }: Check, of: Checked): string {
  if (kind === "keys")
    return `set SECRET_KEYS to ${of === "backup" ? "its value at the time of the backup" : "the server's value"}`;
  if (of === "PostgreSQL") return `${name}: ${IN_POSTGRES[name] ?? remedyOf(name)}`;
  if (kind === "file") return of === "backup" ? "use another backup: this one cannot be restored" : DAMAGED;
  return `${name}: ${remedyOf(name)}`;
}
