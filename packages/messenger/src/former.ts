// Extends port.ts for messengers whose logins may move here from another module, and back.

/** Another module for this messenger, whose accounts can be moved here out of its own PostgreSQL database. */
export interface FormerModule {
  /** Its name in `gangway import <name>`. */
  name: string;
  /** Reads its accounts. Throws UnknownSchema. */
  read(query: Query): Promise<Former>;
}

/** Runs a statement that reads. All values come as text, or null. */
export type Query = (statement: string) => Promise<Record<string, unknown>[]>;

/** The tables are not as this version knows them; the message is for whoever moves the accounts. */
export class UnknownSchema extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UnknownSchema";
  }
}

export interface Former {
  accounts: FormerAccount[];
  /** Logins whose account is gone from its database. */
  strays: number;
}

/** An account as stored in the other module's database; missing values are empty. */
export interface FormerAccount {
  clientId: string;
  crmUrl: string;
  apiKey: string;
  gatewayUrl: string;
  gatewayToken: string;
  logins: FormerLogin[];
}

export interface FormerLogin {
  /** Id of its channel at the gateway, in digits. */
  gatewayChannelId: string;
  name: string;
  /** Id of the login at its messenger, or empty. Equal ids are the same login. */
  loginId: string;
  /** Of a channel of this kind, as its form would give them; they may be unfit. */
  settings: Record<string, unknown>;
  /** Whether it is switched off there. */
  isOff?: true;
}

/** Takes a login over from another module, and gives it back. */
export interface Handover {
  /** Finds out who gets the login's updates now. Changes nothing at the messenger. */
  look(signal: AbortSignal): Promise<Subscription>;
  /** Restores the subscription of the receiver named by the mark. No update is lost; safe to repeat. */
  giveBack(mark: Record<string, unknown>, signal: AbortSignal): Promise<void>;
  /** Whether the mark was made with the current credentials, the only ones its receiver knows. */
  knows(mark: Record<string, unknown>): boolean;
  /** Ends the subscription, whoever has it: updates then wait at the messenger. */
  leave(signal: AbortSignal): Promise<void>;
}

export interface Subscription {
  /** This channel gets them. */
  isHere: boolean;
  /** This server gets them, perhaps at an earlier address of its own. */
  isOwn: boolean;
  /** Who gets them, in words without secrets. */
  to: string;
  /** Stored for `giveBack`: JSON, without secrets. */
  mark: Record<string, unknown>;
}
