/** What a person does. No secret and no message text belongs into it. */
export interface Act {
  actor: "account user" | "operator";
  /** In a few words, for example `message sent again`. */
  action: string;
  detail?: Detail;
}

/** An act of a person at the form. */
export const byUser = (action: string): Act => ({ actor: "account user", action });

export type Detail = Record<string, string | number | boolean | undefined>;

export interface AuditRow {
  id: number;
  at: number;
  actor: Act["actor"];
  action: string;
  accountId?: string;
  detail: Detail;
}

export interface AuditFilter {
  accountId?: string;
  /** Both ends are in it, ms. */
  from?: number;
  to?: number;
  most: number;
}

/** The acts of people, for whoever has to find out later what happened. */
export interface AuditStore {
  record(accountId: string | undefined, act: Act): Promise<void>;
  /** Newest first. */
  list(filter: AuditFilter): Promise<AuditRow[]>;
}
