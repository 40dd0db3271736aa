import { DeliveryError, errorText } from "gangway-messenger/errors";
import type { ChannelId } from "gangway-messenger/ids";
import type { Account } from "../../domain/account.ts";
import { type Channel, shownState } from "../../domain/channel.ts";
import { byUser } from "../../store/care.ts";
import type { Store } from "../../store/store.ts";
import { pastNote } from "../health/past-note.ts";
import { type Tested, type TestingParts, testConnection } from "../health/testing.ts";
import { announce, isAnnounced, isArriving } from "./announcing.ts";
import { createChannelChange } from "./change.ts";
import { type ChannelForm, readForm } from "./form.ts";
import { learnGroups } from "./groups.ts";
import { type ChannelResult, createChannelLink, type LinkParts, patience, refuse } from "./link.ts";
import { renewCredentials } from "./renewal.ts";

/** Manages channels here and at the gateway. A failed step undoes the earlier ones or can be repeated. */
export interface ChannelActions {
  add(account: Account, kind: string, form: ChannelForm, browser?: string): Promise<ChannelResult>;
  change(account: Account, id: ChannelId, form: ChannelForm, browser?: string): Promise<ChannelResult>;
  /** `anyway`: removes the channel even if the gateway does not confirm. */
  remove(account: Account, id: ChannelId, how?: { browser?: string; anyway?: true }): Promise<ChannelResult>;
  /** The channel's messages wait until it is resumed. */
  pause(account: Account, id: ChannelId, browser?: string): Promise<ChannelResult>;
  /** For a paused or stopped channel; refused while the vendor has paused it. */
  resume(account: Account, id: ChannelId, browser?: string): Promise<ChannelResult>;
  /** Undefined when the account has no such channel. */
  test(account: Account, id: ChannelId): Promise<Tested | undefined>;
  /** Hourly: renews due credentials unless stopped, learns the login's groups, regains the subscription. */
  renew(id: ChannelId, stop?: AbortSignal): Promise<void>;
  /** Announces changed name and features to the gateway; opens a never opened channel. Only logs failures. */
  announce(account: Account, id: ChannelId): Promise<void>;
  /** Does the same for each channel. */
  announceAll(account: Account): Promise<void>;
}

export interface ChannelParts extends LinkParts, Pick<TestingParts, "config" | "call"> {
  store: Pick<Store, "accounts" | "channels" | "notes" | "audit" | "serial">;
  /** Called after a channel was added, changed or removed. */
  changed(id: ChannelId): void;
  /** Ends agents' messages that wait in a channel and tells the gateway. Throws DeliveryError if it cannot. */
  close(account: Account, channel: Channel, signal: AbortSignal): Promise<void>;
}

/** Channels per account: each adds work to every view of the account page. */
export const MAX_CHANNELS = 50;

/** An action on a channel that has been loaded. */
type WithChannel<Action extends "remove" | "resume"> = (
  account: Account,
  channel: Channel,
  how?: Parameters<ChannelActions[Action]>[2],
) => Promise<ChannelResult>;

export function createChannelActions(parts: ChannelParts): ChannelActions {
  const { store, sessions, gatewayOf, log } = parts;
  const { serial } = store;
  const link = createChannelLink(parts);
  const change = createChannelChange(parts, link);
  /** Runs one action per channel at a time, on freshly loaded data: two activations would make two channels. */
  const withChannel = (account: Account, id: ChannelId, act: (channel: Channel) => Promise<ChannelResult>) =>
    serial(id, async () => {
      const channel = await store.channels.byId(account.id, id);
      if (!channel) return refuse({ code: "gone" });
      try {
        return await act(channel);
      } finally {
        parts.changed(id);
      }
    });
  const undo = async (account: Account, id: ChannelId, browser?: string) => {
    const channel = await store.channels.byId(account.id, id);
    if (!channel) return;
    const signal = patience(parts.clock);
    // An unverified login was never connected.
    const isUnproven = !channel.identity && link.sessionOf(channel)?.identify;
    if (!isUnproven) await link.unsubscribe(channel, signal);
    if (channel.gatewayChannelId)
      await gatewayOf(account)
        .deactivateChannel(channel.gatewayChannelId, signal)
        .catch((error) => log.warn("channel.not-deactivated", { channel: id, error: errorText(error) }));
    const by = byUser("channel not added: it could not be opened", browser);
    await store.channels.setState(id, "removed", undefined, { by });
    sessions.evict(id);
  };
  /** Opens a channel; on failure removes it here, at the messenger and at the gateway. */
  const openOrUndo = async (account: Account, channel: Channel, browser?: string) => {
    let opened = false;
    try {
      const result = await link.open(account, channel);
      opened = result.ok;
      return result;
    } finally {
      if (!opened) await undo(account, channel.id, browser);
    }
  };
  /** Gateway first: what it no longer sends cannot be lost here. A failing messenger does not block the removal. */
  const remove: WithChannel<"remove"> = async (account, channel, { browser, anyway } = {}) => {
    const signal = patience(parts.clock);
    try {
      await parts.close(account, channel, signal);
      if (channel.gatewayChannelId) await gatewayOf(account).deactivateChannel(channel.gatewayChannelId, signal);
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      if (!anyway) return refuse({ code: "gateway", detail: error.message });
      log.warn("channel.not-deactivated", { channel: channel.id, error: error.message });
    }
    const isLeft = !(await link.unsubscribe(channel, signal));
    await store.channels.setState(channel.id, "removed", undefined, { by: byUser("channel removed", browser) });
    sessions.evict(channel.id);
    log.info("channel.removed", { account: account.id, channel: channel.id });
    return { ok: true, channel, isLeft };
  };
  /** Pauses active channels only: a stopped one rests already, and would look healthy when resumed. */
  const pause = async (channel: Channel, browser?: string): Promise<ChannelResult> => {
    if (shownState(channel) === "active")
      await store.channels.setState(channel.id, "paused", channel.trouble, { by: byUser("channel paused", browser) });
    return { ok: true, channel };
  };
  const resume: WithChannel<"resume"> = async (account, channel, browser) => {
    if (channel.pauseReason !== undefined) return refuse({ code: "vendor", detail: channel.pauseReason });
    const result = await link.open(account, channel);
    if (!result.ok) return result;
    const by = byUser("channel resumed", browser);
    const detail = { ...by.detail, channel: channel.id, name: channel.name };
    if (channel.state !== "paused") await store.audit.record(account.id, { ...by, detail });
    else await store.channels.setState(channel.id, "active", undefined, { by });
    parts.wake(account);
    return result;
  };
  const openLeft = async (account: Account, channel: Channel) => {
    const result = await link.open(account, channel);
    if (result.ok) return;
    log.warn("channel.not-opened", { account: account.id, channel: channel.id, fault: result.fault.code });
  };
  const announceOne = async (account: Account, id: ChannelId) => {
    const announced = serial(id, async () => {
      const channel = await store.channels.byId(account.id, id);
      if (!channel || (await isArriving(store.notes, channel))) return;
      if (shownState(channel) === "active" && !channel.gatewayChannelId) await openLeft(account, channel);
      else if (!(await isAnnounced(parts, channel))) await announce(parts, account, channel, patience(parts.clock));
    });
    await announced.catch((error) =>
      log.warn("channel.not-announced", { account: account.id, channel: id, error: errorText(error) }),
    );
  };
  return {
    async add(account, kind, form, browser) {
      const adapter = sessions.adapter(kind);
      if (!adapter) return refuse({ code: "kind" });
      const draft = readForm(adapter, form, {});
      if ("fault" in draft) return refuse(draft.fault);
      // Serialize, so that concurrent forms cannot exceed the limit, or add to an account that is being disconnected.
      const added = await serial(account.id, async () => {
        if (account.active && !(await store.accounts.byId(account.id))?.active) return "gone";
        if ((await store.channels.list(account.id)).length >= MAX_CHANNELS) return "too-many";
        const { pastDays: days, ...added } = draft;
        const notes = days > 0 ? [pastNote({ days, count: 0 })] : [];
        return store.channels.add(account.id, { kind, ...added, notes }, byUser("channel added", browser));
      });
      if (typeof added === "string") return refuse({ code: added });
      return withChannel(account, added.id, (channel) => openOrUndo(account, channel, browser));
    },
    change: (account, id, form, browser) =>
      withChannel(account, id, (channel) => change(account, channel, form, browser)),
    remove: (account, id, how) => withChannel(account, id, (channel) => remove(account, channel, how)),
    pause: (account, id, browser) => withChannel(account, id, (channel) => pause(channel, browser)),
    resume: (account, id, browser) => withChannel(account, id, (channel) => resume(account, channel, browser)),
    test: (account, id) =>
      serial(id, async () => {
        const channel = await store.channels.byId(account.id, id);
        return channel && testConnection(parts, account, channel, link.sessionOf);
      }),
    renew: (id, stop) =>
      serial(id, async () => {
        const channel = await store.channels.ofJob(id);
        if (!channel || channel.state === "stopped") return;
        await renewCredentials(parts, channel, stop);
        const now = await store.channels.ofJob(id);
        if (!now) return;
        await learnGroups(parts, now, stop);
        if (now.state !== "stopped") await link.regain(now, stop);
      }),
    announce: announceOne,
    async announceAll(account) {
      for (const { id } of await store.channels.list(account.id)) await announceOne(account, id);
    },
  };
}
