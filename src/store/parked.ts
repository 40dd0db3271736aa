import type { Channel } from "../domain/channel/channel.ts";
import type { ParkedFigures } from "../domain/delivery/parked.ts";
import type { RawWebhook } from "../domain/delivery/raw-webhook.ts";
import type { AccountId } from "../domain/ids.ts";

/** A part of a request whose channel cannot take it yet. */
export interface NewParked {
  login: string;
  request: RawWebhook;
  /** The channel's session has authenticated it. */
  proven?: boolean;
  /** Absent: no channel has the login, or none that the part is proven to be for. */
  channel?: Channel;
  /** Whose app forwarded it; absent: the vendor's own. */
  from?: AccountId;
}

export interface Parked {
  position: number;
  /** Undefined when it does not open. */
  part?: { request: RawWebhook; proven: boolean };
  /** Not forwarded by another account's app. */
  isOwn: boolean;
}

/** Parts of requests, kept until their channel can take them, within bounds. */
export interface ParkedStore {
  /** Resolves once it is on disk, with the number of older ones dropped since the room is used up. A repeat replaces the first. */
  park(part: NewParked): Promise<number>;
  /** Whether parts wait that a channel of the account may read. */
  waits(login: string, accountId: AccountId): Promise<boolean>;
  /** Logins with parts. */
  logins(): Promise<string[]>;
  /** Positions of the parts that the account may read, oldest first. */
  of(login: string, accountId: AccountId): Promise<number[]>;
  read(position: number, accountId: AccountId): Promise<Parked | undefined>;
  remove(position: number): Promise<void>;
  /** Keeps strangers' parts for longer, since a channel has the login now. */
  adopt(login: string, channel: Channel): Promise<void>;
  /** Deletes what has waited too long; resolves with the number. */
  expire(): Promise<number>;
  figures(): Promise<ParkedFigures>;
}
