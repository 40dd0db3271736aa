import type { Receipt } from "../channels/port.ts";
import type { Channel } from "../domain/channel.ts";
import type { AccountId } from "../domain/ids.ts";
import type { Store } from "../store/store.ts";
import type { Journals } from "./journals.ts";

/** Stores what a messenger brought; resolves once it is on the disk, and only then may the reply go out. */
export type AcceptInbound = (channel: Channel, receipt: Omit<Receipt, "reply">) => Promise<void>;

interface Parts {
  store: Pick<Store, "outbox">;
  journals: Journals;
  wake(accountId: AccountId): void;
}

export function inboundDoor({ store, journals, wake }: Parts): AcceptInbound {
  return async (channel, { events, journal = [], notes = [] }) => {
    if (events.length === 0 && journal.length === 0 && notes.length === 0) return;
    const added = await store.outbox.acceptInbound(channel, { events, journal, notes });
    journals.announce(channel.id, journal);
    if (added > 0) wake(channel.accountId);
  };
}
