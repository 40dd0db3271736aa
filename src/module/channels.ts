import type { Account } from "../domain/account.ts";
import type { Channel } from "../domain/channel.ts";
import { serialByKey } from "../domain/concurrency.ts";
import { DeliveryError } from "../domain/delivery.ts";
import { errorText } from "../domain/errors.ts";
import type { ChannelId } from "../domain/ids.ts";
import { byUser } from "../store/audit.ts";
import type { Store } from "../store/store.ts";
import { announce, isAnnounced } from "./announcing.ts";
import { changing } from "./channel-change.ts";
import { type ChannelForm, readForm } from "./channel-form.ts";
import { type ChannelResult, type LinkParts, linking, patience, refuse } from "./channel-link.ts";

/** Channels here and at the gateway. A step that fails undoes the ones before it or can be repeated. */
export interface ChannelVerbs {
  add(account: Account, kind: string, form: ChannelForm): Promise<ChannelResult>;
  change(account: Account, id: ChannelId, form: ChannelForm): Promise<ChannelResult>;
  remove(account: Account, id: ChannelId): Promise<ChannelResult>;
  /** Tries a stopped channel again. */
  resume(account: Account, id: ChannelId): Promise<ChannelResult>;
  /** Tells the gateway what has changed in features or names; one failure does not stop the others. */
  announceAll(account: Account): Promise<void>;
}

export interface ChannelParts extends LinkParts {
  store: Pick<Store, "channels" | "audit">;
  /** The channel was made, changed or removed. */
  changed(id: ChannelId): void;
}

/** Messengers of one account: each costs work in every view of its page. */
export const MOST_CHANNELS = 50;

export function channelVerbs(parts: ChannelParts): ChannelVerbs {
  const { store, sessions, gatewayOf, log } = parts;
  const serial = serialByKey();
  const link = linking(parts);
  const change = changing(parts, link);
  /** One act of a channel at a time, on what is stored when it begins: two activations would make two channels. */
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
  const undo = async (account: Account, id: ChannelId) => {
    const channel = await store.channels.byId(account.id, id);
    if (!channel) return;
    const signal = patience();
    // A login that nobody has proven was never connected.
    const isUnproven = !channel.identity && link.sessionOf(channel)?.identify;
    if (!isUnproven) await link.unsubscribe(channel, signal);
    if (channel.gatewayChannelId)
      await gatewayOf(account)
        .deactivateChannel(channel.gatewayChannelId, signal)
        .catch((error) => log.warn("channel.not-deactivated", { channel: id, error: errorText(error) }));
    const by = byUser("channel not added: it could not be opened");
    await store.channels.setState(id, "removed", undefined, { by });
    sessions.evict(id);
  };
  /** A channel that could not be opened is nowhere: not here, not at the messenger, not at the gateway. */
  const openOrUndo = async (account: Account, channel: Channel) => {
    let opened = false;
    try {
      const result = await link.open(account, channel);
      opened = result.ok;
      return result;
    } finally {
      if (!opened) await undo(account, channel.id);
    }
  };
  /** The gateway first: what it no longer sends cannot be lost here. A messenger that is gone does not hold it up. */
  const remove = async (account: Account, channel: Channel): Promise<ChannelResult> => {
    const signal = patience();
    try {
      if (channel.gatewayChannelId) await gatewayOf(account).deactivateChannel(channel.gatewayChannelId, signal);
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      return refuse({ code: "gateway", detail: error.message });
    }
    await link.unsubscribe(channel, signal);
    await store.channels.setState(channel.id, "removed", undefined, { by: byUser("channel removed") });
    sessions.evict(channel.id);
    log.info("channel.removed", { account: account.id, channel: channel.id });
    return { ok: true, channel };
  };
  return {
    async add(account, kind, form) {
      const adapter = sessions.adapter(kind);
      if (!adapter) return refuse({ code: "kind" });
      const draft = readForm(adapter, form, {});
      if ("fault" in draft) return refuse(draft.fault);
      // One at a time, so that forms sent together do not pass the bound.
      const added = await serial(account.id, async () => {
        const isFull = (await store.channels.list(account.id)).length >= MOST_CHANNELS;
        return isFull ? undefined : store.channels.add(account.id, { kind, ...draft }, byUser("channel added"));
      });
      if (!added) return refuse({ code: "too-many" });
      return withChannel(account, added.id, (channel) => openOrUndo(account, channel));
    },
    change: (account, id, form) => withChannel(account, id, (channel) => change(account, channel, form)),
    remove: (account, id) => withChannel(account, id, (channel) => remove(account, channel)),
    resume: (account, id) =>
      withChannel(account, id, async (channel) => {
        const result = await link.open(account, channel);
        if (result.ok) await store.audit.record(account.id, { ...byUser("channel resumed"), detail: { channel: id } });
        return result;
      }),
    async announceAll(account) {
      for (const { id } of await store.channels.list(account.id)) {
        const told = serial(id, async () => {
          const channel = await store.channels.byId(account.id, id);
          if (channel && !isAnnounced(parts, channel)) await announce(parts, account, channel, patience());
        });
        await told.catch((error) =>
          log.warn("channel.not-announced", { account: account.id, channel: id, error: errorText(error) }),
        );
      }
    },
  };
}
