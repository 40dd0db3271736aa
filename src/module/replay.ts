import type { Account } from "../domain/account.ts";
import type { Log } from "../log.ts";
import { type AcceptInbound, createAcceptInbound } from "../relay/accept/inbound.ts";
import { type AcceptOutbound, createAcceptOutbound } from "../relay/accept/outbound.ts";
import type { Journals } from "../relay/sessions/journals.ts";
import type { Sessions } from "../relay/sessions/sessions.ts";
import type { KeptWebhook } from "../store/messages.ts";
import type { Outbox } from "../store/outbox.ts";
import { ifOpens } from "../store/secrets.ts";
import type { Store } from "../store/store.ts";

export interface ReplayWindow {
  account: Account;
  /** `from` <= time < `to`, ms. */
  from: number;
  to: number;
  /** Looks only. */
  dryRun: boolean;
}
export interface ReplayReport {
  webhooks: number;
  /** Events in them that had been accepted. */
  already: number;
  /** Events that the database did not know: they are delivered now, or would be. */
  missing: number;
  /** Webhooks that bring nothing any more, and rows of webhooks, whosever they are, that do not open. */
  unreadable: UnreadWebhook[];
  /** Webhooks that the door does not take now: the channel was removed, stopped or does not open, the account is off. */
  refused: number;
}

/** Of a row that does not open, or of a channel that reads nothing out of it. `at`, ms, is when it came. */
export type UnreadWebhook = { at: number } & ({ row: number } | { channelId: string });

export interface ReplayParts {
  store: Pick<Store, "channels" | "messages" | "outbox" | "rawWebhooks">;
  sessions: Sessions;
  journals: Journals;
  publicUrl: string;
  patienceMs: number;
  /** Tells the sessions when the webhook came. */
  setTime(ms: number): void;
  log: Log;
}
type Doors = { acceptInbound: AcceptInbound; acceptOutbound: AcceptOutbound };

/** Rows that are read at once: each holds the webhooks of a commit, up to a mebibyte. */
const PAGE = 20;

/** Runs what an account was sent in a window of time through the doors once more; events that are known add nothing. */
export async function replayWindow(parts: ReplayParts, window: ReplayWindow): Promise<ReplayReport> {
  const { account, dryRun, from, to } = window;
  const report: ReplayReport = { webhooks: 0, already: 0, missing: 0, unreadable: [], refused: 0 };
  const runAgain = running(parts, doorsOver(parts, countingOutbox(parts.store.outbox, report, dryRun)));
  let after: number | undefined;
  do {
    const page = await parts.store.rawWebhooks.list(account.id, { from, to, after }, PAGE);
    report.webhooks += page.webhooks.length;
    report.unreadable.push(...page.unreadable);
    for (const webhook of page.webhooks) {
      parts.setTime(webhook.receivedAt);
      const fault = await runAgain(account, webhook);
      if (fault === "refused") report.refused += 1;
      if (fault === "unreadable") report.unreadable.push({ at: webhook.receivedAt, channelId: webhook.channelId });
    }
    after = page.next;
  } while (after !== undefined);
  return report;
}

function doorsOver(parts: ReplayParts, outbox: Outbox): Doors {
  const { sessions, journals, patienceMs, log } = parts;
  const store = { ...parts.store, outbox };
  const wake = () => {};
  return {
    acceptInbound: createAcceptInbound({ store, journals, wake, log }),
    acceptOutbound: createAcceptOutbound({ store, sessions, patienceMs, keepRaw: false, wake, log }),
  };
}

/** Counts what the doors accept. Notes are left as they are: those of then would overwrite what was learnt since. */
function countingOutbox(outbox: Outbox, report: ReplayReport, dryRun: boolean): Outbox {
  const seen = new Set<string>();
  const count = (events: number, missing: number) => {
    report.already += events - missing;
    report.missing += missing;
  };
  const unknown: Outbox["unknown"] = async (channelId, source, keys) => {
    const missing = await outbox.unknown(channelId, source, [...new Set(keys)]);
    const fresh = missing.filter((key) => !seen.has(`${channelId} ${source} ${key}`));
    // A dry run adds nothing that a later webhook of the window could find.
    for (const key of missing) seen.add(`${channelId} ${source} ${key}`);
    return fresh;
  };
  return {
    ...outbox,
    async acceptInbound(channel, { events, journal }) {
      const keys = events.map(({ key }) => key);
      const missing = await unknown(channel.id, "messenger", keys);
      const added =
        dryRun || missing.length === 0
          ? missing.length
          : await outbox.acceptInbound(channel, { events, journal, again: true });
      count(events.length, added);
      return added;
    },
    async acceptOutbound(channel, acceptance) {
      const [missing] = await unknown(channel.id, "gateway", [acceptance.key]);
      const isNew =
        missing !== undefined && (dryRun || (await outbox.acceptOutbound(channel, { ...acceptance, again: true })));
      count(1, isNew ? 1 : 0);
      return isNew;
    },
  };
}

type Fault = "unreadable" | "refused" | undefined;

/** Brings a webhook to its door once more. */
function running({ store, sessions, publicUrl }: ReplayParts, { acceptInbound, acceptOutbound }: Doors) {
  const ofGateway = async (account: Account, { raw }: KeptWebhook): Promise<Fault> => {
    const { status } = await acceptOutbound(account, raw.body);
    if (status === 200) return undefined;
    return status === 400 ? "unreadable" : "refused";
  };
  const ofMessenger = async (account: Account, { channelId, raw }: KeptWebhook): Promise<Fault> => {
    const channel = await store.channels.byId(account.id, channelId);
    const adapter = channel && sessions.adapter(channel.kind);
    if (!channel || !adapter) return "refused";
    if (!ifOpens(() => channel.door && channel.settings)) return "refused";
    const proof = adapter.proof?.(adapter.settings.parse(channel.settings));
    const path = raw.path && !raw.path.startsWith("?") ? `/${raw.path}` : raw.path;
    const request = new Request(`${publicUrl}/m/${channel.door}${path}`, {
      ...{ method: "POST", headers: { ...raw.headers, ...proof }, body: raw.body },
    });
    const receipt = await sessions
      .of(channel)
      .receive(request)
      .catch(() => undefined);
    await receipt?.reply.body?.cancel();
    // Only what brought events was kept.
    if (!receipt || receipt.events.length === 0) return "unreadable";
    await acceptInbound(channel, receipt);
    return undefined;
  };
  return (account: Account, webhook: KeptWebhook) =>
    webhook.source === "messenger" ? ofMessenger(account, webhook) : ofGateway(account, webhook);
}
