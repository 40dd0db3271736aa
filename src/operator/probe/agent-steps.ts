import { pause } from "gangway-messenger/clock";
import type { MessengerMessageId } from "gangway-messenger/ids";
import type { GatewayMessageId } from "../../domain/ids.ts";
import type { Received } from "./listener.ts";
import {
  answerTo,
  channelOf,
  idOf,
  isEvidence,
  isMessageIn,
  isTaken,
  newIn,
  openChats,
  outcomeOf,
  register,
  type Stage,
  say,
  written,
} from "./stage.ts";
import { type Step, see } from "./step.ts";
import type { Unknown, Value } from "./unknowns.ts";

// Steps that need a person who acts in the CRM.

const SECOND_MS = 1_000;
/** Repeats are over after this silence, ms, and at least GAPS times the last gap. */
const [SILENCE_MS, GAPS] = [120_000, 3];
const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;

const isSame = (one: Received) => (other: Received) => other.body.type === one.body.type && idOf(other) === idOf(one);

const isYes = (answer: string | undefined, letter: string) => answer?.trim().toLowerCase().startsWith(letter) === true;

const PLAIN = '2 < 3 & "four"';
const HTML = "2 &lt; 3 &amp; &#34;four&#34;";
const WORD = "probe";
const IS_BOLD = "Did it look bold in the CRM? [y/N] ";
const MARKUP: Record<string, Value> = { [WORD]: "none", [`**${WORD}**`]: "markdown" };

async function texts(stage: Stage): Promise<void> {
  const { also, own } = stage;
  const plain = await written(stage, "A", PLAIN);
  if (!plain) return;
  see(stage, "webhookData", plain.isDataText ? "text" : "object");
  const { content } = plain.data;
  const unescaped = String(content).replaceAll("&quot;", "&#34;");
  also.push({
    about: "an agent's text",
    seen:
      content === PLAIN ? "comes as written" : unescaped === HTML ? "comes with HTML's entities" : "comes otherwise",
  });
  also.push({ about: "a webhook's headers", seen: Object.keys(plain.headers).sort().join(", ") });
  const bold = await written(stage, "A", WORD, "write in bold, by the formatting button, or plainly if there is none");
  const notation = String(bold?.data.content ?? "");
  if (!bold || !isMarked(notation)) return;
  // A person who overlooks the button writes plainly as well.
  if (notation === WORD && !isYes(await stage.person.ask(IS_BOLD, stage.personMs), "y")) return;
  own.add(notation);
  see(stage, "markup", MARKUP[notation] ?? notation);
}

/** Accepts only the word with formatting marks around it: no other text may get into the report. */
const isMarked = (notation: string): boolean =>
  /^(?:[*_~`]{1,3}|<\/?(?:b|strong|i|em)>|\[\/?b\])*probe(?:[*_~`]{1,3}|<\/?(?:b|strong|i|em)>|\[\/?b\])*$/.test(
    notation,
  );

async function reads(stage: Stage): Promise<void> {
  const { listener, person, clock, signal, personMs } = stage;
  await openChats(stage, "B");
  const ids = ["r-1", "r-2", "r-3"];
  const from = listener.received.length;
  for (const id of ids)
    if (!isTaken(await say(stage, "B", id, `To be read: ${id}`))) throw new Error("a message was not taken");
  const isRead = ({ body, data }: Received) =>
    body.type === "message_read" && ids.includes(String(data.external_message_id));
  const first = listener.next(isRead, personMs, signal, from);
  person.tell('In the CRM, open the chat "Gangway probe B", so that its three new messages are read');
  if (!(await first)) return person.tell("Nobody read them: this stays unseen.");
  await pause(clock, 5 * SECOND_MS, signal);
  const read = new Set(
    listener.received
      .slice(from)
      .filter(isRead)
      .map(({ data }) => data.external_message_id),
  );
  if (read.size === ids.length) see(stage, "readWebhooks", "each");
  else if (read.size === 1) see(stage, "readWebhooks", read.has(ids.at(-1)) ? "last" : "another");
}

/** Measures how long the other side waits for a missing response, and whether it repeats the request. */
async function patience(
  stage: Stage,
  first: Received,
  name: Unknown,
  isAgain: (one: Received) => boolean,
): Promise<void> {
  const { listener, signal, limitMs, also } = stage;
  const from = listener.received.indexOf(first) + 1;
  listener.answer(undefined);
  if (!(await listener.until(() => first.leftAt !== undefined, limitMs, signal))) {
    if (!signal.aborted) see(stage, name, limitMs, true);
    return;
  }
  see(stage, name, (first.leftAt ?? 0) - first.at);
  const again = await listener.next(isAgain, SILENCE_MS, signal, from);
  if (signal.aborted) return;
  const seen = again ? `is sent again after ${seconds(again.at - (first.leftAt ?? 0))}` : "is not sent again";
  also.push({ about: `${first.kind} without an answer`, seen });
}

async function webhookPatience(stage: Stage): Promise<void> {
  stage.listener.answer((one) => (isMessageIn(stage, "A", one) ? "hang" : undefined));
  const first = await written(stage, "A", "Is never answered");
  if (first) await patience(stage, first, "webhookTimeoutMs", isSame(first));
}

/** Measures for how long the other side repeats a request that was refused with 500. */
async function repeats(
  stage: Stage,
  first: Received,
  name: Unknown,
  isAgain: (one: Received) => boolean,
): Promise<void> {
  const { listener, clock, signal, limitMs, also } = stage;
  const from = listener.received.indexOf(first);
  const attempts = () => listener.received.slice(from).filter((one) => one === first || isAgain(one));
  for (;;) {
    const known = attempts();
    const [last, before] = [known.at(-1) ?? first, known.at(-2)];
    const silence = Math.max(SILENCE_MS, before ? GAPS * (last.at - before.at) : 0);
    const left = first.at + limitMs - clock.monotonic();
    const more = await listener.until(() => attempts().length > known.length, Math.min(silence, left), signal);
    if (signal.aborted) return;
    const isOver = clock.monotonic() - first.at >= limitMs;
    if (more && !isOver) continue;
    see(stage, name, last.at - first.at, isOver);
    const gaps = known.slice(1).map((one, n) => seconds(one.at - (known[n]?.at ?? 0)));
    const shown = [...gaps.slice(0, 8), ...(gaps.length > 8 ? [`and ${gaps.length - 8} more`] : [])].join(", ");
    also.push({
      about: `${first.kind} that got 500`,
      seen: gaps.length > 0 ? `is sent again after ${shown}` : "is not sent again",
    });
    return;
  }
}

const FAILURE = { status: 500, body: { success: false, errorMsg: "Of the Gangway probe" } };

async function webhookRepeats(stage: Stage): Promise<void> {
  stage.listener.answer((one) => (isMessageIn(stage, "A", one) ? FAILURE : undefined));
  const first = await written(stage, "A", "Is refused with 500");
  if (first) await repeats(stage, first, "webhookRetryForMs", isSame(first));
}

/** A webhook that comes this soon after a response was waiting for it, ms. */
const AT_ONCE_MS = 500;

/** While one message is unanswered, does the next one of its chat arrive, and one of another chat? */
async function parallel(stage: Stage): Promise<void> {
  const { listener, person, clock, signal, seen, also } = stage;
  await openChats(stage, "A", "B");
  const holdMs = Math.min(60 * SECOND_MS, 0.8 * Number(seen.get("webhookTimeoutMs")?.value ?? 10 * SECOND_MS));
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const isNew = { A: newIn(stage, "A"), B: newIn(stage, "B") };
  const sentIn = (chat: "A" | "B") => listener.received.filter(isNew[chat]);
  listener.answer((one) => {
    if (one !== sentIn("A")[0]) return undefined;
    return held.then(() => ({ status: 200, body: { async: false, external_message_id: `a-${one.data.id}` } }));
  });
  person.tell(
    `Within ${seconds(holdMs)} of the first: write two messages in the chat "Gangway probe A", then one in "Gangway probe B"`,
  );
  const first = await written(stage, "A", "1");
  if (!first) return release();
  await listener.until(() => sentIn("A").length > 1 && sentIn("B").length > 0, holdMs, signal);
  const early = { A: sentIn("A").length > 1, B: sentIn("B").length > 0 };
  if (signal.aborted) return release();
  const releasedAt = clock.monotonic();
  release();
  await pause(clock, 2 * AT_ONCE_MS, signal);
  for (const [chat, about] of [
    ["A", "webhooks of one chat"],
    ["B", "webhooks of several chats"],
  ] as const) {
    const next = sentIn(chat)[chat === "A" ? 1 : 0];
    // If it comes later, it may also have been written later.
    const hasWaited = next !== undefined && next.at - releasedAt <= AT_ONCE_MS;
    also.push({ about, seen: early[chat] ? "are sent in parallel" : hasWaited ? "wait for each other" : "not seen" });
  }
}

function acked(stage: Stage, message: Received, error?: { code: "general"; message: string }) {
  const ack = {
    gatewayMessageId: idOf(message) as GatewayMessageId,
    messengerMessageId: `a-${idOf(message)}` as MessengerMessageId,
    error,
  };
  return answerTo(stage, stage.gateway.ack(channelOf(stage), ack, stage.signal));
}

async function acks(stage: Stage): Promise<void> {
  const { signal, person, personMs, listener } = stage;
  listener.answer((one) => (isMessageIn(stage, "A", one) ? { status: 200, body: { async: true } } : undefined));
  const message = await written(stage, "A", "Is acknowledged twice");
  if (!message || !isTaken(await acked(stage, message))) return;
  const second = await acked(stage, message, { code: "general", message: "Of the Gangway probe" });
  if (!isEvidence(second, signal)) return;
  if (!isTaken(second)) return see(stage, "repeatedAck", "refuse");
  const answer = await person.ask("Does the CRM show that message as delivered (d) or as not sent (n)? ", personMs);
  if (isYes(answer, "d")) see(stage, "repeatedAck", "ignore");
  if (isYes(answer, "n")) see(stage, "repeatedAck", "overwrite");
}

/** Measures the time until a person presses Enter. Records nothing if nobody does: then nobody was watching. */
async function untilSeen(stage: Stage, name: Unknown, since: number, what: string): Promise<boolean> {
  const { person, clock, limitMs, signal } = stage;
  const answer = await person.ask(`Press Enter as soon as ${what}; s and Enter skips it: `, limitMs);
  if (signal.aborted || answer === undefined || isYes(answer, "s")) return false;
  see(stage, name, clock.monotonic() - since);
  return true;
}

async function ackDeadline(stage: Stage): Promise<void> {
  const { listener, also } = stage;
  listener.answer((one) => (isMessageIn(stage, "A", one) ? { status: 200, body: { async: true } } : undefined));
  const message = await written(stage, "A", "Is never acknowledged");
  if (!message) return;
  const isOver = await untilSeen(stage, "ackDeadlineMs", message.at, "the CRM shows that message as not sent");
  if (!isOver) return;
  const late = await acked(stage, message);
  also.push({ about: "an ack after the deadline", seen: late ? `is answered with ${late.status}` : "gets no answer" });
}

async function waiting(stage: Stage): Promise<void> {
  await openChats(stage, "B");
  const said = await say(stage, "B", "w-1", "Waits for an answer");
  if (!isTaken(said)) throw new Error(`the message was not taken: ${outcomeOf(said)}`);
  const since = stage.clock.monotonic();
  const chat = 'the CRM marks the chat "Gangway probe B" as';
  if (await untilSeen(stage, "waitingWarningMs", since, `${chat} waiting (warning)`))
    await untilSeen(stage, "waitingDangerMs", since, `${chat} waiting too long (danger)`);
}

async function accountPage(stage: Stage): Promise<void> {
  const { listener, person, personMs, signal, also } = stage;
  const opening = listener.next(({ kind }) => kind === "account", personMs, signal);
  person.tell('In the CRM, open the page of the module "Gangway probe" from the list of integrations');
  const opened = await opening;
  if (!opened) return;
  const into = opened.headers["sec-fetch-dest"];
  if (into === "document") see(stage, "accountPage", "tab");
  if (into === "iframe" || into === "frame") see(stage, "accountPage", "iframe");
  const isKnown = opened.body.clientId === stage.module.clientId;
  also.push({
    about: "the account page",
    seen: `is opened by ${opened.method}, ${isKnown ? "with" : "without"} the clientId`,
  });
}

const isActivity = ({ kind }: Received): boolean => kind === "activity";
const isSameActivity = (one: Received) => (other: Received) =>
  isActivity(other) && JSON.stringify(other.body.activity) === JSON.stringify(one.body.activity);

async function callbacks(stage: Stage): Promise<void> {
  const { listener, person, personMs, signal } = stage;
  const called = (what: string, before?: Received) => {
    const isIt = (one: Received) => isActivity(one) && !(before && isSameActivity(before)(one));
    const coming = listener.next(isIt, personMs, signal);
    person.tell(`In the CRM, switch the module "Gangway probe" ${what}`);
    return coming;
  };
  listener.answer((one) => (isActivity(one) ? FAILURE : undefined));
  try {
    const off = await called("off");
    if (!off) return person.tell("Nothing came: this stays unseen.");
    await repeats(stage, off, "callbackRetryForMs", isSameActivity(off));
    listener.answer((one) => (isActivity(one) ? "hang" : undefined));
    const on = await called("on", off);
    if (on) await patience(stage, on, "callbackTimeoutMs", isSameActivity(on));
  } finally {
    await register(stage);
  }
}

const ACTED: readonly Step[] = [
  {
    name: "texts",
    does: "ask you to write two messages in the CRM, one of them in bold",
    sees: ["webhookData", "markup"],
    run: texts,
  },
  {
    name: "reads",
    does: "write three messages, and ask you to read them in the CRM",
    sees: ["readWebhooks"],
    run: reads,
  },
  {
    name: "patience",
    does: "ask you to write a message in the CRM, and not answer its webhook",
    sees: ["webhookTimeoutMs"],
    run: webhookPatience,
  },
  { name: "parallel", does: "ask you to write three messages in two chats quickly", sees: [], run: parallel },
  {
    name: "repeats",
    does: "ask you to write a message in the CRM, and answer its webhook with 500 until it comes no more",
    sees: ["webhookRetryForMs"],
    run: webhookRepeats,
  },
  {
    name: "acks",
    does: "ask you to write a message in the CRM, acknowledge it twice, and ask what the CRM shows",
    sees: ["repeatedAck"],
    run: acks,
  },
  {
    name: "account-page",
    does: "ask you to open the module's page in the CRM",
    sees: ["accountPage"],
    run: accountPage,
  },
  {
    name: "callbacks",
    does: "ask you to switch its module off and on in the CRM, answer the first call with 500 and the second not at all",
    sees: ["callbackRetryForMs", "callbackTimeoutMs"],
    run: callbacks,
  },
  {
    name: "ack-deadline",
    does: "ask you to write a message in the CRM, never acknowledge it, and ask when the CRM gives it up",
    sees: ["ackDeadlineMs"],
    run: ackDeadline,
  },
  {
    name: "waiting",
    does: "write a message, and ask when the CRM marks its chat as waiting",
    sees: ["waitingWarningMs", "waitingDangerMs"],
    run: waiting,
  },
];

export const AGENT_STEPS: readonly Step[] = ACTED.map((step) => ({ ...step, agent: true }));
