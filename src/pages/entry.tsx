import { Layout } from "./layout.tsx";
import type { Frame } from "./props.ts";

interface Props extends Frame {
  formToken: string;
  /** CRM addresses. */
  open: string;
  other: string;
}

/** Asks before another account replaces the open one. */
export function EntryPage({ formToken, open, other, ...frame }: Props) {
  const { t } = frame;
  const bare = (crmUrl: string) => crmUrl.replace(/^https?:\/\//, "");
  const choice = (action: string, label: string, style: string, crmUrl?: string) => (
    <form method="post" action={action}>
      <input type="hidden" name="formToken" value={formToken} />
      {crmUrl && <input type="hidden" name="crmUrl" value={crmUrl} />}
      <button type="submit" class={`button ${style}`}>
        {label}
      </button>
    </form>
  );
  return (
    <Layout {...frame} title={t.entry.title}>
      <section class="card narrow">
        <h1>{t.entry.title}</h1>
        <p>
          {t.entry.open} <strong>{bare(open)}</strong>
        </p>
        <p>
          {t.entry.other} <strong>{bare(other)}</strong>
        </p>
        <p>{t.entry.hint}</p>
        <div class="choices">
          {choice("/account/stay", t.entry.stay({ account: bare(open) }), "primary")}
          {choice("/account/enter", t.entry.enter({ account: bare(other) }), "", other)}
        </div>
      </section>
    </Layout>
  );
}
