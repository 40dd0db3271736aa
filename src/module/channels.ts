import type { z } from "zod";
import type { ChannelAdapter } from "../channels/port.ts";
import type { Account } from "../domain/account.ts";
import type { Channel } from "../domain/channel.ts";
import { DeliveryError } from "../domain/delivery.ts";
import type { ChannelId } from "../domain/ids.ts";
import type { Gateway } from "../gateway/client.ts";
import { announcement } from "../gateway/translate.ts";
import type { Log } from "../log.ts";
import type { Sessions } from "../relay/sessions.ts";
import type { Store } from "../store/store.ts";

export type ChannelFault =
  | { code: "kind" | "name" | "gone" }
  /** A field of the form, by its name in the adapter's schema. */
  | { code: "setting"; field: string; message: string }
  | { code: "messenger" | "gateway"; detail: string };
export type ChannelResult = { ok: true; channel: Channel } | { ok: false; fault: ChannelFault };
export interface ChannelForm {
  name: string;
  /** As the form gave it, a value a field; lists are lists. */
  settings: Record<string, unknown>;
}

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
  store: Pick<Store, "channels">;
  sessions: Sessions;
  gatewayOf(account: Account): Gateway;
  wake(account: Account): void;
  log: Log;
}

/** A person waits for the answer: this long at most, ms. */
const PATIENCE_MS = 25_000;
const LONGEST_NAME = 100;
const refuse = (fault: ChannelFault): ChannelResult => ({ ok: false, fault });
const words = (error: unknown) => (error instanceof Error ? error.message : String(error));

export function channelVerbs(parts: ChannelParts): ChannelVerbs {
  const { store, sessions } = parts;
  const owned = (account: Account, id: ChannelId) => store.channels.byId(account.id, id);
  return {
    async add(account, kind, form) {
      const adapter = sessions.adapter(kind);
      if (!adapter) return refuse({ code: "kind" });
      const read = readForm(adapter, form, {});
      if ("fault" in read) return refuse(read.fault);
      const channel = await store.channels.add(account.id, { kind, ...read });
      const result = await open(parts, account, adapter, channel);
      if (!result.ok) await store.channels.setState(channel.id, "removed");
      return result;
    },
    async change(account, id, form) {
      const channel = await owned(account, id);
      const adapter = channel && sessions.adapter(channel.kind);
      if (!channel || !adapter) return refuse({ code: "gone" });
      const read = readForm(adapter, form, channel.settings as Record<string, unknown>);
      if ("fault" in read) return refuse(read.fault);
      await store.channels.change(id, read);
      const changed = await owned(account, id);
      if (!changed) return refuse({ code: "gone" });
      const result = await open(parts, account, adapter, changed);
      // What worked before goes on: a setting that the messenger refuses is not kept.
      if (!result.ok) await store.channels.change(id, { name: channel.name, settings: channel.settings });
      return result;
    },
    remove: (account, id) => remove(parts, account, id),
    async resume(account, id) {
      const channel = await owned(account, id);
      const adapter = channel && sessions.adapter(channel.kind);
      if (!channel || !adapter) return refuse({ code: "gone" });
      return open(parts, account, adapter, channel);
    },
    async announceAll(account) {
      for (const channel of await store.channels.list(account.id)) {
        try {
          await announce(parts, account, channel);
        } catch (error) {
          parts.log.warn("channel.not-announced", { account: account.id, channel: channel.id, error: words(error) });
        }
      }
    },
  };
}

type Draft = { name: string; settings: unknown };

/** Hidden settings (keys the server made) are kept from `before`; the rest is what the form says. */
function readForm(
  adapter: ChannelAdapter,
  form: ChannelForm,
  before: Record<string, unknown>,
): Draft | { fault: ChannelFault } {
  const name = form.name.trim() || adapter.title;
  if ([...name].length > LONGEST_NAME || /\p{Cc}/u.test(name)) return { fault: { code: "name" } };
  const read = (adapter.settings as z.ZodType).safeParse({ ...before, ...form.settings });
  if (read.success) return { name, settings: read.data };
  const [first] = read.error.issues;
  return { fault: { code: "setting", field: String(first?.path[0] ?? ""), message: first?.message ?? "" } };
}

/** Messenger first, then the gateway; then the channel runs. */
async function open(
  parts: ChannelParts,
  account: Account,
  adapter: ChannelAdapter,
  channel: Channel,
): Promise<ChannelResult> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    await parts.sessions.of(channel).connect(signal);
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    return refuse({ code: "messenger", detail: error.message });
  }
  try {
    await announce(parts, account, channel, signal);
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    parts.log.warn("channel.not-announced", { account: account.id, channel: channel.id, error: error.message });
    if (!channel.gatewayChannelId)
      await parts.sessions
        .of(channel)
        .disconnect(signal)
        .catch(() => {});
    return refuse({ code: "gateway", detail: error.message });
  }
  if (channel.state === "stopped") await parts.store.channels.setState(channel.id, "active");
  parts.wake(account);
  parts.log.info("channel.opened", { account: account.id, channel: channel.id, kind: adapter.kind });
  return { ok: true, channel };
}

async function announce(
  parts: ChannelParts,
  account: Account,
  channel: Channel,
  signal = AbortSignal.timeout(PATIENCE_MS),
): Promise<void> {
  const adapter = parts.sessions.adapter(channel.kind);
  if (!adapter) throw new DeliveryError({ type: "reject", code: "general" }, `there is no messenger "${channel.kind}"`);
  const features = adapter.features(adapter.settings.parse(channel.settings));
  const announced = announcement(channel.name, features);
  if (channel.gatewayChannelId && channel.announced === announced) return;
  const gateway = parts.gatewayOf(account);
  const card = { name: channel.name, features };
  const id = channel.gatewayChannelId;
  if (id) await gateway.updateChannel(id, card, signal);
  const made = id ?? (await gateway.activateChannel({ ...card, externalId: channel.id }, signal)).id;
  await parts.store.channels.setGateway(channel.id, { id: made, announced });
}

/** The gateway first: what it no longer sends cannot be lost here. A messenger that is gone does not hold it up. */
async function remove(parts: ChannelParts, account: Account, id: ChannelId): Promise<ChannelResult> {
  const channel = await parts.store.channels.byId(account.id, id);
  if (!channel) return refuse({ code: "gone" });
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    if (channel.gatewayChannelId) await parts.gatewayOf(account).deactivateChannel(channel.gatewayChannelId, signal);
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    return refuse({ code: "gateway", detail: error.message });
  }
  await parts.sessions
    .of(channel)
    .disconnect(signal)
    .catch((error) => parts.log.warn("channel.not-disconnected", { channel: id, error: words(error) }));
  await parts.store.channels.setState(id, "removed");
  parts.sessions.forget(id);
  parts.log.info("channel.removed", { account: account.id, channel: id });
  return { ok: true, channel };
}
