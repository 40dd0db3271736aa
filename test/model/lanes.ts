// Reference model of lanes and acks: the store must be in the same state after every step.

export type Way = "inbound" | "outbound";
type AckState = "due" | "sending" | "given" | "refused";
export interface Entry {
  id: number;
  /** Order in the lane: the id, until it is sent again. */
  position: number;
  lane: string;
  way: Way;
  channel: number;
  /** The messenger's id of a customer's message. */
  name?: string;
  chat: number;
  state: "ready" | "sending" | "waiting" | "done" | "held" | "dead" | "carried";
  attempts: number;
  unsure: number;
  crashes: number;
  /** Consecutive crashes in our own code, and whether that runs now. */
  fatal: number;
  marked: Mark;
  runAt: number;
  deadlineAt: number;
  /** The album; of its later parts, the message that carries them. */
  album?: string;
  carrier: number | null;
  /** 0 for our own notes, which the ledger does not count. */
  events: 0 | 1;
  /** For an agent's message: steps in total, and done. */
  steps: number;
  stepsDone: number;
  /** A recorded step gave it an id at the messenger. */
  named: boolean;
  /** Its id at the messenger once it is done. */
  sentAs?: string;
  /** Dead by a failure that came after the messenger had accepted it. */
  late: 0 | 1;
  /** How often it was sent again after such a failure. */
  generation: number;
  /** What the gateway must still be told. */
  ack: AckState | null;
  ackVersion: number;
  ackAttempts: number;
  ackAt: number | null;
  ackDeadlineAt: number | null;
}
/** Whether our own code runs on it, or awaits a call after that. */
export type Mark = "no" | "runs" | "ran";
export interface Acks {
  owed: number;
  given: number;
  refused: number;
}
export interface Model {
  now: number;
  entries: Entry[];
  last: number;
  known: Set<string>;
  frozen: boolean;
  trouble: boolean;
  restUntil: number;
  channels: { state: "active" | "paused" | "stopped" | "removed"; hold: boolean; acks: Acks }[];
  /** Failures that wait for the end of a message: channel, chat and id at the messenger. */
  kept: Set<string>;
}
export const PATIENCE = { inbound: 72 * 3_600_000, outbound: 60_000, album: 1_200 };

export const live = ({ state }: Entry) => state === "ready" || state === "sending" || state === "waiting";
/** The oldest live message. */
export const headOf = (model: Model, lane: string) =>
  model.entries
    .filter((entry) => entry.lane === lane && live(entry))
    .reduce<Entry | undefined>((head, each) => (head && head.position < each.position ? head : each), undefined);
export const entryOf = (model: Model, id: number) => model.entries.find((entry) => entry.id === id) as Entry;

const FRESH = { attempts: 0, unsure: 0, crashes: 0, fatal: 0, marked: "no" as const };
const NO_ACK = { ack: null, ackVersion: 0, ackAttempts: 0, ackAt: null, ackDeadlineAt: null };

type New = Pick<Entry, "way" | "channel" | "chat"> & Partial<Entry>;
export function append(model: Model, entry: New): Entry {
  model.last += 1;
  const id = model.last;
  const whole: Entry = {
    ...{ id, position: id, lane: `${entry.channel}/${entry.way}/${entry.chat}`, state: "ready", carrier: null },
    ...{
      runAt: model.now,
      deadlineAt: model.now + PATIENCE[entry.way],
      events: 1,
      steps: 1,
      stepsDone: 0,
      named: false,
    },
    ...{ late: 0, generation: 0 },
    ...{ ...FRESH, ...NO_ACK, ...entry },
  };
  model.entries.push(whole);
  return whole;
}

export function accept(model: Model, name: string, entry: New): boolean {
  const known = `${entry.channel} ${entry.way} ${name}`;
  if (model.known.has(known)) return false;
  model.known.add(known);
  const runAt = model.now + PATIENCE.album;
  const open = entry.album && model.entries.find((each) => joins(each, entry));
  if (!open) append(model, { ...entry, ...(entry.album && { runAt }) });
  else {
    append(model, { ...entry, album: undefined, state: "carried", carrier: open.id, deadlineAt: 0 });
    open.runAt = runAt;
  }
  return true;
}
/** An album is open until it may have left: a part added later would be lost with a repeat. */
const joins = (open: Entry, { album, channel, chat }: New) =>
  open.album === album &&
  open.channel === channel &&
  open.chat === chat &&
  open.state === "ready" &&
  open.attempts === 0 &&
  open.unsure === 0 &&
  open.position === open.id;

/** The message and the album's parts that it carries. */
export const partsOf = (model: Model, { id }: Entry) =>
  model.entries.filter((each) => each.id === id || each.carrier === id);

/** Due heads. */
export const claimable = (model: Model): Entry[] =>
  model.entries.filter(
    (entry) =>
      entry.state === "ready" && entry.runAt <= model.now && headOf(model, entry.lane) === entry && works(model, entry),
  );
const works = (model: Model, { way, channel }: Pick<Entry, "way" | "channel">) =>
  !model.frozen &&
  model.channels[channel]?.state !== "paused" &&
  // Outbound jobs do not need the gateway's token and never rest.
  (way === "outbound" || model.restUntil <= model.now);
/** Accepted with slots for it: up to `most` of the new messages leave at once. */
export function leave(model: Model, fresh: Entry[], most: number): Entry[] {
  const leaving: Entry[] = [];
  for (const entry of fresh)
    if (leaving.length < most && claimable(model).includes(entry)) leaving.push(claim(entry) as Entry);
  return leaving;
}
export const claim = (entry: Entry) =>
  Object.assign(entry, { state: "sending", attempts: entry.attempts + 1, marked: "no" });

/** Acks wait for nothing but their time and the gateway. */
export const acksDue = (model: Model): Entry[] =>
  model.frozen || model.restUntil > model.now
    ? []
    : model.entries.filter(({ ack, ackAt }) => ack === "due" && (ackAt ?? 0) <= model.now);
export const claimAck = (entry: Entry) =>
  Object.assign(entry, { ack: "sending", ackAttempts: entry.ackAttempts + 1, marked: "no" });

/** After the end of a lane's head: its next job queues behind heads already due. */
function promote(model: Model, lane: string, wasHead: boolean): void {
  const next = wasHead ? headOf(model, lane) : undefined;
  if (next) next.runAt = Math.max(next.runAt, model.now);
}

/** The same for every attempt, until the messenger gives the message up. */
export const keyOf = ({ id, generation }: Entry) => (generation === 0 ? String(id) : `${id}-${generation}`);
const keptAs = ({ channel, chat }: Pick<Entry, "channel" | "chat">, name: string) => `${channel} chat-${chat}:${name}`;

/** The message ends under this id, unless the messenger has given it up meanwhile. */
function sent(model: Model, entry: Entry, name: string): void {
  const isLate = model.kept.delete(keptAs(entry, name));
  Object.assign(entry, { sentAs: name, ...(isLate ? { state: "dead", late: 1 } : { state: "done" }) });
}

/** How long a newer ack waits for an older one under way, ms. */
const OLDER_ACK_MS = 5_000;

/** The messenger could not deliver what it had accepted. True when that is news. */
export function failLate(model: Model, at: Pick<Entry, "channel" | "chat">, name: string): boolean {
  const known = model.entries.find(({ channel, sentAs }) => channel === at.channel && sentAs === name);
  if (known) {
    if (known.state !== "done") return false;
    Object.assign(known, { state: "dead", late: 1 });
    const isUnderWay = known.ack === "sending";
    owe(model, known);
    if (isUnderWay) known.ackAt = model.now + OLDER_ACK_MS;
    return true;
  }
  const mayBe = ({ way, channel, chat, state }: Entry) =>
    way === "outbound" && channel === at.channel && chat === at.chat && (state === "held" || live({ state } as Entry));
  const kept = keptAs(at, name);
  if (model.kept.has(kept) || !model.entries.some(mayBe)) return false;
  model.kept.add(kept);
  return true;
}

export function done(model: Model, entry: Entry): void {
  const wasHead = headOf(model, entry.lane) === entry;
  entry.fatal = 0;
  if (entry.way === "outbound") sent(model, entry, `t${keyOf(entry)}`);
  else entry.state = "done";
  promote(model, entry.lane, wasHead);
  if (entry.way === "outbound") owe(model, entry);
  else gatewayAnswered(model);
}
export function end(model: Model, entry: Entry, state: "dead" | "held"): void {
  const wasHead = headOf(model, entry.lane) === entry;
  Object.assign(entry, { state, fatal: 0 });
  promote(model, entry.lane, wasHead);
  if (entry.way === "outbound") owe(model, entry);
}
function gatewayAnswered(model: Model): void {
  if (model.trouble) Object.assign(model, { trouble: false, restUntil: 0 });
}

const acksOf = (model: Model, { channel }: Entry) => (model.channels[channel] as Model["channels"][number]).acks;
const isOwed = ({ ack }: Entry) => ack === "due" || ack === "sending";
/** A new outcome replaces an ack that is due or under way. */
export function owe(model: Model, entry: Entry): void {
  if (!isOwed(entry)) acksOf(model, entry).owed += 1;
  dueAgain(model, entry);
}
export function oweAgain(model: Model, entry: Entry): void {
  acksOf(model, entry).refused -= 1;
  dueAgain(model, entry);
}
function dueAgain({ now }: Model, entry: Entry): void {
  const times = { ackAt: now, ackDeadlineAt: now + PATIENCE.inbound };
  Object.assign(entry, { ack: "due", ackVersion: entry.ackVersion + 1, ackAttempts: 0, ...times });
}
/** Whether an answer counts: the debt may be a newer one, or already another holder's. */
export const isCurrent = ({ ack, ackVersion }: Entry, version: number | undefined) =>
  ack === "sending" && ackVersion === version;
export function ackGiven(model: Model, entry: Entry): void {
  Object.assign(entry, { ack: "given", ackAt: model.now });
  acksOf(model, entry).given += 1;
  gatewayAnswered(model);
}
export function ackRefused(model: Model, entry: Entry): void {
  Object.assign(entry, { ack: "refused", ackAt: model.now });
  acksOf(model, entry).refused += 1;
}
export function ackLater(model: Model, entry: Entry, ms: number, ackAttempts = entry.ackAttempts): void {
  const ackAt = model.now + ms;
  if (ackAt >= (entry.ackDeadlineAt ?? 0)) ackRefused(model, entry);
  else Object.assign(entry, { ack: "due", ackAt, ackAttempts });
}

/** Retries later, or ends the job when that would be past its deadline. */
export function later(model: Model, entry: Entry, ms: number, change: Partial<Entry>): void {
  const runAt = model.now + ms;
  if (runAt >= entry.deadlineAt) {
    entry.unsure = change.unsure ?? entry.unsure;
    end(model, entry, "dead");
  } else Object.assign(entry, { state: "ready", runAt, ...change });
}

/** Backoff for random 0.5. */
export const delay = (attempts: number) => {
  const ceiling = 1_000 * 2 ** (attempts - 1);
  return ceiling >= 600_000 ? 400_000 : ceiling / 2;
};

export function unsure(model: Model, entry: Entry, afterMs?: number): void {
  const attempts = afterMs === undefined ? entry.attempts : entry.attempts - 1;
  const again = { unsure: entry.unsure + 1, attempts };
  const outbound = entry.way === "outbound";
  const held = outbound && model.channels[entry.channel]?.hold;
  if (held || (outbound && entry.unsure >= 1)) {
    entry.unsure += 1;
    end(model, entry, held ? "held" : "dead");
  } else later(model, entry, afterMs ?? delay(entry.attempts), again);
}

/** A new lease: what was under way may have been delivered. Three crashes in our own code end it. */
export function crash(model: Model): void {
  for (const entry of model.entries.filter(({ state, ack }) => state === "sending" || ack === "sending")) {
    entry.crashes += 1;
    if (entry.marked === "runs") entry.fatal += 1;
    if (entry.marked === "ran") entry.fatal = 0;
    entry.marked = "no";
    const restMs = entry.crashes < 2 ? 0 : Math.min(30_000, 1_000 * 2 ** (entry.crashes - 2));
    if (entry.ack === "sending" && entry.fatal >= 3) ackRefused(model, entry);
    else if (entry.ack === "sending") ackLater(model, entry, restMs, entry.ackAttempts - 1);
    if (entry.state === "sending" && entry.fatal >= 3) end(model, entry, "dead");
    else if (entry.state === "sending") unsure(model, entry, restMs);
  }
}

export function expire(model: Model): void {
  const over = model.entries.filter(
    (entry) => entry.way === "outbound" && ["ready", "waiting"].includes(entry.state) && entry.deadlineAt <= model.now,
  );
  for (const entry of over.sort((a, b) => a.deadlineAt - b.deadlineAt || a.id - b.id)) end(model, entry, "dead");
}

/** A channel that is about to be removed. */
export function close(model: Model, channel: number): void {
  for (const entry of model.entries)
    if (entry.channel === channel && entry.way === "outbound" && ["ready", "waiting"].includes(entry.state))
      end(model, entry, "dead");
}

/** Nobody can be told of it any more. */
function untold(model: Model, entry: Entry): void {
  if (entry.way !== "outbound" || !["ready", "waiting"].includes(entry.state) || isOwed(entry)) return;
  const { ackAttempts, ackDeadlineAt } = entry;
  owe(model, entry);
  ackRefused(model, Object.assign(entry, { ackAttempts, ackDeadlineAt }));
}

export function setChannel(model: Model, channel: number, state: Model["channels"][number]["state"]): void {
  (model.channels[channel] as Model["channels"][number]).state = state;
  for (const entry of model.entries.filter((each) => each.channel === channel)) {
    if (state === "removed") untold(model, entry);
    if (state === "removed" && ["ready", "waiting", "held"].includes(entry.state)) entry.state = "dead";
    if (state === "removed" && entry.ack === "due") ackRefused(model, entry);
    if (entry.way === "inbound" && state === "active" && entry.state === "ready")
      entry.deadlineAt = model.now + PATIENCE.inbound;
    if (entry.way !== "outbound") continue;
    if (state === "stopped" && entry.state === "ready") entry.state = "waiting";
    if (state === "active" && entry.state === "waiting") Object.assign(entry, { state: "ready", runAt: model.now });
  }
}

/** The same message at the end of its lane. A refused ack is forgotten, one still owed leaves. */
export function again(model: Model, entry: Entry, stepsDone = entry.stepsDone): void {
  model.last += 1;
  const times = { runAt: model.now, deadlineAt: model.now + PATIENCE[entry.way] };
  Object.assign(entry, { state: "ready", position: model.last, stepsDone, ...FRESH, ...times });
}
export function sendAgain(model: Model, entry: Entry): void {
  const { late, generation } = entry;
  again(model, entry, late ? 0 : entry.stepsDone);
  if (late) Object.assign(entry, { late: 0, generation: generation + 1, named: false, sentAs: undefined });
  if (entry.ack === "refused") entry.ack = null;
}

export function arrived(model: Model, entry: Entry): void {
  if (entry.stepsDone + 1 < entry.steps) again(model, entry, entry.stepsDone + 1);
  else settled(model, entry);
}
function settled(model: Model, entry: Entry): void {
  if (entry.named) sent(model, entry, `p${keyOf(entry)}`);
  else entry.state = "done";
  if (entry.named) owe(model, entry);
  else append(model, { way: "inbound", channel: entry.channel, chat: entry.chat, events: 0 });
}

/** The ledger of a channel: accepted = delivered + refused + waiting, and acks owed = given + refused + waiting. */
export function ledger(model: Model, channel: number) {
  const entries = model.entries.filter((entry) => entry.channel === channel);
  const count = (is: (entry: Entry) => boolean) =>
    entries.filter(is).reduce((sum, entry) => sum + partsOf(model, entry).filter(({ events }) => events).length, 0);
  const { owed, given, refused } = (model.channels[channel] as Model["channels"][number]).acks;
  const acksWaiting = entries.filter(isOwed).length;
  const held = count(({ state }) => state === "held");
  return {
    accepted: entries.filter(({ events }) => events).length,
    delivered: count(({ state }) => state === "done"),
    refused: count(({ state }) => state === "dead"),
    ...{ waiting: count(live) + held, held, hole: 0, jobs: entries.filter(live).length + acksWaiting },
    acks: { owed, given, refused, waiting: acksWaiting, hole: 0 },
  };
}
