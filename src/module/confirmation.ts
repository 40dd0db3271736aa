import type { Config } from "../config.ts";
import { createCrm } from "../crm/client.ts";
import { CrmError } from "../crm/verdict.ts";
import { type Account, works } from "../domain/account.ts";
import type { Call } from "../domain/call.ts";
import { type Clock, pause } from "../domain/clock.ts";
import { eachOf, serialByKey } from "../domain/concurrency.ts";
import { INBOUND_PATIENCE_MS } from "../domain/delivery.ts";
import type { AccountId } from "../domain/ids.ts";
import { createLoop } from "../domain/loop.ts";
import type { Log } from "../log.ts";
import type { Store } from "../store/store.ts";

export type Switches = Pick<Account, "active" | "frozen">;

/** Whether a module is switched on and not frozen: the CRM is asked, again and again, until it says so itself. */
export interface Confirmation {
  /** Resolves once the CRM has been asked, at most after a few seconds; `said` is what a callback claims. */
  ask(id: AccountId, said: Switches): Promise<void>;
  /** Asks about every account: a question does not outlive the process, and callbacks may have come while nobody listened. */
  start(): void;
  stop(): void;
}

export interface ConfirmationParts {
  config: Pick<Config, "module">;
  call: Call;
  store: Pick<Store, "accounts">;
  clock: Clock;
  log: Log;
  /** After the module has been switched on. */
  activated(account: Account): void;
}

/** How long a callback waits for the CRM's word, ms: the CRM waits for the callback. */
const CALLBACK_MS = 5_000;
/** Time between two rounds, ms; the pause of an account that gets no answer doubles from there up to the longest. */
const [ROUND_MS, MAX_PAUSE_MS] = [10_000, 600_000];
/** Accounts that are asked about side by side, and in one round. */
const [AT_ONCE, MAX_IN_ROUND] = [8, 200];
/** A CRM may call before its own write is visible: one that contradicts the callback is asked so often. */
const MAX_CONTRADICTIONS = 4;

interface Question {
  said?: Switches;
  asked: number;
  dueAt: number;
  /** Why there was no answer last time. */
  reason?: string;
}

export function confirming({ config, call, store, clock, log, activated }: ConfirmationParts): Confirmation {
  const questions = new Map<AccountId, Question>();
  /** Undefined when the CRM gives no answer of its own. */
  const readSwitches = async ({ id, crmUrl, apiKey }: Account, question: Question): Promise<Switches | undefined> => {
    const unanswered = (reason: string) => {
      // Once for each reason: it may stay so for days.
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
    const isSettled = !state || !question.said || same(question.said, state) || question.asked >= MAX_CONTRADICTIONS;
    if (isSettled && questions.get(id) === question) questions.delete(id);
    if (!account || !state) return;
    const changed = !same(account, state);
    if (changed || question.said) log.info("account.activity", { account: id, ...state, changed });
    if (!changed) return;
    await store.accounts.setActivity(id, state, INBOUND_PATIENCE_MS);
    if (works(state)) activated({ ...account, ...state });
  };
  const askNow = lastWaiting(answer);
  const notAsked = (error: unknown) => log.warn("account.not-asked", { error: String(error) });
  const round = async (stop: AbortSignal) => {
    const due = [...questions].filter(([, { dueAt }]) => dueAt <= clock.monotonic());
    // What a callback claims goes before what only a start asks.
    due.sort(([, a], [, b]) => Number(b.said !== undefined) - Number(a.said !== undefined));
    const askAbout = ([id]: [AccountId, Question]) =>
      askNow(id).catch((error) => log.warn("account.not-asked", { account: id, error: String(error) }));
    await eachOf(due.slice(0, MAX_IN_ROUND), AT_ONCE, askAbout, stop);
  };
  const loop = createLoop({ clock, everyMs: ROUND_MS, round, failed: notAsked });
  const start = async () => {
    for (const { id } of await store.accounts.list())
      if (!questions.has(id)) questions.set(id, { asked: 0, dueAt: clock.monotonic() });
    await loop.start();
  };
  return {
    async ask(id, said) {
      questions.set(id, { said, asked: 0, dueAt: clock.monotonic() });
      await Promise.race([askNow(id), pause(clock, CALLBACK_MS)]);
    },
    start: () => void start().catch(notAsked),
    stop: () => void loop.stop(),
  };
}

const same = (a: Switches, b: Switches): boolean => a.active === b.active && a.frozen === b.frozen;

/** One act of an account at a time; whoever comes while one waits shares it. */
function lastWaiting(act: (id: AccountId) => Promise<void>): (id: AccountId) => Promise<void> {
  const serial = serialByKey();
  const waiting = new Map<AccountId, Promise<void>>();
  return (id) => {
    const known = waiting.get(id);
    if (known) return known;
    const mine = serial(id, () => {
      waiting.delete(id);
      return act(id);
    });
    waiting.set(id, mine);
    return mine;
  };
}
