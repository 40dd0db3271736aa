import type { ApiToken, EventFigures, EventType, VendorEvent } from "../domain/vendor.ts";

/** Events leave in the order of their ids; each is written in the transaction of what it reports. */
export interface VendorEvents {
  /** Turns writing of events on or off, for all processes. */
  listen(isOn: boolean): Promise<void>;
  /** Writes an event that no transaction reports, if anyone listens. */
  report(type: EventType, accountId: string, data: object): Promise<void>;
  /** Whether an event is due; perhaps not the first one. */
  isDue(): Promise<boolean>;
  /** The first unsent event, even if not due. Undefined while an open transaction may write one with a lower id. */
  next(): Promise<VendorEvent | undefined>;
  delivered(id: number): Promise<void>;
  /** The event stays first in line. */
  failed(id: number, error: string, runAt: number): Promise<void>;
  givenUp(id: number, error: string): Promise<void>;
  /** Runs `work` unless another process is running it. */
  alone(work: () => Promise<void>): Promise<void>;
  /** Newest first. */
  list(limit: number): Promise<VendorEvent[]>;
  figures(): Promise<EventFigures>;
}

export interface ApiTokens {
  /** Resolves with the token (only its hash is stored); undefined when the name is taken. */
  add(name: string, scopes: string[]): Promise<string | undefined>;
  /** By name. */
  list(): Promise<ApiToken[]>;
  /** False when there is none. */
  remove(name: string): Promise<boolean>;
  /** Finds the token's owner and records the use. */
  find(token: string): Promise<ApiToken | undefined>;
}
