import { eachOf } from "gangway-messenger/concurrency";
import type { FormerAccount, FormerModule } from "gangway-messenger/former";
import type { ChannelAdapter } from "gangway-messenger/port";
import { ifOpens } from "../../store/secrets.ts";
import { accountOf } from "../vendor/naming.ts";
import { arrive } from "./arriving.ts";
import { giveBack } from "./giving-back.ts";
import type { MovingParts } from "./parts.ts";
import type { AccountReport } from "./reports.ts";
import { originOf, twiceIn } from "./twice.ts";

/** Accounts processed concurrently: each has its own limits at its CRM and gateway. */
const AT_ONCE = 8;

/** Called with each account's report when it is done. */
type Heard = (report: AccountReport, done: number, all: number) => void;

/** Finds a former module, and its messenger, by name. */
export function formerModule(
  adapters: ChannelAdapter[],
  name: string,
): { module: FormerModule; adapter: ChannelAdapter } | undefined {
  for (const adapter of adapters)
    for (const module of adapter.former ?? []) if (module.name === name) return { module, adapter };
  return undefined;
}

export const formerNames = (adapters: ChannelAdapter[]): string[] =>
  adapters.flatMap(({ former = [] }) => former.map(({ name }) => name));

/** Whether a row matches the given client id or CRM address. */
export function isNamed({ clientId, crmUrl }: FormerAccount, name: string): boolean {
  const [own, named] = [originOf(crmUrl), originOf(name)];
  return clientId === name || (own !== undefined && own === named);
}

interface Run {
  from: string;
  dryRun: boolean;
  heard: Heard;
}

/** Moves `formers`, reporting in their order. `all`: every row of the former database, to find duplicates. */
export async function moveIn(
  parts: MovingParts,
  formers: FormerAccount[],
  { adapter, all, heard, ...run }: Run & { adapter: ChannelAdapter; all: FormerAccount[] },
): Promise<AccountReport[]> {
  const { refusals, twins } = twiceIn(all);
  return each(formers, heard, async (former) => {
    const refusal = refusals.get(former);
    if (refusal) return { crm: former.crmUrl, outcome: "refused", ...refusal, changes: [], logins: [] };
    return arrive(parts, { former, isTwin: twins.has(former), adapter, ...run });
  });
}

/** Undefined if no account here has this name. */
export async function moveOut(
  parts: MovingParts,
  name: string | undefined,
  { heard, ...run }: Run & { force: boolean },
): Promise<AccountReport[] | undefined> {
  const { store } = parts;
  const named =
    name === undefined ? undefined : ((await accountOf(store, name)) ?? (await store.accounts.byClientId(name)));
  if (name !== undefined && !named) return undefined;
  const accounts = (named ? [named] : await store.accounts.list()).filter(
    (account) => ifOpens(() => account.clientId) !== undefined,
  );
  const reports = await each(accounts, heard, (account) => giveBack(parts, { account, ...run }));
  return reports.filter((report) => report !== undefined);
}

async function each<T, Report extends AccountReport | undefined>(
  items: T[],
  heard: Heard,
  act: (item: T) => Promise<Report>,
): Promise<Report[]> {
  const reports = new Map<T, Report>();
  await eachOf(items, AT_ONCE, async (item) => {
    const report = await act(item);
    reports.set(item, report);
    if (report) heard(report, reports.size, items.length);
  });
  return items.map((item) => reports.get(item) as Report);
}
