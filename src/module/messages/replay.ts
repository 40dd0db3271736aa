import { setImmediate } from "node:timers/promises";
import type { Account } from "../../domain/account.ts";
import type { Log } from "../../log.ts";
import { type AcceptInbound, createAcceptInbound } from "../../relay/accept/inbound.ts";
import { type AcceptOutbound, createAcceptOutbound } from "../../relay/accept/outbound.ts";
import type { Journals, Sessions } from "../../relay/sessions/sessions.ts";
import type { KeptWebhook } from "../../store/messages.ts";
import type { Outbox } from "../../store/outbox.ts";
import { ifOpens } from "../../store/secrets.ts";
import type { Store } from "../../store/store.ts";

export interface ReplayWindow {
  account: Account;
  /** `from` <= time < `to`, ms. */
  from: number;
  to: number;
  /** Reports without delivering. */
  dryRun: boolean;
}
export interface ReplayReport {
  webhooks: number;
  /** Events accepted before. */
  already: number;
  /** Webhooks that no longer change anything, for example an edit that a later one overtook. */
  unchanging: number;
  /** Events missing in the database: delivered now, or in a dry run only counted. */
  missing: number;
  /** Webhooks that yield no events any more, and undecryptable rows of any account. */
  unreadable: UnreadWebhook[];
  /** Webhooks refused now: channel removed, stopped or undecryptable, or account off. */
  refused: number;
}

/** An undecryptable row, or a webhook in which its channel finds no events. `at`: arrival time, ms. */
export type UnreadWebhook = { at: number } & ({ row: number } | { channelId: string });

export interface ReplayParts {
  store: Pick<Store, "channels" | "erasure" | "messages" | "notes" | "outbox" | "rawWebhooks">;
  sessions: Sessions;
  journals: Journals;
  patienceMs: number;
  /** Sets the sessions' clock to the webhook's arrival. */
  setTime(ms: number): void;
  log: Log;
}
type Doors = { acceptInbound: AcceptInbound; acceptOutbound: AcceptOutbound };

/** Rows per page: each holds the webhooks of one commit, up to 1 MiB. */
const PAGE = 20;

/** Runs an account's webhooks from a time window through the doors again. Known events are ignored. */
export async function replayWindow(parts: ReplayParts, window: ReplayWindow): Promise<ReplayReport> {
  const { account, dryRun, from, to } = window;
  const report: ReplayReport = { webhooks: 0, already: 0, unchanging: 0, missing: 0, unreadable: [], refused: 0 };
  const runAgain = createRerun(parts, doorsOver(parts, countingOutbox(parts.store.outbox, report, dryRun)));
  let after: number | undefined;
  do {
    const page = await parts.store.rawWebhooks.list(account.id, { from, to, after }, PAGE);
    report.webhooks += page.webhooks.length;
    report.unreadable.push(...page.unreadable);
    for (const webhook of page.webhooks) {
      parts.setTime(webhook.receivedAt);
      const outcome = await runAgain(account, webhook);
      if (outcome === "refused") report.refused += 1;
      if (outcome === "unchanging") report.unchanging += 1;
      if (outcome === "unreadable") report.unreadable.push({ at: webhook.receivedAt, channelId: webhook.channelId });
    }
    after = page.next;
    // A page reads rows of all accounts: yield to other work.
    await setImmediate();
  } while (after !== undefined);
  return report;
}

function doorsOver(parts: ReplayParts, outbox: Outbox): Doors {
  const { sessions, journals, patienceMs, log } = parts;
  const store = { ...parts.store, outbox };
  const wake = () => {};
  // The responses are discarded.
  const explain = (text: string) => text;
  return {
    acceptInbound: createAcceptInbound({ store, journals, wake, log }),
    acceptOutbound: createAcceptOutbound({
      ...{ store, sessions, patienceMs, vendor: "", keepRaw: false },
      ...{ explain, wake, log },
    }),
  };
}

/** Counts accepted events. Drops notes: old ones would overwrite newer ones. */
function countingOutbox(outbox: Outbox, report: ReplayReport, dryRun: boolean): Outbox {
  const seen = new Set<string>();
  const count = (events: number, missing: number) => {
    report.already += events - missing;
    report.missing += missing;
  };
  const unknown: Outbox["unknown"] = async (channelId, direction, keys) => {
    const missing = await outbox.unknown(channelId, direction, [...new Set(keys)]);
    const fresh = missing.filter((key) => !seen.has(`${channelId} ${direction} ${key}`));
    // A dry run stores nothing, so remember the keys for later webhooks of the window.
    for (const key of missing) seen.add(`${channelId} ${direction} ${key}`);
    return fresh;
  };
  return {
    ...outbox,
    /** Called for events that the door would refuse if they were new. */
    async unknown(channelId, direction, keys) {
      const missing = await outbox.unknown(channelId, direction, keys);
      count(keys.length - missing.length, 0);
      return missing;
    },
    async acceptInbound(channel, { events, journal }) {
      // Failures have no stored key, and repeating one changes nothing.
      const keyed = events.filter(({ type }) => type !== "failed");
      const missing = await unknown(
        channel.id,
        "inbound",
        keyed.map(({ key }) => key),
      );
      const isKnown = missing.length === 0 && keyed.length === events.length;
      const added =
        dryRun || isKnown ? missing.length : await outbox.acceptInbound(channel, { events, journal, again: true });
      count(events.length, added);
      return added;
    },
    async acceptOutbound(channel, acceptance) {
      const [missing] = await unknown(channel.id, "outbound", [acceptance.key]);
      const isNew =
        missing !== undefined && (dryRun || (await outbox.acceptOutbound(channel, { ...acceptance, again: true })));
      count(1, isNew ? 1 : 0);
      return isNew;
    },
  };
}

type Outcome = "accepted" | "unchanging" | "unreadable" | "refused";

/** Passes a webhook to its door again. */
function createRerun({ store, sessions }: ReplayParts, { acceptInbound, acceptOutbound }: Doors) {
  const ofGateway = async (account: Account, { raw }: KeptWebhook): Promise<Outcome> => {
    const { status } = await acceptOutbound(account, raw.body);
    if (status === 200) return "accepted";
    return status === 400 ? "unreadable" : "refused";
  };
  const ofMessenger = async (account: Account, { channelId, raw }: KeptWebhook): Promise<Outcome> => {
    const channel = await store.channels.byId(account.id, channelId);
    if (!channel || !sessions.adapter(channel.kind)) return "refused";
    if (!ifOpens(() => channel.door && channel.settings)) return "refused";
    const request = sessions.requestFor(channel, raw, true);
    const receipt = await sessions
      .of(channel)
      .receive(request)
      .catch(() => undefined);
    await receipt?.reply.body?.cancel();
    if (!receipt?.reply.ok) return "unreadable";
    // It had events when it was stored.
    if (receipt.events.length === 0) return receipt.unknown || receipt.others ? "unreadable" : "unchanging";
    await acceptInbound(channel, receipt);
    return "accepted";
  };
  return (account: Account, webhook: KeptWebhook) =>
    webhook.source === "messenger" ? ofMessenger(account, webhook) : ofGateway(account, webhook);
}
