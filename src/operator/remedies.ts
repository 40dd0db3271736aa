import type { Check } from "../store/care.ts";
import { RESTORE_COMMAND } from "../store/store.ts";

// What to do about a fault that verify, backup, restore or doctor tell.

/** One line of the doctor's: what was seen, and what to do. */
export interface Finding {
  state: "ok" | "warn" | "fail";
  about: string;
  seen: string;
  todo?: string;
}

const CONTENT: Record<string, string> = {
  "sealed values":
    "connect the account again, or remove the messenger on its account page and add it again; kept webhooks go by themselves after RAW_WEBHOOK_DAYS",
  ledger: "the sums of a channel stay wrong by that much: look for its messages in the log and in gangway dead list",
  "kept files":
    "copy these files from the .files folder of an older backup into files/ of the data folder; where there is none, they are lost",
};
const OTHER = "restart the server; if that does not mend it, bring back a backup that is without the fault";

/** Of the database itself. */
export const DAMAGED = `stop the server and bring back the newest backup with ${RESTORE_COMMAND}`;

export const remedyOf = (name: string): string => CONTENT[name] ?? OTHER;

/** For each check with faults; what stands in a damaged file, or is sealed with other keys, is told of by that alone. */
export function remediesOf(checks: Check[], isBackup: boolean): string[] {
  const faulty = checks.filter(({ faults }) => faults.length > 0);
  const decisive = faulty.find(({ kind }) => kind !== "content");
  return (decisive ? [decisive] : faulty).map((check) => remedy(check, isBackup));
}

function remedy({ name, kind }: Check, isBackup: boolean): string {
  if (kind === "keys")
    return `set SECRET_KEYS as ${isBackup ? "they were when the backup was made" : "the server has them"}`;
  if (kind === "file") return isBackup ? "take another backup: this one cannot be brought back" : DAMAGED;
  return `${name}: ${remedyOf(name)}`;
}
