import { type Clock, deadline } from "gangway-messenger/clock";
import type { Explain } from "gangway-messenger/explanations";
import type { ChannelId } from "gangway-messenger/ids";
import type { Language } from "gangway-messenger/language";
import type { ChannelSession } from "gangway-messenger/port";
import type { Account } from "../../domain/account.ts";
import { type Channel, notInstalled } from "../../domain/channel.ts";
import type { JobId } from "../../domain/ids.ts";
import type { Sessions } from "../../relay/sessions/sessions.ts";
import { ifOpens } from "../../store/secrets.ts";
import type { Store } from "../../store/store.ts";
import type { ChannelActions } from "../channels/channels.ts";
import { type FollowingParts, follow, type Stage } from "../messages/stages.ts";
import { type HopFault, messengerFault, type Tested } from "./testing.ts";

/** Connection tests: check every hop, then follow the first message that arrives to the CRM and back. */
export interface LiveTests {
  /** Checks the hops; the result, ms, identifies the test. Undefined if the account has no such channel. */
  begin(account: Account, id: ChannelId): Promise<number | undefined>;
  /** Undefined if there is no such test, or it is over. */
  look(account: Account, id: ChannelId, since: number, language: Language): Promise<LiveTest | undefined>;
}

export interface LiveTest {
  since: number;
  /** Hop results; absent after a restart. */
  tested?: Tested;
  stages: Stage[];
  /** Why no message has arrived; absent once one has, or while it is too early to tell. */
  silence?: Silence;
}

/** `vendor`: paused by the vendor; `empty`: a request came without a message; `polled`: polling returns nothing. */
export type Silence =
  | { why: "stopped" | "troubled" | "unreadable" | "vendor"; detail: string }
  | { why: "empty" | "refused"; at: number }
  | { why: "paused" | "polled" | "nothing" };

export interface LiveTestParts extends FollowingParts {
  store: Pick<Store, "channels" | "traffic" | "stories">;
  sessions: Pick<Sessions, "peek" | "adapter">;
  test: ChannelActions["test"];
  /** Called with the status of each response at the channel's door. */
  doorListeners: Map<ChannelId, (status: number) => void>;
  explain: Explain;
  clock: Clock;
}

interface Run {
  since: number;
  tested: Tested;
  request?: { at: number; isRefused: boolean };
  found?: JobId;
  /** The messenger's last answer to a check. */
  answer?: { at: number; fault: HopFault | undefined };
}

/** How long a test lasts, ms, and how many are kept in memory. */
const LASTS_MS = 3_600_000;
const MAX_RUNS = 1_000;
/** Deadline for the messenger's answer while the page waits, and minimum interval of checks, ms. */
const ANSWER_MS = 5_000;
const ASK_MS = 10_000;
/** How long the page waits before it suspects silence, ms: a person has to pick up a phone and write. */
const PATIENT_MS = 60_000;

export function createLiveTests(parts: LiveTestParts): LiveTests {
  const { store, clock, explain, doorListeners } = parts;
  // Lost on restart without harm: the messages themselves are stored.
  const runs = new Map<ChannelId, Run>();
  const remember = (id: ChannelId, run: Run) => {
    runs.delete(id);
    const [oldest] = runs.keys();
    if (oldest && runs.size >= MAX_RUNS) {
      runs.delete(oldest);
      doorListeners.delete(oldest);
    }
    runs.set(id, run);
    doorListeners.set(id, (status) => {
      run.request = { at: clock.now(), isRefused: status === 401 || status === 403 };
    });
  };
  const firstSince = async (channel: Channel, since: number, run: Run | undefined) => {
    if (!run) return store.stories.firstSince(channel, since);
    // Search only once something has arrived: the search reads every message since.
    const flow = (await store.traffic.of(channel.accountId)).find(({ channelId }) => channelId === channel.id);
    const isQuiet = (flow?.lastInboundAt ?? 0) < since;
    run.found ??= isQuiet ? undefined : await store.stories.firstSince(channel, since);
    return run.found;
  };
  return {
    async begin(account, id) {
      const since = clock.now();
      const tested = await parts.test(account, id);
      if (tested) remember(id, { since, tested });
      return tested && since;
    },
    async look(account, id, since, language) {
      const channel = await store.channels.byId(account.id, id);
      const age = clock.now() - since;
      if (!channel || !(age >= 0 && age <= LASTS_MS)) return undefined;
      const known = runs.get(id);
      const run = known?.since === since ? known : undefined;
      const first = await firstSince(channel, since, run);
      const silence = first === undefined ? await silenceOf(parts, channel, { run, since }) : undefined;
      const inWords = <Told extends { detail: string }>(told: Told) => ({
        ...told,
        detail: explain(told.detail, language),
      });
      return {
        since,
        tested: run?.tested.map(({ hop, fault }) => ({ hop, fault: fault && inWords(fault) })),
        stages: await follow(parts, { account, channel }, first, language),
        silence: silence && "detail" in silence && silence.why !== "vendor" ? inWords(silence) : silence,
      };
    },
  };
}

/** Undefined if the settings do not decrypt or are no longer valid. */
function sessionOf(sessions: LiveTestParts["sessions"], channel: Channel): ChannelSession | undefined {
  try {
    return ifOpens(() => ({ settings: channel.settings })) && sessions.peek(channel);
  } catch {
    return undefined;
  }
}

/** Explains the silence. Asks the messenger again: its state may have changed since the test began. */
async function silenceOf(
  parts: LiveTestParts,
  channel: Channel,
  { run, since }: { run?: Run; since: number },
): Promise<Silence | undefined> {
  const { sessions, clock } = parts;
  if (channel.pauseReason !== undefined) return { why: "vendor", detail: channel.pauseReason };
  if (channel.state === "paused") return { why: "paused" };
  if (!sessions.adapter(channel.kind)) return { why: "troubled", detail: notInstalled(channel.kind) };
  const session = sessionOf(sessions, channel);
  if (!session) return { why: "unreadable", detail: "" };
  const isFresh = run?.answer && clock.now() - run.answer.at < ASK_MS;
  const fault = isFresh
    ? run?.answer?.fault
    : await messengerFault(parts, channel, session, deadline(clock, ANSWER_MS).signal);
  if (run && !isFresh) run.answer = { at: clock.now(), fault };
  if (fault) return { why: fault.code === "stopped" ? "stopped" : "troubled", detail: fault.detail };
  if (run?.request?.isRefused) return { why: "refused", at: run.request.at };
  if (clock.now() - since < PATIENT_MS) return undefined;
  if (run?.request) return { why: "empty", at: run.request.at };
  return { why: session.feed ? "polled" : "nothing" };
}
