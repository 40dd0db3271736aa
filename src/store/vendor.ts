import type { ApiToken, EventFigures, EventType, VendorEvent } from "../domain/vendor.ts";

/** Events leave in the order of their ids; each is written in the transaction of what it reports. */
export interface VendorEvents {
  /** Turns the writing of events on or off, in all processes. */
  listen(isOn: boolean): Promise<void>;
  /** Writes an event that belongs to no other transaction, if somebody listens. */
  report(type: EventType, accountId: string, data: object): Promise<void>;
  /** Whether an event is due; perhaps not the first one. */
  isDue(): Promise<boolean>;
  /**
   * The first event that has not ended, however late it is due. Undefined while an open transaction may still write one
   * with a lower id.
   */
  next(): Promise<VendorEvent | undefined>;
  delivered(id: number): Promise<void>;
  /** The event stays the first. */
  failed(id: number, error: string, runAt: number): Promise<void>;
  givenUp(id: number, error: string): Promise<void>;
  /** Runs `work` unless another process is running it. */
  alone(work: () => Promise<void>): Promise<void>;
  /** Newest first. */
  list(limit: number): Promise<VendorEvent[]>;
  figures(): Promise<EventFigures>;
}

export interface ApiTokens {
  /** Resolves with the token, of which only a hash is kept; undefined when there is one of that name. */
  add(name: string, scopes: string[]): Promise<string | undefined>;
  /** Sorted by name. */
  list(): Promise<ApiToken[]>;
  /** False when there is none. */
  remove(name: string): Promise<boolean>;
  /** The token with this value; records that it was used. */
  find(token: string): Promise<ApiToken | undefined>;
}
