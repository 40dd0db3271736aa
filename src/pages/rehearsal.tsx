import { PageHead } from "gangway-ui/page-head";
import { LabelledField } from "./labelled-field.tsx";
import { Layout } from "./layout.tsx";
import type { Frame, RehearsalProps, Strings } from "./props.ts";
import { timeText } from "./time-text.ts";
import { Stages } from "./trace.tsx";

interface Props extends Frame {
  channel: { id: string; name: string };
  rehearsal: RehearsalProps;
  crmUrl: string;
  formToken: string;
  /** A refused text, and the reason. */
  problem?: { text: string; code: "empty" | "too-long" | "overload" };
}

/** Lets an account's user play the customer of a channel. */
export function RehearsalPage({ channel, rehearsal, formToken, problem, crmUrl, ...frame }: Props) {
  const { t, home, timeZone } = frame;
  const words = t.trace;
  const at = `${home}/channels/${encodeURIComponent(channel.id)}`;
  const { stages, chat, maxLength } = rehearsal;
  return (
    <Layout {...frame} title={words.play} times>
      <PageHead
        label={t.looks.crumbs}
        crumbs={[
          { text: t.looks.sections.channels, href: home },
          { text: channel.name, href: at },
        ]}
        title={words.play}
      />
      <section class="card">
        <p>
          {words.playHint} <a href={crmUrl}>{t.account.back}</a>
        </p>
        <form method="post" action={`${at}/try`} data-live>
          <input type="hidden" name="formToken" value={formToken} />
          <LabelledField id="text" label={words.text} problem={problem && problemText(t, problem.code, maxLength)}>
            {(aria) => (
              <textarea id="text" name="text" rows={2} required {...aria}>
                {problem ? problem.text : words.sample}
              </textarea>
            )}
          </LabelledField>
          <button type="submit" class="button primary">
            {words.send}
          </button>
        </form>
      </section>
      {stages && (
        <section class="card">
          <h2>{words.way}</h2>
          <div data-fresh="way" data-soon={stages.some(({ state }) => state !== "done") ? "" : undefined}>
            <Stages {...{ t, home, stages, channel, crmUrl, timeZone }} vendor={frame.moduleName} />
          </div>
        </section>
      )}
      <section class="card">
        <h2>{words.chat}</h2>
        <Chat t={t} chat={chat} timeZone={timeZone} />
      </section>
    </Layout>
  );
}

function problemText({ trace }: Strings, code: NonNullable<Props["problem"]>["code"], limit: number): string {
  return code === "too-long" ? trace["too-long"]({ limit }) : trace[code];
}

function Chat({ t, chat, timeZone }: { t: Strings; chat: RehearsalProps["chat"]; timeZone?: string }) {
  return (
    <ol class="bubbles" data-fresh="chat">
      {chat.length === 0 && <li class="hint">{t.trace.silent}</li>}
      {chat.map(({ from, text, author, at }) => (
        <li data-from={from}>
          <strong>{author ?? t.trace.from[from]}</strong>
          <span class="detail said">{text}</span>
          <time class="hint" datetime={new Date(at).toISOString()}>
            {timeText(t, at, timeZone)}
          </time>
        </li>
      ))}
    </ol>
  );
}
