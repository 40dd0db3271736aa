import { PageHead } from "gangway-ui/page-head";
import { State, type Tone } from "gangway-ui/state";
import { Timeline } from "gangway-ui/timeline";
import { ended } from "../domain/explanations.ts";
import { actionText } from "./history.tsx";
import { Layout } from "./layout.tsx";
import { MessagesHead } from "./messages-head.tsx";
import type { FoundMessageProps, Frame, PartFrame, StoryProps, Strings } from "./props.ts";
import { SearchForm } from "./search-form.tsx";
import { SmallForm } from "./small-form.tsx";
import { timeText } from "./time-text.ts";
import { ON_ONE, SENDS } from "./undelivered.tsx";

interface Common extends Frame {
  formToken: string;
}

export function SearchPage({
  formToken,
  text = "",
  found,
  ...frame
}: Common & { text?: string; found?: FoundMessageProps[] }) {
  const { t, home, timeZone } = frame;
  const words = t.stories;
  return (
    <Layout {...frame} title={t.looks.sections.messages} times={Boolean(found?.length)}>
      <MessagesHead {...frame} current="search" />
      <section class="card">
        <SearchForm action={`${home}/messages`} {...{ formToken, words, text, found }} />
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
      <strong>{whoIn(t, found)}</strong> <State tone={TONES[state]}>{words.states[state]}</State>
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

const TONES: Record<FoundMessageProps["state"], Tone> = {
  ...{ ready: "info", sending: "info", waiting: "warning", done: "success" },
  ...{ held: "warning", dead: "danger", dropped: "neutral" },
};

/** A message's history in chronological order. */
export function StoryPage({ story, formToken, ...frame }: Common & { story: StoryProps }) {
  const { t, home, timeZone } = frame;
  const words = t.stories;
  const { id, state, channelName, gatewayMessageId, messengerMessageId } = story;
  const ids = { [words.gatewayId]: gatewayMessageId, [words.messengerId]: messengerMessageId, [words.number]: id };
  return (
    <Layout {...frame} title={words.title} times>
      <PageHead
        label={t.looks.crumbs}
        crumbs={[{ text: t.looks.sections.messages, href: `${home}/messages` }]}
        title={words.title}
      />
      <section class="card">
        <p>
          <strong>{whoIn(t, story)}</strong> <State tone={TONES[state]}>{words.states[state]}</State>
          {story.words && <q class="detail said">{story.words}</q>}
          {story.isEmptied && <span class="hint detail">{words.emptied}</span>}
          <span class="hint detail">
            {words.from[story.direction]} · {channelName || t.undelivered.gone}
          </span>
        </p>
        {story.window && <p>{windowText(t, story.window, timeZone)}</p>}
      </section>
      <section class="card">
        <Timeline
          moments={linesOf(t, story).map(({ at, text, hint, tone = "neutral" }) => ({
            tone,
            text: (
              <>
                {text}
                {hint && <strong class="detail">{hint}</strong>}
              </>
            ),
            time: at !== undefined && <time datetime={new Date(at).toISOString()}>{timeText(t, at, timeZone)}</time>,
          }))}
        />
        <Decisions t={t} home={home} story={story} formToken={formToken} />
      </section>
      <section class="card">
        <h2>{words.ids}</h2>
        <dl class="facts">
          {Object.entries(ids)
            .filter(([, value]) => value !== undefined)
            .map(([name, value]) => (
              <div>
                <dt>{name}</dt>
                <dd>
                  <code>{value}</code>
                </dd>
              </div>
            ))}
        </dl>
      </section>
    </Layout>
  );
}

type DecisionsProps = PartFrame & { story: StoryProps; formToken: string };

/** Nothing can be sent through a removed channel, and only messages can be sent again. */
function Decisions({ t, home, story: { id, state, channelName, isMessage, isRestorable }, formToken }: DecisionsProps) {
  const open = isRestorable ? "dropped" : state === "held" || state === "dead" ? state : undefined;
  if (!isMessage || !open) return null;
  const decisions = ON_ONE[open].filter((what) => channelName || !SENDS.includes(what));
  return (
    <div class="choices">
      {decisions.map((what) => (
        <SmallForm action={`${home}/jobs/${id}/${what}`} formToken={formToken} label={t.undelivered.decide[what]} />
      ))}
    </div>
  );
}

function windowText(t: Strings, { until, isOpen }: NonNullable<StoryProps["window"]>, timeZone?: string): string {
  const { window } = t.stories;
  return window[isOpen ? "open" : "closed"]({ time: timeText(t, until, timeZone) });
}

interface Line {
  /** Default: neutral. */
  tone?: Tone;
  at?: number;
  text: string;
  hint?: string;
}

/** Decisions and failed attempts come between arrival and end; the rest follows the end. */
function linesOf(t: Strings, story: StoryProps): Line[] {
  const words = t.stories;
  const { direction, attempts } = story;
  const tries = triesBefore(story, story.state === "dead" || story.lateAt !== undefined);
  const [first, ...latest] = tries.map(({ at, error }): Line & { at: number } => ({
    at,
    tone: "warning",
    text: words.tried({ error: ended(error) }),
  }));
  // Decisions restart the count of attempts.
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

/** Omits the last failed attempt if the end shows the same error. */
const triesBefore = ({ tries, error }: Tried, hasFailed: boolean): StoryProps["tries"] =>
  hasFailed && tries.at(-1)?.error === error ? tries.slice(0, -1) : tries;

/** In order of time; future entries last. */
function afterEnd(t: Strings, story: StoryProps): Line[] {
  const { ack, later, laterUntil, lateAt, state, error = "" } = story;
  const { ackTried } = t.stories;
  const tries = ack ? triesBefore(ack, ack.state === "refused") : [];
  return [
    ...(lateAt === undefined
      ? []
      : [{ at: lateAt, tone: "danger" as const, text: t.stories.late({ error: ended(error) }) }]),
    ...(lateAt !== undefined && state === "dropped" ? [{ text: droppedText(t, story) }] : []),
    ...tries.map(({ at, error }) => ({ at, tone: "warning" as const, text: ackTried({ error }) })),
    ...(ack
      ? [{ at: ack.at, tone: ack.state === "refused" ? ("danger" as const) : undefined, text: ackText(t, ack) }]
      : []),
    ...later.map((event) => laterLine(t, event)),
    ...(laterUntil === undefined ? [] : [{ at: laterUntil, text: t.stories.laterCut }]),
  ].sort((a, b) => (a.at ?? Number.POSITIVE_INFINITY) - (b.at ?? Number.POSITIVE_INFINITY));
}

const droppedText = ({ stories: { ended } }: Strings, { isRestorable }: StoryProps) =>
  isRestorable ? ended.restorable : ended.dropped;

const ackText = ({ stories: { acks } }: Strings, { state, error = "" }: NonNullable<StoryProps["ack"]>) =>
  state === "refused" ? acks.refused({ error: ended(error) }) : acks[state];

/** The store keeps only the first and the latest attempts, this many in all. */
const KEPT_TRIES = 10;

function endOf(t: Strings, story: StoryProps): Line[] {
  const words = t.stories;
  const { direction, endedAt: at, error, parts } = story;
  const state = story.lateAt === undefined ? story.state : "done";
  switch (state) {
    case "ready":
    case "sending":
    case "waiting":
      return [{ at: story.nextAt, tone: "info", text: state === "waiting" ? words.states.waiting : words.next }];
    case "done":
      return [
        {
          at,
          tone: "success",
          text: words.ended.done[direction],
          hint: parts > 1 ? words.parts({ count: parts }) : undefined,
        },
      ];
    case "held":
      return [{ at, tone: "warning", text: words.ended.held }];
    case "dead":
      return [{ at, tone: "danger", text: words.ended.dead({ error: ended(error ?? "") }) }];
    case "dropped":
      return [{ text: droppedText(t, story) }];
  }
}

function laterLine(t: Strings, { at, kind, direction, state, error = "" }: StoryProps["later"][number]): Line {
  const { later, notYet, failed, failedBecause } = t.stories;
  const text = Object.hasOwn(later, kind) ? later[kind as keyof typeof later][direction] : kind;
  const isDead = state === "dead" || state === "dropped";
  const failure = error ? failedBecause({ error: ended(error) }) : failed;
  return {
    at,
    text,
    tone: isDead ? "warning" : undefined,
    hint: isDead ? failure : state === "done" ? undefined : notYet,
  };
}
