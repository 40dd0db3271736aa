import { Glyph } from "gangway-ui/glyph";
import { PageHead } from "gangway-ui/page-head";
import { channelFaultText, loginFaultText } from "./fault-text.ts";
import { Layout } from "./layout.tsx";
import { LoginLink } from "./login-link.tsx";
import { type Frame, type KindProps, type OfferedProps, type OutcomeProps, type Strings, titleIn } from "./props.ts";
import { SelectField } from "./select-field.tsx";

interface Props extends Frame {
  view: KindProps;
  formToken: string;
  outcome: OutcomeProps;
  /** The form was submitted without a choice. */
  isUnchosen?: boolean;
}

/** After a login at a messenger: what can be connected, or why nothing can. */
export function LoginChoicesPage({ view, formToken, outcome, isUnchosen, ...frame }: Props) {
  const { t, home } = frame;
  const title = titleIn(t, view.title);
  const login = titleIn(t, view.loginTitle ?? view.title);
  const words = t.logins;
  const here = `${home}/add/${encodeURIComponent(view.kind)}`;
  const { choices = [], fault } = outcome;
  return (
    <Layout {...frame} title={words.title({ title })}>
      <PageHead
        label={t.looks.crumbs}
        crumbs={[
          { text: t.looks.sections.channels, href: home },
          { text: t.account.adding({ title }), href: here },
        ]}
        title={words.title({ title })}
        glyph={<Glyph shape={view.glyph} />}
      />
      <section class="card form">
        {fault && (
          <p class="problem" role="alert">
            {loginFaultText(t, fault, title)}
          </p>
        )}
        {isUnchosen && (
          <p class="problem" role="alert">
            {words.unchosen}
          </p>
        )}
        {choices.length > 0 && <Offers {...{ t, home, view, formToken, choices }} action={`${here}/choose`} />}
        {choices.length > 0 && (
          <>
            <h2>{words.missing}</h2>
            <p class="hint">{words.missingHint({ title: login })}</p>
          </>
        )}
        <LoginLink
          t={t}
          home={home}
          kind={view.kind}
          label={words.again({ title: login })}
          isFirst={fault !== undefined}
        />
        <p>
          <a href={here}>{words.typed}</a>
        </p>
      </section>
    </Layout>
  );
}

type OffersProps = Pick<Props, "t" | "home" | "view" | "formToken"> & { choices: OfferedProps[]; action: string };

function Offers({ t, home, view, formToken, choices, action }: OffersProps) {
  const words = t.logins;
  return (
    <form method="post" action={action} data-live>
      <input type="hidden" name="formToken" value={formToken} />
      <fieldset class="offers">
        <legend>{words.which}</legend>
        {choices.map((choice, n) => (
          <Choice {...{ t, home, choice }} id={`choice-${n}`} isOnly={choices.length === 1} />
        ))}
      </fieldset>
      {view.listsPast && choices.some(({ done }) => !done) && (
        <SelectField id="past" name="past" words={t.account.past} value="0" />
      )}
      {choices.some(({ done }) => !done) && (
        <button type="submit" class="button primary">
          {words.connect}
        </button>
      )}
    </form>
  );
}

type ChoiceProps = { t: Strings; home: string; choice: OfferedProps; id: string; isOnly: boolean };

/** Preselected if it is the only choice, or failed and may be retried. */
function Choice({ t, home, choice, id, isOnly }: ChoiceProps) {
  const { login, name, about, channel, done, fault } = choice;
  const isTicked = fault !== undefined || (isOnly && !channel);
  const page = channel && <a href={`${home}/channels/${encodeURIComponent(channel.id)}`}>{channel.name}</a>;
  return (
    <div>
      <label for={id}>
        {!done && (
          <input
            type="checkbox"
            id={id}
            name="login"
            value={login}
            checked={isTicked}
            aria-describedby={`${id}-state`}
            aria-invalid={fault ? "true" : undefined}
          />
        )}{" "}
        <strong>{name}</strong> {about && <span class="hint">{about}</span>}
      </label>
      <div id={`${id}-state`}>
        {fault && <p class="problem">{channelFaultText(t, fault)}</p>}
        {done && <p class="done">{t.done.added}</p>}
        {channel && (
          <p class="hint">
            {t.logins[done ? "seeIt" : channel.state === "stopped" ? "stopped" : "connected"]} {page}
          </p>
        )}
      </div>
    </div>
  );
}
