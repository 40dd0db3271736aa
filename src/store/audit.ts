/** A person's action, or the CRM's. Never holds a secret or message text. */
export interface Act {
  actor: "account user" | "operator" | "crm" | "customer";
  /** A few words, for example `message sent again`. */
  action: string;
  detail?: Detail;
}

/** An act on the account page. */
export const byUser = (action: string): Act => ({ actor: "account user", action });

/** What the CRM did, in a callback. */
export const byCrm = (action: string): Act => ({ actor: "crm", action });

/** What a customer asked for at their messenger. */
export const byCustomer = (action: string): Act => ({ actor: "customer", action });

export type Detail = Record<string, string | number | boolean | undefined>;

export interface AuditRow {
  id: number;
  at: number;
  actor: Act["actor"];
  action: string;
  accountId?: string;
  detail: Detail;
}

interface AuditFilter {
  accountId?: string;
  /** Inclusive, like `to`; ms. */
  from?: number;
  to?: number;
  limit: number;
}

export interface AuditStore {
  record(accountId: string | undefined, act: Act): Promise<void>;
  /** Newest first. */
  list(filter: AuditFilter): Promise<AuditRow[]>;
}
