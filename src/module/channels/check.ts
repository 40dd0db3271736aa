import { type Clock, deadline } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import { cleanName, newId, newSecret } from "gangway-messenger/ids";
import type { Account } from "../../domain/account.ts";
import type { Channel } from "../../domain/channel.ts";
import type { Sessions } from "../../relay/sessions/sessions.ts";
import { createGuessLimit } from "../connecting/guesses.ts";
import { type ChannelDraft, type ChannelForm, readForm } from "./form.ts";
import { type ChannelFault, messengerFault } from "./link.ts";

/** What is known of the form of a new messenger that has not been sent. */
export interface CheckedChannel {
  fault?: ChannelFault;
  /** Of the login at the messenger that it would connect. */
  name?: string;
}

/**
 * Checks the form of a new messenger while it is filled: its fields, and once none is wrong, its login at the messenger.
 * Connects and stores nothing. Undefined: there is no such messenger. Empty: too much is asked, or it has no login.
 */
export type CheckChannel = (
  account: Account,
  kind: string,
  form: ChannelForm,
  signal: AbortSignal,
) => Promise<CheckedChannel | undefined>;

export interface ChannelCheckParts {
  sessions: Pick<Sessions, "adapter" | "peek">;
  clock: Clock;
}

/** Deadline of the messenger's answer, ms. */
const ANSWER_MS = 10_000;

export function createChannelCheck({ sessions, clock }: ChannelCheckParts): CheckChannel {
  // Prevents guessing other people's tokens through this server.
  const mayGuess = createGuessLimit(clock);
  return async (account, kind, form, signal) => {
    const adapter = sessions.adapter(kind);
    if (!adapter) return undefined;
    const draft = readForm(adapter, form, {});
    if ("fault" in draft) return draft;
    if (!(await mayGuess(account.id, account.id, signal))) return {};
    const patience = deadline(clock, ANSWER_MS, signal);
    try {
      const session = sessions.peek(unsaved(account, kind, draft));
      const identity = await session.identify?.(patience.signal);
      return identity ? { name: cleanName(identity.name) } : {};
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      return { fault: messengerFault(error) };
    } finally {
      patience.end();
    }
  };
}

/** For a session that only asks the messenger who it is. */
const unsaved = (account: Account, kind: string, { name, settings, unsure = "resend" }: ChannelDraft): Channel => ({
  ...{ id: newId(), accountId: account.id, kind, name, settings, unsure },
  ...{ door: newSecret(), state: "active", epoch: 0 },
});
