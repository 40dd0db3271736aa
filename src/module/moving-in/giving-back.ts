import { pause } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import { createCrm } from "../../crm/client.ts";
import { CrmError } from "../../crm/verdict.ts";
import { type Account, isOn } from "../../domain/account.ts";
import type { Channel } from "../../domain/channel.ts";
import { patience } from "../channels/link.ts";
import { forget, webhookOf } from "./arriving.ts";
import { handoverOf, refusalOf } from "./logins.ts";
import type { MovingParts } from "./parts.ts";
import { type CameFrom, type Imported, readCameFrom, readImported } from "./records.ts";
import { type AccountReport, faultInWords, type LoginReport, Refused } from "./reports.ts";

export interface GivingBack {
  account: Account;
  /** Only accounts that came from this module. */
  from: string;
  /** Only look. */
  dryRun: boolean;
  /** Also with messages that have not been delivered: they are lost. */
  force: boolean;
}

/** How long messages that were accepted meanwhile have to leave, and the interval of looks, ms. */
const [LEAVE_MS, LOOK_MS] = [10_000, 500];

/**
 * Gives an imported account back: first messengers, so that no update is lost, then the gateway's channels and the CRM's
 * registration; then it is erased here. Each step is safe to repeat. Undefined: it has not come from that module.
 */
export async function giveBack(parts: MovingParts, giving: GivingBack): Promise<AccountReport | undefined> {
  const { account } = giving;
  const imported = await readImported(parts.store, account.id, account.clientId);
  if (!imported || imported.from !== giving.from) return undefined;
  const report: AccountReport = {
    ...{ crm: account.crmUrl, account: account.id, outcome: "given back" },
    ...{ changes: [], logins: [] },
  };
  try {
    await carryOut(parts, giving, imported, report);
    return report;
  } catch (error) {
    if (error instanceof Refused) return { ...report, outcome: "refused", ...error.refusal };
    if (error instanceof CrmError) {
      const { reason: code, detail } = error;
      return { ...report, outcome: "not finished", ...faultInWords({ code, detail }), todo: AGAIN };
    }
    if (!(error instanceof DeliveryError)) throw error;
    return { ...report, ...refusalOf(error), outcome: "not finished", todo: AGAIN };
  }
}

const AGAIN = "run --undo again later: what is done is kept";

async function carryOut(
  parts: MovingParts,
  { account, dryRun, force }: GivingBack,
  imported: Imported,
  report: AccountReport,
): Promise<void> {
  const channels: { channel: Channel; cameFrom: CameFrom }[] = [];
  for (const channel of await parts.store.channels.list(account.id)) {
    const cameFrom = await readCameFrom(parts.store.notes, channel.id);
    if (!cameFrom)
      throw new Refused(
        `its channel ${channel.name} was added here since`,
        "remove it on the account's page, then run --undo again",
      );
    channels.push({ channel, cameFrom });
  }
  const waiting = await waitingIn(parts, account);
  if (waiting > 0 && !force)
    throw new Refused(
      `${inWords(waiting)} not been delivered yet`,
      "let the running server deliver them and decide about held ones (gangway dead list --held), or add --force, which loses them",
    );
  for (const { channel, cameFrom } of channels)
    report.logins.push(await loginBack(parts, channel, cameFrom, { dryRun, report }));
  for (const { channel, cameFrom } of channels)
    if (cameFrom.gateway && isOn(account) && channel.gatewayChannelId) {
      if (!dryRun)
        await parts
          .gatewayOf(account)
          .putChannelRecord(channel.gatewayChannelId, cameFrom.gateway, patience(parts.clock));
      report.changes.push(`${channel.name}: the gateway's channel is as before`);
    }
  if (await moduleBack(parts, account, imported, dryRun)) report.changes.push("the CRM has the former registration");
  report.changes.push("the account is erased here");
  if (!dryRun) await leave(parts, account, force);
}

const inWords = (count: number) => (count === 1 ? "1 message has" : `${count} messages have`);

/** Messages and acks that have not left, and held ones. */
async function waitingIn({ store }: MovingParts, { id }: Account): Promise<number> {
  const rows = await store.ledger(id);
  return rows.reduce((sum, { waiting, acks }) => sum + waiting + acks.waiting, 0);
}

/** Has the messenger send to the former module again, unless somebody else has taken the login meanwhile. */
async function loginBack(
  parts: MovingParts,
  channel: Channel,
  { mark }: CameFrom,
  { dryRun, report }: { dryRun: boolean; report: AccountReport },
): Promise<LoginReport> {
  const { name, gatewayChannelId } = channel;
  const login: LoginReport = { name, gatewayChannelId, outcome: "given back" };
  if (!mark) return { ...login, outcome: "left out", why: "its credentials were dead before" };
  try {
    const handover = handoverOf(parts.sessions.of(channel));
    if (!(await handover.look(patience(parts.clock))).isHere) return { ...login, outcome: "nothing to give back" };
    if (!dryRun) await handover.giveBack(mark, patience(parts.clock));
    report.changes.push(`${name}: the messenger sends to the former module`);
    return login;
  } catch (error) {
    if (!(error instanceof DeliveryError) || error.verdict.type !== "reconnect") throw error;
    return { ...login, outcome: "left out", why: error.message };
  }
}

/** False when the CRM has another registration than this server's already. */
async function moduleBack(
  parts: MovingParts,
  account: Account,
  { fields }: Imported,
  dryRun: boolean,
): Promise<boolean> {
  const { crmUrl, apiKey } = account;
  const { code } = parts.config.module;
  const crm = createCrm({ call: parts.call, crmUrl, apiKey });
  const { webhookUrl, active } = await crm.readRegistration(code);
  if (webhookUrl !== webhookOf(parts, account)) return false;
  if (!dryRun) await crm.putBack(code, { ...fields, active });
  return true;
}

/** From here on nothing new arrives: what was accepted meanwhile still leaves, then the account is erased. */
async function leave(parts: MovingParts, account: Account, force: boolean): Promise<void> {
  const { clock } = parts;
  const until = clock.monotonic() + LEAVE_MS;
  let waiting = await waitingIn(parts, account);
  while (waiting > 0 && !force && clock.monotonic() < until) {
    await pause(clock, LOOK_MS);
    waiting = await waitingIn(parts, account);
  }
  if (waiting > 0 && !force)
    throw new Refused(`it is given back, but ${inWords(waiting)} come meanwhile and not left yet`, AGAIN);
  for (let tries = 0; tries < 3; tries++) if (await forget(parts, account.id, "account given back")) return;
  throw new Refused("it is given back, but not erased: its CRM goes on switching it on here", AGAIN);
}
