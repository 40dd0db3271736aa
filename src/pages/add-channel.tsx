import { Glyph } from "gangway-ui/glyph";
import { PageHead } from "gangway-ui/page-head";
import { ChannelForm } from "./channel-form.tsx";
import { Layout } from "./layout.tsx";
import { LoginLink } from "./login-link.tsx";
import { type Frame, type KindProps, type Problem, titleIn } from "./props.ts";

interface Props extends Frame {
  view: KindProps;
  formToken: string;
  problem?: Problem;
}

export function AddChannelPage({ view, formToken, problem, ...frame }: Props) {
  const { t, home } = frame;
  const { kind, about, schema, words, unsure, listsPast, variant } = view;
  const title = titleIn(t, view.title);
  const heading = view.adding?.[t.language] ?? t.account.adding({ title });
  const login = titleIn(t, view.loginTitle ?? view.title);
  return (
    <Layout {...frame} title={heading}>
      <PageHead
        label={t.looks.crumbs}
        crumbs={[
          { text: t.looks.sections.channels, href: home },
          { text: t.account.add, href: `${home}/add` },
        ]}
        title={heading}
        glyph={<Glyph shape={view.glyph} />}
        lead={about?.[t.language]}
      />
      <section class="card form">
        {view.login && (
          <>
            <LoginLink isFirst t={t} home={home} kind={kind} label={t.logins.with({ title: login })} />
            <p class="hint">{t.logins.hint({ title: login })}</p>
            <h2>{t.logins.or}</h2>
          </>
        )}
        <ChannelForm
          {...{ t, formToken, kind, schema, unsure, listsPast, fault: problem?.fault, typed: problem?.typed }}
          id={`add-${kind}`}
          variant={variant?.name}
          action={`${home}/channels`}
          check={`${home}/add/${encodeURIComponent(kind)}/check`}
          words={words[t.language]}
          name={title}
          values={variant?.settings ?? {}}
          submit={t.account.addButton}
        />
      </section>
    </Layout>
  );
}
