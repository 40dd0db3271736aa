import { ended } from "../domain/explanations.ts";
import { actionText } from "./history.tsx";
import { Layout } from "./layout.tsx";
import type { FoundMessageProps, Frame, PartFrame, StoryProps, Strings } from "./props.ts";
import { SearchForm } from "./search-form.tsx";
import { SmallForm } from "./small-form.tsx";
import { timeText } from "./time-text.ts";

interface Common extends Frame {
  formToken: string;
  /** Absent: UTC. */
  timeZone?: string;
}

/** Finds messages. */
export function SearchPage({
  formToken,
  timeZone,
  text = "",
  found,
  ...frame
}: Common & { text?: string; found?: FoundMessageProps[] }) {
  const { t, home } = frame;
  const words = t.stories;
  return (
    <Layout {...frame} title={words.link}>
      <section class="card">
        <h1>{words.link}</h1>
        <SearchForm t={t} home={home} action={`${home}/messages`} {...{ formToken, words, text, found }} />
        {found && found.length > 0 && (
          <ul class="rows">
            {found.map((each) => (
              <li>
                <Found t={t} home={home} found={each} timeZone={timeZone} />
              </li>
            ))}
          </ul>
        )}
      </section>
    </Layout>
  );
}

const whoIn = ({ undelivered }: Strings, { customer, chat, channelName }: FoundMessageProps) =>
  customer ?? chat ?? (channelName || undelivered.gone);

type FoundProps = PartFrame & { found: FoundMessageProps; timeZone?: string };

function Found({ t, home, found, timeZone }: FoundProps) {
  const words = t.stories;
  const { id, channelName, direction, state, words: text, at } = found;
  return (
    <span>
      <strong>{whoIn(t, found)}</strong> <span class={`badge ${BADGES[state]}`}>{words.states[state]}</span>
      {text && <q class="detail">{text}</q>}
      <span class="hint detail">
        {words.from[direction]} · {channelName || t.undelivered.gone} ·{" "}
        <time datetime={new Date(at).toISOString()}>{timeText(t, at, timeZone)}</time> ·{" "}
        <a href={`${home}/messages/${id}`} aria-label={`${words.story}: ${whoIn(t, found)}, ${text ?? id}`}>
          {words.story}
        </a>
      </span>
    </span>
  );
}

const BADGES: Record<FoundMessageProps["state"], string> = {
  ...{ ready: "slow", sending: "slow", waiting: "slow", done: "working" },
  ...{ held: "slow", dead: "stopped", dropped: "stopped" },
};

/** What became of a message, in order of time. */
export function StoryPage({ story, formToken, timeZone, ...frame }: Common & { story: StoryProps }) {
  const { t, home } = frame;
  const words = t.stories;
  const { id, state, channelName, gatewayMessageId, messengerMessageId } = story;
  const ids = { [words.gatewayId]: gatewayMessageId, [words.messengerId]: messengerMessageId, [words.number]: id };
  const isOver = state === "held" || state === "dead";
  return (
    <Layout {...frame} title={words.title}>
      <section class="card">
        <h1>{words.title}</h1>
        <p>
          <strong>{whoIn(t, story)}</strong> <span class={`badge ${BADGES[state]}`}>{words.states[state]}</span>
          {story.words && <q class="detail said">{story.words}</q>}
          <span class="hint detail">
            {words.from[story.direction]} · {channelName || t.undelivered.gone}
          </span>
        </p>
        {story.window && <p>{windowText(t, story.window, timeZone)}</p>}
        <ol class="rows">
          {linesOf(t, story).map(({ at, text, hint }) => (
            <li>
              <span>
                {text}
                {hint && <strong class="detail">{hint}</strong>}
                {at !== undefined && (
                  <time class="hint detail" datetime={new Date(at).toISOString()}>
                    {timeText(t, at, timeZone)}
                  </time>
                )}
              </span>
            </li>
          ))}
        </ol>
        {isOver && channelName && (
          <SmallForm action={`${home}/jobs/${id}/again`} formToken={formToken} label={t.undelivered.decide.again} />
        )}
        <h2>{words.ids}</h2>
        <ul>
          {Object.entries(ids)
            .filter(([, value]) => value !== undefined)
            .map(([name, value]) => (
              <li>
                {name}: <code>{value}</code>
              </li>
            ))}
        </ul>
        <p>
          <a class="button" href={`${home}/messages`}>
            {words.link}
          </a>{" "}
          <a class="button" href={home}>
            {t.account.title}
          </a>
        </p>
      </section>
    </Layout>
  );
}

function windowText(t: Strings, { until, isOpen }: NonNullable<StoryProps["window"]>, timeZone?: string): string {
  const { window } = t.stories;
  return window[isOpen ? "open" : "closed"]({ time: timeText(t, until, timeZone) });
}

interface Line {
  at?: number;
  text: string;
  hint?: string;
}

/** Decisions and failed attempts lie between the arrival and the end; the rest follows it. */
function linesOf(t: Strings, story: StoryProps): Line[] {
  const words = t.stories;
  const { direction, attempts } = story;
  const tries = triesBefore(story, story.state === "dead" || story.lateAt !== undefined);
  const [first, ...latest] = tries.map(({ at, error }): Line & { at: number } => ({
    at,
    text: words.tried({ error: ended(error) }),
  }));
  // A decision starts the count of attempts anew.
  const failed = story.state === "done" || story.state === "sending" ? attempts - 1 : attempts;
  const more = failed - story.tries.length;
  const skipped = more > 0 && story.acts.length === 0 && story.tries.length >= KEPT_TRIES;
  const acts = story.acts.map(({ at, ...act }) => ({ at, text: actionText(t, { ...act, count: 1 }) }));
  const between = [...latest, ...acts].sort((a, b) => a.at - b.at);
  return [
    { at: story.at, text: words.accepted[direction] },
    ...(first ? [first] : []),
    ...(skipped ? [{ text: words.skipped({ count: more }) }] : []),
    ...between,
    ...endOf(t, story),
    ...afterEnd(t, story),
  ];
}

type Tried = Pick<StoryProps, "tries" | "error">;

/** Of a failure, the last try is its end. */
const triesBefore = ({ tries, error }: Tried, hasFailed: boolean): StoryProps["tries"] =>
  hasFailed && tries.at(-1)?.error === error ? tries.slice(0, -1) : tries;

/** By time; what is still to come, last. */
function afterEnd(t: Strings, { ack, later, lateAt, state, error = "" }: StoryProps): Line[] {
  const { ackTried } = t.stories;
  const tries = ack ? triesBefore(ack, ack.state === "refused") : [];
  return [
    ...(lateAt === undefined ? [] : [{ at: lateAt, text: t.stories.late({ error: ended(error) }) }]),
    ...(lateAt !== undefined && state === "dropped" ? [{ text: t.stories.ended.dropped }] : []),
    ...tries.map(({ at, error }) => ({ at, text: ackTried({ error }) })),
    ...(ack ? [{ at: ack.at, text: ackText(t, ack) }] : []),
    ...later.map((event) => laterLine(t, event)),
  ].sort((a, b) => (a.at ?? Number.POSITIVE_INFINITY) - (b.at ?? Number.POSITIVE_INFINITY));
}

const ackText = ({ stories: { acks } }: Strings, { state, error = "" }: NonNullable<StoryProps["ack"]>) =>
  state === "refused" ? acks.refused({ error: ended(error) }) : acks[state];

/** The store keeps the first and the latest. */
const KEPT_TRIES = 10;

function endOf(t: Strings, story: StoryProps): Line[] {
  const words = t.stories;
  const { direction, endedAt: at, error, parts } = story;
  const state = story.lateAt === undefined ? story.state : "done";
  switch (state) {
    case "ready":
    case "sending":
    case "waiting":
      return [{ at: story.nextAt, text: state === "waiting" ? words.states.waiting : words.next }];
    case "done":
      return [{ at, text: words.ended.done[direction], hint: parts > 1 ? words.parts({ count: parts }) : undefined }];
    case "held":
      return [{ at, text: words.ended.held }];
    case "dead":
      return [{ at, text: words.ended.dead({ error: ended(error ?? "") }) }];
    case "dropped":
      return [{ text: words.ended.dropped }];
  }
}

function laterLine(t: Strings, { at, kind, direction, state }: StoryProps["later"][number]): Line {
  const { later, notYet, failed } = t.stories;
  const text = Object.hasOwn(later, kind) ? later[kind as keyof typeof later][direction] : kind;
  const isDead = state === "dead" || state === "dropped";
  return { at, text, hint: isDead ? failed : state === "done" ? undefined : notYet };
}
