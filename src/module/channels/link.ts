import { type Clock, deadline, pause } from "gangway-messenger/clock";
import { DeliveryError, errorText } from "gangway-messenger/errors";
import type { ChannelAdapter, ChannelSession } from "gangway-messenger/port";
import * as z from "zod";
import type { Account } from "../../domain/account.ts";
import type { Channel } from "../../domain/channel.ts";
import type { Gateway } from "../../gateway/client.ts";
import type { Log } from "../../log.ts";
import type { Sessions } from "../../relay/sessions/sessions.ts";
import type { Store } from "../../store/store.ts";
import { beginComparing } from "../health/compared-note.ts";
import { announce } from "./announcing.ts";
import type { SettingFault } from "./form.ts";
import { learnGroups } from "./groups.ts";

export type ChannelFault =
  | { code: "kind" | "name" | "gone" | "unfit" | "taken" | "too-many" }
  | SettingFault
  | { code: "vendor"; detail: string }
  | { code: "messenger" | "no-messenger" | "gateway"; detail: string };
/** `isLeft`: the removed channel's subscription may still exist at its messenger. */
export type ChannelResult = { ok: true; channel: Channel; isLeft?: boolean } | { ok: false; fault: ChannelFault };

export const refuse = (fault: ChannelFault): ChannelResult => ({ ok: false, fault });

const isRefusal = (error: unknown) =>
  error instanceof z.ZodError ||
  (error instanceof DeliveryError && (error.verdict.type === "reject" || error.verdict.type === "reconnect"));

export const messengerFault = (error: DeliveryError): ChannelFault => ({
  code: isRefusal(error) ? "messenger" : "no-messenger",
  detail: error.message,
});

/** Deadline for messenger and gateway calls while the user waits, ms. */
const PATIENCE_MS = 25_000;
/** Attempts and interval (ms) for connecting the next channel of a shared subscription after network failures. */
const [HAND_OVER_TRIES, HAND_OVER_REST_MS] = [3, 1_000];
export const patience = (clock: Clock): AbortSignal => deadline(clock, PATIENCE_MS).signal;

export interface LinkParts {
  store: Pick<Store, "channels" | "notes">;
  sessions: Sessions;
  gatewayOf(account: Account): Gateway;
  wake(account: Account): void;
  clock: Clock;
  log: Log;
}

/** Connects a channel to its messenger and to the gateway. */
export interface ChannelLink {
  /** Connects the messenger, then the gateway, then starts the channel. */
  open(account: Account, channel: Channel): Promise<ChannelResult>;
  /** Connects the messenger only. */
  subscribe(channel: Channel, signal: AbortSignal): Promise<ChannelFault | undefined>;
  /** False if the messenger could not be told. */
  unsubscribe(channel: Channel, signal: AbortSignal): Promise<boolean>;
  /** Reconnects a channel if its shared subscription points to a door that no channel has any more. */
  regain(channel: Channel, stop?: AbortSignal): Promise<void>;
  /** Undefined when the settings are invalid for a session. */
  sessionOf(channel: Channel): ChannelSession | undefined;
}

/** The names that forms for a new channel suggest. */
const defaultNames = ({ title, titles, variants = [] }: ChannelAdapter): string[] =>
  [{ en: title, ...titles }, ...variants.map((variant) => variant.title)].flatMap(Object.values);

export function createChannelLink(parts: LinkParts): ChannelLink {
  const { store, sessions, log } = parts;
  /** Renames a channel that still has a default name after its login, so that agents can tell two bots apart. */
  const nameAfter = async (channel: Channel, name: string) => {
    const { settings, unsure } = channel;
    const adapter = sessions.adapter(channel.kind);
    if (adapter && defaultNames(adapter).includes(channel.name))
      await store.channels.change(channel.id, { name, settings, unsure });
  };
  const subscribe = async (channel: Channel, signal: AbortSignal): Promise<ChannelFault | undefined> => {
    try {
      const session = sessions.of(channel);
      const identity = await session.identify?.(signal);
      // Reserve the login before connecting: a login's messages belong to one channel only.
      if (identity && !(await store.channels.reserveIdentity(channel.id, identity.id, identity.link)))
        return { code: "taken" };
      if (identity) await nameAfter(channel, identity.name);
      await session.connect(signal);
      await learnGroups(parts, channel, signal);
      if (session.list) {
        const { id } = channel;
        await beginComparing(store.notes, { id, identity: identity?.id ?? channel.identity }, parts.clock.now());
      }
      return undefined;
    } catch (error) {
      if (error instanceof z.ZodError) return { code: "unfit" };
      if (!(error instanceof DeliveryError)) throw error;
      return messengerFault(error);
    }
  };
  /**
   * Hands a shared subscription over to another channel in the group, preferring the same account. Only channels that
   * have connected are proven members: others cannot hand over. Throws if only network failures kept the others from
   * connecting: without the subscription they would receive nothing.
   */
  const handOver = async (channel: Channel, group: string, signal: AbortSignal) => {
    const members = await store.channels.inGroup(group);
    if (!members.some(({ id }) => id === channel.id)) return;
    const isOwn = ({ accountId }: Channel) => (accountId === channel.accountId ? 0 : 1);
    let others = members
      .filter(({ id, state }) => id !== channel.id && state !== "stopped")
      .sort((a, b) => isOwn(a) - isOwn(b));
    for (let tries = 1; others.length > 0; tries++) {
      const failures = new Map<Channel, unknown>();
      for (const other of others) {
        try {
          await sessions.of(other).connect(signal);
          return;
        } catch (error) {
          const { accountId: account, id } = other;
          log.warn("channel.not-handed-over", { account, channel: id, error: errorText(error) });
          if (!isRefusal(error)) failures.set(other, error);
        }
      }
      others = [...failures.keys()];
      if (tries === HAND_OVER_TRIES) for (const failure of failures.values()) throw failure;
      if (others.length > 0) await pause(parts.clock, HAND_OVER_REST_MS, signal);
    }
  };
  const announceToGateway = async (account: Account, channel: Channel, signal: AbortSignal) => {
    try {
      await announce(parts, account, channel, signal);
      return undefined;
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      log.warn("channel.not-announced", { account: account.id, channel: channel.id, error: error.message });
      return { code: "gateway" as const, detail: error.message };
    }
  };
  return {
    async open(account, given) {
      const signal = patience(parts.clock);
      const refused = await subscribe(given, signal);
      if (refused) return refuse(refused);
      // Reload: subscribing may have renamed the channel.
      const channel = (await store.channels.byId(account.id, given.id)) ?? given;
      const fault = await announceToGateway(account, channel, signal);
      if (fault) return refuse(fault);
      // A paused channel stays paused until it is resumed.
      if (channel.state === "stopped") await store.channels.setState(channel.id, "active");
      else if (channel.state === "active" && channel.trouble) await store.channels.setTrouble(channel.id, undefined);
      parts.wake(account);
      log.info("channel.opened", { account: account.id, channel: channel.id, kind: channel.kind });
      return { ok: true, channel };
    },
    subscribe,
    async unsubscribe(channel, signal) {
      try {
        const session = sessions.of(channel);
        const shared = await session.sharing?.(signal);
        if (shared?.door === channel.door) await handOver(channel, shared.group, signal);
        await session.disconnect(signal);
        return true;
      } catch (error) {
        log.warn("channel.not-disconnected", { channel: channel.id, error: errorText(error) });
        return false;
      }
    },
    async regain(channel, stop) {
      const { accountId: account, id } = channel;
      const { signal, end } = deadline(parts.clock, PATIENCE_MS, stop);
      try {
        const session = sessions.of(channel);
        const shared = await session.sharing?.(signal);
        // Even a stopped channel's door forwards what belongs to other channels.
        if (!shared?.door || (await store.channels.byDoor(shared.door))) return;
        await session.connect(signal);
        log.warn("channel.regained", { account, channel: id });
      } catch (error) {
        log.warn("channel.not-regained", { account, channel: id, error: errorText(error) });
      } finally {
        end();
      }
    },
    sessionOf(channel) {
      try {
        return sessions.of(channel);
      } catch {
        return undefined;
      }
    },
  };
}
