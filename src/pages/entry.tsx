import { Layout } from "./layout.tsx";
import type { Frame } from "./props.ts";

interface Props extends Frame {
  open: { page: string; crmUrl: string }[];
  /** The account that the CRM's form, or another site, asks to open. */
  requested?: { crmUrl: string; formToken: string };
}

/** Lists the accounts open in this browser; asks before opening another one. */
export function EntryPage({ open, requested, ...frame }: Props) {
  const { t } = frame;
  const bare = (crmUrl: string) => crmUrl.replace(/^https?:\/\//, "");
  const choice = (action: string, label: string, style: string, formToken: string) => (
    <form method="post" action={action}>
      <input type="hidden" name="formToken" value={formToken} />
      <button type="submit" class={`button ${style}`}>
        {label}
      </button>
    </form>
  );
  return (
    <Layout {...frame} title={t.entry.title}>
      <section class="card narrow">
        <h1>{t.entry.title}</h1>
        <p id="open">{t.entry.open}</p>
        <ul aria-labelledby="open">
          {open.map(({ page, crmUrl }) => (
            <li>
              <a href={page}>{bare(crmUrl)}</a>
            </li>
          ))}
        </ul>
        <p>
          <a href="/?account=">{t.settings.another}</a>
        </p>
        {requested && (
          <>
            <p>
              {t.entry.other} <strong>{bare(requested.crmUrl)}</strong>
            </p>
            <p>{t.entry.hint}</p>
            <div class="choices">
              {choice("/account/stay", t.entry.stay, "primary", requested.formToken)}
              {choice("/account/enter", t.entry.enter({ account: bare(requested.crmUrl) }), "", requested.formToken)}
            </div>
          </>
        )}
      </section>
    </Layout>
  );
}
