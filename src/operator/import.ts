import { UnknownSchema } from "gangway-messenger/former";
import type { ChannelAdapter } from "gangway-messenger/port";
import { formerModule, formerNames, isNamed, moveIn, moveOut } from "../module/moving-in/moving-in.ts";
import { movingParts } from "../module/moving-in/parts.ts";
import type { AccountReport, LoginReport } from "../module/moving-in/reports.ts";
import { readForeign } from "../store/postgres/database/foreign.ts";
import { type Store, StoreError } from "../store/store.ts";
import { type Answer, type Arguments, type Command, type CommandContext, failed, UsageError } from "./command.ts";
import { plain } from "./table.ts";

export const importAccounts: Command = {
  words: "import",
  summary: "move accounts here from another module's database, beside the running server, or give them back",
  takes: { name: "module", needed: true },
  options: {
    from: { value: "postgres://…", help: "the other module's database; it is only read" },
    account: { value: "id", help: "only this account, given by its client id or CRM address" },
    "dry-run": { help: "only say what would happen: nothing is written anywhere" },
    undo: { help: "give imported accounts back as they were, and erase them here; needs no --from" },
    force: { help: "with --undo: also accounts with undelivered messages, which are lost" },
  },
  run: async (context, given): Promise<Answer> => {
    const { adapters } = await context.messengers();
    const name = given.word ?? "";
    const found = formerModule(adapters, name);
    if (!found)
      throw new UsageError(`no messenger here knows a module "${name}"; known: ${formerNames(adapters).join(", ")}`);
    if (given.on("force") && !given.on("undo")) throw new UsageError("--force goes with --undo");
    const from = given.text("from");
    if (from !== undefined && !/^postgres(ql)?:\/\//.test(from))
      throw new UsageError("the database is named as postgres://user@host/name");
    if (given.on("undo")) return context.withStore((store) => undo(context, given, adapters, store));
    if (from === undefined) throw new UsageError("--from is missing");
    const former = await read(from, found.module.read);
    return context.withStore((store) => arriveAll(context, given, { ...found, adapters, former }, store));
  },
};

/** Throws StoreError whose message names the option instead of DATABASE_URL. */
async function read<T>(url: string, work: Parameters<typeof readForeign<T>>[1]): Promise<T> {
  try {
    return await readForeign(url, work);
  } catch (error) {
    if (error instanceof UnknownSchema) throw new StoreError(error.message);
    if (error instanceof StoreError)
      throw new StoreError(error.message.replaceAll("DATABASE_URL", "--from"), error.kind);
    throw error;
  }
}

type Found = NonNullable<ReturnType<typeof formerModule>>;
type Given = Found & { adapters: ChannelAdapter[]; former: Awaited<ReturnType<Found["module"]["read"]>> };

async function arriveAll(context: CommandContext, given: Arguments, found: Given, store: Store): Promise<Answer> {
  const { accounts, strays } = found.former;
  const name = given.text("account");
  const named = name === undefined ? accounts : accounts.filter((account) => isNamed(account, name));
  if (name !== undefined && named.length === 0) return failed(`The database has no account ${name}.`);
  const dryRun = given.on("dry-run");
  const run = { from: found.module.name, adapter: found.adapter, all: accounts, dryRun, heard: progress(context) };
  const reports = await moveIn(partsOf(context, found.adapters, store), named, run);
  const lost = strays > 0 ? [`${strays} logins in it belong to no account, and were left out.`] : [];
  return answered(reports, dryRun, lost);
}

async function undo(context: CommandContext, given: Arguments, adapters: ChannelAdapter[], store: Store) {
  const name = given.text("account");
  const dryRun = given.on("dry-run");
  const run = { from: given.word ?? "", dryRun, force: given.on("force"), heard: progress(context) };
  const reports = await moveOut(partsOf(context, adapters, store), name, run);
  if (!reports) return failed(`There is no account ${name} here; see gangway accounts list.`);
  // Finish an erasure that was interrupted in the last step.
  if (!dryRun) await store.erasure.resume();
  if (reports.length === 0)
    return { ok: true, json: { accounts: [], dryRun }, text: ["There is nothing to give back."] };
  return answered(reports, dryRun, []);
}

const partsOf = ({ config, call, clock }: CommandContext, adapters: ChannelAdapter[], store: Store) =>
  movingParts({ config: config(adapters), call, clock, store, adapters });

const progress =
  ({ tell }: CommandContext) =>
  ({ crm, outcome }: AccountReport, done: number, all: number) =>
    tell(`${done} of ${all}: ${plain(crm)}: ${outcome}`);

const GOOD = ["imported", "already here", "stopped", "given back", "nothing to give back", "left out"];

function answered(reports: AccountReport[], dryRun: boolean, more: string[]): Answer {
  const all = reports.flatMap((report) => [report, ...report.logins]);
  const outcomes = [...Map.groupBy(reports, ({ outcome }) => outcome)].map(
    ([outcome, those]) => `${outcome}: ${those.length}`,
  );
  return {
    ok: all.every(({ outcome }) => GOOD.includes(outcome)),
    json: { dryRun, accounts: reports },
    text: [
      ...reports.flatMap((report) => lines(report, dryRun)),
      "",
      `${dryRun ? "Nothing was written. It would be: " : "Accounts: "}${outcomes.join(", ") || "none"}`,
      ...more,
    ],
  };
}

const reason = ({ why, todo }: Pick<LoginReport, "why" | "todo">) =>
  `${why === undefined ? "" : `: ${plain(why)}`}${todo === undefined ? "" : `; ${todo}`}`;

function lines(report: AccountReport, dryRun: boolean): string[] {
  const { crm, account, outcome, changes, logins } = report;
  const own = account === undefined ? "" : ` (account ${account})`;
  return [
    `${plain(crm)}${own}: ${outcome}${reason(report)}`,
    ...changes.map((change) => `  ${dryRun ? "would: " : ""}${plain(change)}`),
    ...logins.map((login) => `  ${plain(login.name) || "a login"}: ${login.outcome}${reason(login)}`),
  ];
}
