import type { Call } from "gangway-messenger/call";
import { type Clock, pause } from "gangway-messenger/clock";
import { eachOf, serialByKey } from "gangway-messenger/concurrency";
import type { Config } from "../../config.ts";
import { createCrm } from "../../crm/client.ts";
import { CrmError } from "../../crm/verdict.ts";
import { type Account, isOn } from "../../domain/account.ts";
import { INBOUND_PATIENCE_MS } from "../../domain/delivery.ts";
import type { AccountId } from "../../domain/ids.ts";
import { createLoop } from "../../domain/loop.ts";
import type { Log } from "../../log.ts";
import type { Store } from "../../store/store.ts";

export type Switches = Pick<Account, "active" | "frozen">;

/** Asks the CRM whether its module is active and not frozen, until it answers. */
export interface Confirmation {
  /** Resolves after the first try, or after a few seconds; `reported` comes from the callback. */
  ask(id: AccountId, reported: Switches): Promise<void>;
  /** Asks about every account: questions are in memory only, and callbacks may have been missed during downtime. */
  start(): void;
  /** Asks the same about an account that this process has just taken over. */
  taken(id: AccountId): void;
  stop(): void;
}

export interface ConfirmationParts {
  config: Pick<Config, "module">;
  call: Call;
  store: Pick<Store, "accounts">;
  clock: Clock;
  log: Log;
  /** Called after the module was switched on. */
  activated(account: Account): void;
  /** Called when the CRM has confirmed that the module is on. If this call fails, the next start calls it again. */
  working?(account: Account): Promise<void>;
}

/** How long a callback waits for the CRM's answer, ms; the CRM itself waits for the callback meanwhile. */
const CALLBACK_MS = 5_000;
/** Interval between rounds, ms, which is also the initial backoff of an account without an answer; maximum backoff. */
const [ROUND_MS, MAX_PAUSE_MS] = [10_000, 600_000];
/** Accounts asked about concurrently, and per round. */
const [AT_ONCE, MAX_IN_ROUND] = [8, 200];
/** A CRM may call back before its own write is visible: ask this many times while it contradicts the callback. */
const MAX_CONTRADICTIONS = 4;

interface Question {
  reported?: Switches;
  asked: number;
  dueAt: number;
  /** Why the last try got no answer. */
  reason?: string;
}

export function createConfirmation({
  config,
  call,
  store,
  clock,
  log,
  activated,
  working,
}: ConfirmationParts): Confirmation {
  const questions = new Map<AccountId, Question>();
  /** Undefined when the CRM does not answer. */
  const readSwitches = async ({ id, crmUrl, apiKey }: Account, question: Question): Promise<Switches | undefined> => {
    const unanswered = (reason: string) => {
      // Log each reason once: an outage may last for days.
      if (question.reason !== reason) log.warn("account.activity-unconfirmed", { account: id, reason });
      question.reason = reason;
      return undefined;
    };
    try {
      const { active, frozen } = await createCrm({ call, crmUrl, apiKey }).readModule(config.module.code);
      return active === undefined ? unanswered("not said") : { active, frozen };
    } catch (error) {
      if (!(error instanceof CrmError)) throw error;
      return unanswered(error.reason);
    }
  };
  const answer = async (id: AccountId) => {
    const question = questions.get(id);
    if (!question) return;
    question.asked += 1;
    question.dueAt = clock.monotonic() + Math.min(MAX_PAUSE_MS, ROUND_MS * 2 ** (question.asked - 1));
    const account = await store.accounts.byId(id);
    const state = account && (await readSwitches(account, question));
    if (account && !state) return;
    const isSettled =
      !state || !question.reported || same(question.reported, state) || question.asked >= MAX_CONTRADICTIONS;
    if (isSettled && questions.get(id) === question) questions.delete(id);
    if (!account || !state) return;
    const changed = !same(account, state);
    if (changed || question.reported) log.info("account.activity", { account: id, ...state, changed });
    if (changed) {
      await store.accounts.setActivity(id, state, INBOUND_PATIENCE_MS);
      if (isOn(state)) activated({ ...account, ...state });
    }
    if (isOn(state)) await working?.(account);
  };
  const askNow = coalesced(answer);
  const notAsked = (error: unknown) => log.warn("account.not-asked", { error: String(error) });
  const round = async (stop: AbortSignal) => {
    const due = [...questions].filter(([, { dueAt }]) => dueAt <= clock.monotonic());
    // Questions raised by callbacks go before those raised at the start.
    due.sort(([, a], [, b]) => Number(b.reported !== undefined) - Number(a.reported !== undefined));
    const askAbout = ([id]: [AccountId, Question]) =>
      askNow(id).catch((error) => log.warn("account.not-asked", { account: id, error: String(error) }));
    await eachOf(due.slice(0, MAX_IN_ROUND), AT_ONCE, askAbout, stop);
  };
  const loop = createLoop({ clock, everyMs: ROUND_MS, round, failed: notAsked });
  const taken = (id: AccountId) => {
    if (!questions.has(id)) questions.set(id, { asked: 0, dueAt: clock.monotonic() });
  };
  const start = async () => {
    for (const { id } of await store.accounts.list()) taken(id);
    await loop.start();
  };
  return {
    async ask(id, reported) {
      questions.set(id, { reported, asked: 0, dueAt: clock.monotonic() });
      await Promise.race([askNow(id), pause(clock, CALLBACK_MS)]);
    },
    start: () => void start().catch(notAsked),
    taken,
    stop: () => void loop.stop(),
  };
}

const same = (a: Switches, b: Switches): boolean => a.active === b.active && a.frozen === b.frozen;

/** Runs one call per account at a time; calls that arrive while another waits share it. */
function coalesced(act: (id: AccountId) => Promise<void>): (id: AccountId) => Promise<void> {
  const serial = serialByKey();
  const waiting = new Map<AccountId, Promise<void>>();
  return (id) => {
    const known = waiting.get(id);
    if (known) return known;
    const next = serial(id, () => {
      waiting.delete(id);
      return act(id);
    });
    waiting.set(id, next);
    return next;
  };
}
