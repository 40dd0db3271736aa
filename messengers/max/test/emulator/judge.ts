import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JournalEntry } from "gangway-messenger/kit/emulator/journal";
import { contractJudge } from "../../../meta/test/emulator/contract.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const FILES = [join(ROOT, "../shared/contract/messengers"), join(ROOT, "../../shared/contract/messengers")]
  .concat(process.env.MESSENGER_CONTRACTS ?? [])
  .map((folder) => join(folder, "max/contract.json"));

interface Described {
  operationId?: string;
  parameters?: { name: string; in: string; required?: boolean; schema: { maximum?: number; enum?: string[] } }[];
}

/** Judges bodies both ways and queries by the published contract. Undefined where it is not beside the checkout. */
export function judgeOf(): ((entry: JournalEntry) => string[]) | undefined {
  const file = FILES.find((path) => existsSync(path));
  const bodies = contractJudge("max");
  if (!file || !bodies) return undefined;
  const { paths } = JSON.parse(readFileSync(file, "utf8")) as { paths: Record<string, Record<string, Described>> };
  const described = new Map(
    Object.values(paths).flatMap((methods) => Object.values(methods).map((each) => [each.operationId, each] as const)),
  );
  return (entry) => {
    const { kind, operation, query, status } = entry;
    const { parameters = [] } = described.get(operation) ?? {};
    const known = parameters.filter((each) => each.in === "query");
    const strange = Object.keys(query).filter((name) => !known.some((each) => each.name === name));
    const absent = known.filter(({ name, required }) => required && query[name] === undefined);
    const tooLarge = known.filter(
      ({ name, schema: { maximum } }) => maximum !== undefined && Number(query[name]) > maximum,
    );
    const faults =
      kind === "call" && status < 400
        ? [
            ...strange.map((name) => `${operation} has no parameter ${name}`),
            ...absent.map(({ name }) => `${operation} lacks ${name}`),
            ...tooLarge.map(({ name }) => `${operation}: ${name} is too large`),
          ]
        : [];
    // Videos and audio are answered in XML.
    const isXml = operation === "upload" && entry.answer === undefined;
    return [...faults, ...bodies(isXml ? { ...entry, answer: { token: "came with the address" } } : entry)];
  };
}
