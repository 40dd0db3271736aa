// Reference model of lanes: the store must be in the same state after every step.

export type Way = "inbound" | "outbound" | "ack";
export interface Entry {
  id: number;
  lane: string;
  way: Way;
  channel: number;
  /** The agent's message that an ack belongs to. */
  message?: string;
  chat: number;
  state: "ready" | "sending" | "waiting" | "done" | "held" | "dead" | "replayed";
  key: number;
  attempts: number;
  unsure: number;
  crashes: number;
  /** Consecutive crashes in our own code, and whether that runs now. */
  fatal: number;
  marked: boolean;
  runAt: number;
  deadlineAt: number;
  /** The album, and its parts so far. */
  album?: string;
  parts: number;
  /** For an agent's message: steps in total, and done. */
  steps: number;
  stepsDone: number;
}
export interface Model {
  now: number;
  entries: Entry[];
  last: number;
  known: Set<string>;
  frozen: boolean;
  trouble: boolean;
  restUntil: number;
  channels: { state: "active" | "stopped" | "removed"; hold: boolean }[];
}
export const PATIENCE = { inbound: 72 * 3_600_000, outbound: 60_000, album: 1_200 };

export const live = ({ state }: Entry) => state === "ready" || state === "sending" || state === "waiting";
export const headOf = (model: Model, lane: string) => model.entries.find((entry) => entry.lane === lane && live(entry));
export const entryOf = (model: Model, id: number) => model.entries.find((entry) => entry.id === id) as Entry;

type New = Pick<Entry, "way" | "channel" | "chat"> & Partial<Entry>;
export function append(model: Model, entry: New): Entry {
  model.last += 1;
  const lane = `${entry.channel}/${entry.way}/${entry.way === "ack" ? entry.message : entry.chat}`;
  const deadlineAt = model.now + (entry.way === "outbound" ? PATIENCE.outbound : PATIENCE.inbound);
  const id = model.last;
  const counts = { attempts: 0, unsure: 0, crashes: 0, fatal: 0, marked: false, parts: 1, steps: 1, stepsDone: 0 };
  const whole = { id, key: id, lane, runAt: model.now, deadlineAt, ...counts, ...entry, state: "ready" as const };
  model.entries.push(whole);
  return whole;
}

export function accept(model: Model, name: string, entry: New): boolean {
  const known = `${entry.channel} ${entry.way} ${name}`;
  if (model.known.has(known)) return false;
  model.known.add(known);
  const { album } = entry;
  const open = album && model.entries.find((each) => joins(each, entry));
  if (open && open.parts < 20) Object.assign(open, { parts: open.parts + 1, runAt: model.now + PATIENCE.album });
  else append(model, { ...entry, ...(album && { runAt: model.now + PATIENCE.album }) });
  return true;
}
const joins = (open: Entry, { album, channel, chat }: New) =>
  open.album === album &&
  open.channel === channel &&
  open.chat === chat &&
  open.state === "ready" &&
  open.attempts === 0;

/** Due heads. */
export function claimable(model: Model): Entry[] {
  if (model.frozen) return [];
  return model.entries.filter(
    (entry) =>
      entry.state === "ready" &&
      entry.runAt <= model.now &&
      headOf(model, entry.lane) === entry &&
      // Outbound jobs do not need the gateway's token and never rest.
      (entry.way === "outbound" || model.restUntil <= model.now),
  );
}
export const claim = (entry: Entry) =>
  Object.assign(entry, { state: "sending", attempts: entry.attempts + 1, marked: false });

/** The lane's next job queues behind heads already due. */
function promote(model: Model, lane: string): void {
  const next = headOf(model, lane);
  if (next) next.runAt = Math.max(next.runAt, model.now);
}

export function done(model: Model, entry: Entry): void {
  entry.state = "done";
  promote(model, entry.lane);
  if (entry.way === "outbound") ack(model, entry);
  else if (model.trouble) Object.assign(model, { trouble: false, restUntil: 0 });
}
export function end(model: Model, entry: Entry, state: "dead" | "held"): void {
  entry.state = state;
  promote(model, entry.lane);
  if (entry.way === "outbound") ack(model, entry);
}
export const ack = (model: Model, { channel, chat, message }: Entry) =>
  append(model, { way: "ack", channel, chat, message });

/** Retries later, or ends the job when that would be past its deadline. */
export function later(model: Model, entry: Entry, ms: number, change: Partial<Entry>): void {
  const runAt = model.now + ms;
  if (runAt >= entry.deadlineAt) end(model, entry, "dead");
  else Object.assign(entry, { state: "ready", runAt, ...change });
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
  if (outbound && model.channels[entry.channel]?.hold) {
    entry.unsure += 1;
    end(model, entry, "held");
  } else if (outbound && entry.unsure >= 1) end(model, entry, "dead");
  else later(model, entry, afterMs ?? delay(entry.attempts), again);
}

/** A new lease: jobs in `sending` may have been delivered. Three crashes in our own code end a job. */
export function crash(model: Model): void {
  for (const entry of model.entries.filter(({ state }) => state === "sending")) {
    entry.crashes += 1;
    if (entry.marked) entry.fatal += 1;
    entry.marked = false;
    if (entry.fatal >= 3) end(model, entry, "dead");
    else unsure(model, entry, entry.crashes < 2 ? 0 : Math.min(30_000, 1_000 * 2 ** (entry.crashes - 2)));
  }
}

export function expire(model: Model): void {
  const over = model.entries.filter(
    (entry) => entry.way === "outbound" && ["ready", "waiting"].includes(entry.state) && entry.deadlineAt <= model.now,
  );
  for (const entry of over.sort((a, b) => a.deadlineAt - b.deadlineAt || a.id - b.id)) end(model, entry, "dead");
}

export function setChannel(model: Model, channel: number, state: Model["channels"][number]["state"]): void {
  (model.channels[channel] as Model["channels"][number]).state = state;
  for (const entry of model.entries.filter((each) => each.channel === channel)) {
    if (state === "removed" && ["ready", "waiting", "held"].includes(entry.state)) entry.state = "dead";
    if (entry.way !== "outbound") continue;
    if (state === "stopped" && entry.state === "ready") entry.state = "waiting";
    if (state === "active" && entry.state === "waiting") Object.assign(entry, { state: "ready", runAt: model.now });
  }
}

/** Resends at the end of the lane, under the same key. */
export function again(model: Model, entry: Entry, stepsDone = entry.stepsDone): void {
  entry.state = "replayed";
  const { way, channel, chat, message, key, parts, steps } = entry;
  append(model, { way, channel, chat, message, key, parts, steps, stepsDone });
}

export function arrived(model: Model, entry: Entry): void {
  if (entry.stepsDone + 1 < entry.steps) again(model, entry, entry.stepsDone + 1);
  else settled(model, entry);
}
function settled(model: Model, entry: Entry): void {
  entry.state = "done";
  if (entry.stepsDone > 0) ack(model, entry);
  else append(model, { way: "inbound", channel: entry.channel, chat: entry.chat });
}
