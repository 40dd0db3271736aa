import { type Clock, deadline } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import { cleanName, newId, newSecret } from "gangway-messenger/ids";
import type { Account } from "../../domain/account.ts";
import type { Channel } from "../../domain/channel.ts";
import type { Sessions } from "../../relay/sessions/sessions.ts";
import { createGuessLimit } from "../connecting/guesses.ts";
import { type ChannelDraft, type ChannelForm, readForm } from "./form.ts";
import { type ChannelFault, messengerFault } from "./link.ts";

/** Result of checking the form of a new channel before it is submitted. */
export interface CheckedChannel {
  fault?: ChannelFault;
  /** Name of the messenger login that the form would connect. */
  name?: string;
}

/**
 * Checks the form of a new channel while it is filled in: first its fields, then its login at the messenger. Connects
 * and stores nothing. Undefined: no such messenger. Empty: rate limited, or the messenger has no login.
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

/** Deadline for the messenger's answer, ms. */
const ANSWER_MS = 10_000;

export function createChannelCheck({ sessions, clock }: ChannelCheckParts): CheckChannel {
  // Keeps strangers from guessing other people's tokens through this server.
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

/** A channel without a row, for a session that only asks the messenger for its identity. */
const unsaved = (account: Account, kind: string, { name, settings, unsure = "resend" }: ChannelDraft): Channel => ({
  ...{ id: newId(), accountId: account.id, kind, name, settings, unsure },
  ...{ door: newSecret(), state: "active", epoch: 0 },
});
