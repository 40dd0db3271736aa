import { z } from "zod";
import type { ChannelSession } from "../channels/port.ts";
import type { Account } from "../domain/account.ts";
import type { Channel } from "../domain/channel.ts";
import { serialByKey } from "../domain/concurrency.ts";
import { DeliveryError } from "../domain/delivery.ts";
import { errorText } from "../domain/errors.ts";
import type { ChannelId } from "../domain/ids.ts";
import type { Gateway } from "../gateway/client.ts";
import type { Log } from "../log.ts";
import type { Sessions } from "../relay/sessions/sessions.ts";
import { byUser } from "../store/audit.ts";
import type { Store } from "../store/store.ts";
import { announce, isAnnounced } from "./announcing.ts";
import { type ChannelForm, readForm, type SettingFault } from "./channel-form.ts";

export type ChannelFault =
  | { code: "kind" | "name" | "gone" | "unfit" | "taken" | "too-many" }
  | SettingFault
  | { code: "messenger" | "no-messenger" | "gateway"; detail: string };
export type ChannelResult = { ok: true; channel: Channel } | { ok: false; fault: ChannelFault };
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

export interface ChannelParts {
  store: Pick<Store, "channels" | "audit">;
  sessions: Sessions;
  gatewayOf(account: Account): Gateway;
  wake(account: Account): void;
  /** The channel was made, changed or removed. */
  changed(id: ChannelId): void;
  log: Log;
}

/** Messengers of one account: each costs work in every view of its page. */
export const MOST_CHANNELS = 50;
/** A person waits for the answer: this long at most, ms. */
const PATIENCE_MS = 25_000;
const refuse = (fault: ChannelFault): ChannelResult => ({ ok: false, fault });

export function channelVerbs(parts: ChannelParts): ChannelVerbs {
  const { store, sessions } = parts;
  const serial = serialByKey();
  /** One act of a channel at a time, on what is stored when its turn comes: two activations would make two channels. */
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
  return {
    async add(account, kind, form) {
      const adapter = sessions.adapter(kind);
      if (!adapter) return refuse({ code: "kind" });
      const draft = readForm(adapter, form, {});
      if ("fault" in draft) return refuse(draft.fault);
      // In turn, so that forms sent together do not pass the bound.
      const added = await serial(account.id, async () => {
        const isFull = (await store.channels.list(account.id)).length >= MOST_CHANNELS;
        return isFull ? undefined : store.channels.add(account.id, { kind, ...draft }, byUser("channel added"));
      });
      if (!added) return refuse({ code: "too-many" });
      return withChannel(account, added.id, (channel) => openOrUndo(parts, account, channel));
    },
    change: (account, id, form) => withChannel(account, id, (channel) => change(parts, account, channel, form)),
    remove: (account, id) => withChannel(account, id, (channel) => remove(parts, account, channel)),
    resume: (account, id) =>
      withChannel(account, id, async (channel) => {
        const result = await open(parts, account, channel);
        if (result.ok) await store.audit.record(account.id, { ...byUser("channel resumed"), detail: { channel: id } });
        return result;
      }),
    async announceAll(account) {
      for (const { id } of await store.channels.list(account.id)) {
        const told = serial(id, async () => {
          const channel = await store.channels.byId(account.id, id);
          if (channel && !isAnnounced(parts, channel))
            await announce(parts, account, channel, AbortSignal.timeout(PATIENCE_MS));
        });
        await told.catch((error) =>
          parts.log.warn("channel.not-announced", { account: account.id, channel: id, error: errorText(error) }),
        );
      }
    },
  };
}

/** Messenger first, then the gateway; then the channel runs. */
async function open(parts: ChannelParts, account: Account, given: Channel): Promise<ChannelResult> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const refused = await subscribe(parts, given, signal);
  if (refused) return refuse(refused);
  // Subscribing may have given it a name.
  const channel = (await parts.store.channels.byId(account.id, given.id)) ?? given;
  const fault = await tellGateway(parts, account, channel, signal);
  if (fault) return refuse(fault);
  if (channel.state === "stopped") await parts.store.channels.setState(channel.id, "active");
  else if (channel.trouble) await parts.store.channels.setTrouble(channel.id, undefined);
  parts.wake(account);
  parts.log.info("channel.opened", { account: account.id, channel: channel.id, kind: channel.kind });
  return { ok: true, channel };
}

async function subscribe(
  parts: ChannelParts,
  channel: Channel,
  signal: AbortSignal,
): Promise<ChannelFault | undefined> {
  try {
    const session = parts.sessions.of(channel);
    const identity = await session.identify?.(signal);
    // Before anything is changed there: the messages of a login belong to one channel only.
    if (identity && !(await parts.store.channels.claim(channel.id, identity.id))) return { code: "taken" };
    if (identity) await nameAfter(parts, channel, identity.name);
    await session.connect(signal);
    return undefined;
  } catch (error) {
    if (error instanceof z.ZodError) return { code: "unfit" };
    if (!(error instanceof DeliveryError)) throw error;
    const isRefusal = error.verdict.type === "reject" || error.verdict.type === "reconnect";
    return { code: isRefusal ? "messenger" : "no-messenger", detail: error.message };
  }
}

/** A channel that nobody has named has the name of its login: agents tell two bots apart by it. */
async function nameAfter({ store, sessions }: ChannelParts, channel: Channel, name: string): Promise<void> {
  const { settings, unsure } = channel;
  if (channel.name === sessions.adapter(channel.kind)?.title)
    await store.channels.change(channel.id, { name, settings, unsure });
}

async function tellGateway(
  parts: ChannelParts,
  account: Account,
  channel: Channel,
  signal: AbortSignal,
): Promise<ChannelFault | undefined> {
  try {
    await announce(parts, account, channel, signal);
    return undefined;
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    parts.log.warn("channel.not-announced", { account: account.id, channel: channel.id, error: error.message });
    return { code: "gateway", detail: error.message };
  }
}

/** A channel that could not be opened is nowhere: not here, not at the messenger, not at the gateway. */
async function openOrUndo(parts: ChannelParts, account: Account, channel: Channel): Promise<ChannelResult> {
  let opened = false;
  try {
    const result = await open(parts, account, channel);
    opened = result.ok;
    return result;
  } finally {
    if (!opened) await undo(parts, account, channel.id);
  }
}

async function undo(parts: ChannelParts, account: Account, id: ChannelId): Promise<void> {
  const channel = await parts.store.channels.byId(account.id, id);
  if (!channel) return;
  const signal = AbortSignal.timeout(PATIENCE_MS);
  // A login that nobody has proven was never connected.
  const isUnproven = !channel.identity && sessionOf(parts, channel)?.identify;
  if (!isUnproven) await disconnect(parts, channel, signal);
  if (channel.gatewayChannelId)
    await parts
      .gatewayOf(account)
      .deactivateChannel(channel.gatewayChannelId, signal)
      .catch((error) => parts.log.warn("channel.not-deactivated", { channel: id, error: errorText(error) }));
  await parts.store.channels.setState(id, "removed", undefined, {
    by: byUser("channel not added: it could not be opened"),
  });
  parts.sessions.forget(id);
}

/** What worked before goes on: a setting that messenger or gateway refuse is not kept. */
async function change(
  parts: ChannelParts,
  account: Account,
  before: Channel,
  form: ChannelForm,
): Promise<ChannelResult> {
  const { store, sessions } = parts;
  const { id, gatewayChannelId } = before;
  const adapter = sessions.adapter(before.kind);
  if (!adapter) return refuse({ code: "kind" });
  const draft = readForm(adapter, form, before.settings as Record<string, unknown>);
  if ("fault" in draft) return refuse(draft.fault);
  const old = sessionOf(parts, before);
  await store.channels.change(id, draft, byUser("channel edited"));
  let opened = false;
  try {
    const changed = await store.channels.byId(account.id, id);
    if (!changed) return refuse({ code: "gone" });
    const result = await open(parts, account, changed);
    opened = result.ok;
    if (opened) await leave(parts, id, old, before.identity);
    return result;
  } finally {
    if (!opened) {
      const refused = await store.channels.byId(account.id, id);
      const { name, settings, unsure } = before;
      await store.channels.change(id, { name, settings, unsure }, byUser("channel edit taken back: it was refused"));
      // The gateway may have taken the change although its answer was lost: the next announcement tells it again.
      if (gatewayChannelId) await store.channels.setGateway(id, { id: gatewayChannelId, announced: "" });
      if (refused) await backTo(parts, account, before, refused);
    }
  }
}

const sessionOf = ({ sessions }: ChannelParts, channel: Channel): ChannelSession | undefined => {
  try {
    return sessions.of(channel);
  } catch {
    return undefined;
  }
};

/** With another login the messages of the one before must not come here any more. */
async function leave(
  parts: ChannelParts,
  id: ChannelId,
  old: ChannelSession | undefined,
  identity: string | undefined,
): Promise<void> {
  const now = (await parts.store.channels.ofJob(id))?.identity;
  if (!identity || identity === now) return;
  await old?.disconnect(AbortSignal.timeout(PATIENCE_MS)).catch((error) => {
    parts.log.warn("channel.not-disconnected", { channel: id, error: errorText(error) });
  });
}

/** What had been subscribed before the change is subscribed again, and a new login let go. */
async function backTo(parts: ChannelParts, account: Account, before: Channel, refused: Channel): Promise<void> {
  const tried = sessionOf(parts, refused);
  const signal = AbortSignal.timeout(PATIENCE_MS);
  if (tried && refused.identity !== before.identity) await tried.disconnect(signal).catch(() => {});
  const again = await parts.store.channels.byId(account.id, before.id);
  const fault = again && again.state === "active" ? await subscribe(parts, again, signal) : undefined;
  if (fault) parts.log.warn("channel.not-restored", { channel: before.id, error: fault.code });
}

/** The gateway first: what it no longer sends cannot be lost here. A messenger that is gone does not hold it up. */
async function remove(parts: ChannelParts, account: Account, channel: Channel): Promise<ChannelResult> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    if (channel.gatewayChannelId) await parts.gatewayOf(account).deactivateChannel(channel.gatewayChannelId, signal);
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    return refuse({ code: "gateway", detail: error.message });
  }
  await disconnect(parts, channel, signal);
  await parts.store.channels.setState(channel.id, "removed", undefined, { by: byUser("channel removed") });
  parts.sessions.forget(channel.id);
  parts.log.info("channel.removed", { account: account.id, channel: channel.id });
  return { ok: true, channel };
}

async function disconnect(parts: ChannelParts, channel: Channel, signal: AbortSignal): Promise<void> {
  try {
    await parts.sessions.of(channel).disconnect(signal);
  } catch (error) {
    parts.log.warn("channel.not-disconnected", { channel: channel.id, error: errorText(error) });
  }
}
