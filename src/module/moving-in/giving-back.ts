import { pause } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import { createCrm, type KeptRegistration } from "../../crm/client.ts";
import { CrmError } from "../../crm/verdict.ts";
import { type Account, isOn } from "../../domain/account.ts";
import type { Channel } from "../../domain/channel.ts";
import { patience } from "../channels/link.ts";
import { forget, registrationAt } from "./arriving.ts";
import { handoverOf } from "./logins.ts";
import type { MovingParts } from "./parts.ts";
import { type CameFrom, hostsOf, type Imported, importedChannels, readCameFrom, readImported } from "./records.ts";
import { type AccountReport, UNDO_AGAIN as AGAIN, type LoginReport, outcomeOf, Refused } from "./reports.ts";

export interface GivingBack {
  account: Account;
  /** Only accounts that came from this module. */
  from: string;
  /** Only look; change nothing. */
  dryRun: boolean;
  /** Proceeds even with undelivered messages, which are lost. */
  force: boolean;
}

/** How long messages accepted during the handover have to leave, and the polling interval, ms. */
const [LEAVE_MS, LOOK_MS] = [10_000, 500];

/**
 * Gives an imported account back: messengers first, so that no update is lost, then the gateway's channels and the
 * CRM's registration; then erases it here. Every step is idempotent. Undefined: it did not come from that module.
 */
export async function giveBack(parts: MovingParts, giving: GivingBack): Promise<AccountReport | undefined> {
  const { account, from } = giving;
  const report: AccountReport = {
    ...{ crm: account.crmUrl, account: account.id, outcome: "given back" },
    ...{ changes: [], logins: [] },
  };
  try {
    const channels = await channelsOf(parts, account);
    const imported = await readImported(parts.store, account.id, account.clientId);
    if (imported ? imported.from !== from : !channels.some(({ cameFrom }) => cameFrom?.from === from)) return undefined;
    if (!imported)
      throw new Refused(
        "the record of how it was is not in the audit any more (RETAIN_AUDIT_DAYS)",
        "have the merchant connect in the former module by its form, then disconnect here",
      );
    await carryOut(parts, giving, { imported, channels }, report);
    return report;
  } catch (error) {
    // Refusals by other systems may be temporary.
    const isOfOthers = error instanceof CrmError || error instanceof DeliveryError;
    return { ...report, ...outcomeOf(error), ...(isOfOthers && { outcome: "not finished", todo: AGAIN }) };
  }
}

interface Leaving {
  channel: Channel;
  /** Absent if the channel was added here. */
  cameFrom?: CameFrom;
}

async function channelsOf({ store }: MovingParts, { id }: Account): Promise<Leaving[]> {
  const channels: Leaving[] = [];
  for (const channel of await store.channels.list(id))
    channels.push({ channel, cameFrom: await readCameFrom(store.notes, channel.id) });
  return channels;
}

interface Before {
  imported: Imported;
  channels: Leaving[];
}

async function carryOut(
  parts: MovingParts,
  { account, dryRun, force }: GivingBack,
  { imported, channels }: Before,
  report: AccountReport,
): Promise<void> {
  const added = channels.find(({ cameFrom }) => !cameFrom);
  if (added)
    throw new Refused(
      `its channel ${added.channel.name} was added here since`,
      "remove it on the account's page, then run --undo again",
    );
  const waiting = await waitingIn(parts, account);
  if (waiting > 0 && !force)
    throw new Refused(
      `${inWords(waiting)} not been delivered yet`,
      "let the running server deliver them and decide about held ones (gangway dead list --held), or add --force, which loses them",
    );
  const registered = await registeredHere(parts, account, imported);
  const how = { dryRun, report, hosts: hostsOf(imported.fields) };
  for (const leaving of channels) report.logins.push(await loginBack(parts, leaving, how));
  for (const [n, leaving] of channels.entries())
    await settingsBack(parts, account, leaving, { ...how, login: report.logins[n] as LoginReport });
  report.logins.push(...(await removedOf(parts, account, channels)));
  if (registered) {
    await moduleBack(parts, account, imported, { dryRun, active: registered.active });
    report.changes.push("the CRM has the former registration");
  }
  report.changes.push("the account is erased here");
  if (!dryRun) await leave(parts, account, force);
}

const inWords = (count: number) => (count === 1 ? "1 message has" : `${count} messages have`);

/** Counts messages and acks that have not left, including held ones. */
async function waitingIn({ store }: MovingParts, { id }: Account): Promise<number> {
  const rows = await store.ledger(id);
  return rows.reduce((sum, { waiting, acks }) => sum + waiting + acks.waiting, 0);
}

interface How {
  dryRun: boolean;
  report: AccountReport;
  /** The former module's hosts. */
  hosts: string[];
}

/** Points the messenger back to the former module, unless another service has taken the login meanwhile. */
async function loginBack(parts: MovingParts, leaving: Leaving, { dryRun, report, hosts }: How): Promise<LoginReport> {
  const { channel, cameFrom } = leaving;
  const mark = cameFrom?.mark;
  const { name, gatewayChannelId } = channel;
  const login: LoginReport = { name, gatewayChannelId, outcome: "given back" };
  try {
    const handover = handoverOf(parts.sessions.of(channel));
    const { isOwn, to } = await handover.look(patience(parts.clock));
    if (!mark || !handover.knows(mark)) {
      if (isOwn && !dryRun) await handover.leave(patience(parts.clock));
      if (isOwn) report.changes.push(`${name}: the messenger keeps its messages until somebody asks for them`);
      const why = "its credentials have changed since: the former module does not know those of now";
      return { ...login, outcome: "left out", why, todo: "enter them there" };
    }
    // If nobody receives the messages, an earlier attempt may have stopped half-way.
    if (isOwn || to === "") {
      if (!dryRun) await handover.giveBack(mark, patience(parts.clock));
      report.changes.push(`${name}: the messenger sends to the former module`);
      return login;
    }
    if (hosts.includes(to)) return { ...login, outcome: "nothing to give back" };
    return { ...login, outcome: "left out", why: `another service gets its messages now (${to})` };
  } catch (error) {
    if (!(error instanceof DeliveryError) || error.verdict.type !== "reconnect") throw error;
    return { ...login, outcome: "left out", why: error.message };
  }
}

/** Restores the former settings of the gateway's channel; reports a permanent failure in the login's report. */
async function settingsBack(
  parts: MovingParts,
  account: Account,
  { channel: { name, gatewayChannelId, announced }, cameFrom }: Leaving,
  { dryRun, report, login }: How & { login: LoginReport },
): Promise<void> {
  const gateway = cameFrom?.gateway;
  const keepsOurs = (why: string) =>
    Object.assign(login, {
      outcome: "left out",
      why: [login.why, `its channel at the gateway keeps the settings of now: ${why}`].filter(Boolean).join("; "),
      todo: [login.todo, "save it in the former module"].filter(Boolean).join("; "),
    });
  if (!gatewayChannelId) return;
  if (!gateway) {
    if (announced !== undefined) keepsOurs("the account was switched off when it was imported");
    return;
  }
  try {
    const record = parts.gatewayOf(account).putChannelRecord;
    if (!dryRun) await record(gatewayChannelId, gateway, patience(parts.clock));
    report.changes.push(`${name}: the gateway's channel is as before`);
  } catch (error) {
    if (!(error instanceof DeliveryError) || (isOn(account) && error.verdict.type !== "reject")) throw error;
    keepsOurs(error.message);
  }
}

/** Reports channels that were imported and then removed here: they cannot be restored. */
async function removedOf({ store }: MovingParts, { id }: Account, channels: Leaving[]): Promise<LoginReport[]> {
  const here = new Set(channels.map(({ channel }) => String(channel.id)));
  return [...(await importedChannels(store, id))]
    .filter(([channel]) => !here.has(channel))
    .map(([, name]) => ({
      ...{ name, outcome: "left out", why: "it was removed here since, and its channel at the gateway is off" },
      todo: "add it anew in the former module",
    }));
}

/** This server's registration, perhaps under an old address; undefined: the CRM has the former one. Throws Refused. */
async function registeredHere(
  parts: MovingParts,
  account: Account,
  imported: Imported,
): Promise<KeptRegistration | undefined> {
  const registered = await registrationAt(parts, account);
  const { webhookUrl = "" } = registered;
  if (webhookUrl === imported.webhookUrl) return undefined;
  if (webhookUrl.endsWith(`/gateway/${account.webhookSecret}`)) return registered;
  const host = URL.canParse(webhookUrl) ? new URL(webhookUrl).host : "no address";
  throw new Refused(
    `its CRM sends agents' messages neither here nor to the former module, but to ${host}`,
    "ask the merchant who has connected it there",
  );
}

async function moduleBack(
  parts: MovingParts,
  { crmUrl, apiKey }: Account,
  { fields }: Imported,
  { dryRun, active }: Pick<KeptRegistration, "active"> & { dryRun: boolean },
): Promise<void> {
  if (dryRun) return;
  await createCrm({ call: parts.call, crmUrl, apiKey }).putBack(parts.config.module.code, { ...fields, active });
}

/** Nothing new arrives from here on: waits until accepted messages have left, then erases the account. */
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
