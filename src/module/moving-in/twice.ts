import type { FormerAccount } from "gangway-messenger/former";
import { hasScheme } from "../connecting/address.ts";
import type { Refusal } from "./reports.ts";

/** Undefined if the text is no address. */
export function originOf(text: string): string | undefined {
  const full = hasScheme(text) ? text : `https://${text}`;
  return URL.canParse(full) ? new URL(full).origin : undefined;
}

interface Twice {
  /** Rows that share a client id, channel or login with another row. */
  refusals: Map<FormerAccount, Refusal>;
  /** Rows that share a CRM: at most one of them is in use. */
  twins: Set<FormerAccount>;
}

/** Duplicates in the former database can be imported once at most, and we cannot tell which row is in use. */
export function twiceIn(all: FormerAccount[]): Twice {
  const refusals = new Map<FormerAccount, Refusal>();
  const refuse = (rows: FormerAccount[], what: string) => {
    for (const row of rows)
      refusals.set(row, {
        why: `${what} twice in the former module's database`,
        todo: "remove the one that is not in use there, then import again",
      });
  };
  const rows = all.flatMap((account) => account.logins.map((login) => ({ account, login })));
  for (const account of all)
    for (const [id, same] of Map.groupBy(account.logins, ({ gatewayChannelId }) => gatewayChannelId))
      if (same.length > 1) refuse([account], `its channel ${id} stands`);
  for (const [id, same] of Map.groupBy(rows, ({ login }) => login.loginId))
    if (id !== "" && same.length > 1)
      refuse(
        same.map(({ account }) => account),
        `its login ${same[0]?.login.name || id} stands`,
      );
  for (const [id, same] of Map.groupBy(all, ({ clientId }) => clientId))
    if (id !== "" && same.length > 1) refuse(same, "its client id stands");
  const crms = Map.groupBy(all, ({ crmUrl }) => originOf(crmUrl));
  crms.delete(undefined);
  return { refusals, twins: new Set([...crms.values()].filter((same) => same.length > 1).flat()) };
}
