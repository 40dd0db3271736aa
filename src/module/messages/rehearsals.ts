import { isHosted, type Said, type StandIn } from "gangway-messenger/hosted";
import type { ChannelId } from "gangway-messenger/ids";
import type { Language } from "gangway-messenger/language";
import type { ChannelAdapter } from "gangway-messenger/port";
import type { Account } from "../../domain/account.ts";
import type { Channel } from "../../domain/channel.ts";
import { Overload } from "../../domain/delivery.ts";
import type { AcceptInbound } from "../../relay/accept/inbound.ts";
import type { Sessions } from "../../relay/sessions/sessions.ts";
import { ifOpens } from "../../store/secrets.ts";
import type { Store } from "../../store/store.ts";
import { type FollowingParts, follow, type Stage } from "./stages.ts";

/** Lets an account's user play the customer in a channel that has a stand-in. */
export interface Rehearsals {
  /** Undefined if the account has no such channel, or the channel no stand-in. */
  look(account: Account, id: ChannelId, language: Language): Promise<Rehearsal | undefined>;
  /** Delivers the text to the channel as the customer's own device would. Undefined as for `look`. */
  say(account: Account, id: ChannelId, text: string): Promise<SayResult | undefined>;
}
export type SayResult = "said" | "empty" | "too-long" | "overload";

export interface Rehearsal {
  /** The chat as the customer sees it, oldest first; times in ms. */
  chat: (Said & { at: number })[];
  /** Stages of the last message; absent before the first. */
  stages?: Stage[];
  maxLength: number;
}

export interface RehearsalParts extends FollowingParts {
  store: Pick<Store, "channels" | "journal" | "stories">;
  sessions: Pick<Sessions, "adapter" | "of" | "requestFor">;
  acceptInbound: AcceptInbound;
  keepRaw: boolean;
}

/** How much of the chat's end the page shows. */
const SHOWN = { entries: 20, bytes: 256 * 1024 };

export function createRehearsals(parts: RehearsalParts): Rehearsals {
  const { store, sessions, acceptInbound } = parts;
  const found = async (account: Account, id: ChannelId) => {
    const channel = await store.channels.byId(account.id, id);
    const adapter = channel && sessions.adapter(channel.kind);
    const standIn = adapter && standInOf(adapter);
    return channel && standIn && isReadable(channel) ? { channel, standIn } : undefined;
  };
  return {
    async look(account, id, language) {
      const own = await found(account, id);
      if (!own) return undefined;
      const { channel, standIn } = own;
      const last = await store.stories.lastIn(channel, standIn.chat);
      const records = await store.journal.latest(channel.id, standIn.chat, SHOWN);
      return {
        maxLength: standIn.maxLength,
        stages: last === undefined ? undefined : await follow(parts, { account, channel }, last, language),
        chat: records.flatMap(({ entry, at }) => {
          const said = standIn.read(entry);
          return said ? [{ ...said, at }] : [];
        }),
      };
    },
    async say(account, id, text) {
      const own = await found(account, id);
      if (!own) return undefined;
      const { channel, standIn } = own;
      if (text.trim() === "") return "empty";
      if ([...text].length > standIn.maxLength) return "too-long";
      const raw = standIn.says(text);
      const receipt = await sessions.of(channel).receive(sessions.requestFor(channel, raw, true));
      try {
        await acceptInbound(channel, receipt, parts.keepRaw ? () => raw : undefined);
      } catch (error) {
        if (error instanceof Overload) return "overload";
        throw error;
      }
      return "said";
    },
  };
}

const isReadable = (channel: Channel) => ifOpens(() => channel.door && channel.settings) !== undefined;

export const standInOf = (adapter: ChannelAdapter): StandIn | undefined =>
  isHosted(adapter) ? adapter.standIn : undefined;
