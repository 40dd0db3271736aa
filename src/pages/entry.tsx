import { Layout } from "./layout.tsx";
import type { Strings } from "./props.ts";

interface Props {
  t: Strings;
  moduleName: string;
  formToken: string;
  /** CRM addresses. */
  open: string;
  other: string;
}

/** Asks before another account replaces the open one. */
export function EntryPage({ t, moduleName, formToken, open, other }: Props) {
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
    <Layout t={t} moduleName={moduleName} title={t.entry.title}>
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
          {choice("/account/stay", t.entry.stay(bare(open)), "primary")}
          {choice("/account/enter", t.entry.enter(bare(other)), "", other)}
        </div>
      </section>
    </Layout>
  );
}
