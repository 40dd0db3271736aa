import { listText } from "gangway-messenger/language";
import { PageHead } from "gangway-ui/page-head";
import { Layout } from "./layout.tsx";
import type { AccountProps, Frame } from "./props.ts";

interface Props extends Frame {
  view: Pick<AccountProps, "crmUrl" | "channels">;
  /** How long this server keeps what is stored, days. */
  retainDays: { settled: number; dead: number; journal: number; audit: number };
  formToken: string;
}

/** Says what disconnecting stops and what stays, and asks for confirmation. */
export function DisconnectPage({ view, retainDays, formToken, ...frame }: Props) {
  const { t, home, moduleName } = frame;
  const { disconnect } = t;
  const names = view.channels.map(({ channel }) => channel.name);
  const waiting = view.channels.reduce((sum, { counts }) => sum + counts.waiting + counts.held, 0);
  return (
    <Layout {...frame} title={disconnect.title}>
      <PageHead
        label={t.looks.crumbs}
        crumbs={[{ text: t.settings.title, href: `${home}/settings` }]}
        title={disconnect.title}
        lead={disconnect.lead({ module: moduleName, account: view.crmUrl.replace(/^https?:\/\//, "") })}
      />
      <section class="card form">
        <h2>{disconnect.stops}</h2>
        <ul>
          {names.length > 0 && (
            <li>{disconnect.messengers({ names: listText(t.language, names).replace(/\.$/, "") })}</li>
          )}
          <li>{disconnect.module}</li>
          {waiting > 0 && <li>{disconnect.waiting({ count: waiting })}</li>}
        </ul>
        <h2>{disconnect.stays}</h2>
        <ul>
          <li>{disconnect.inCrm}</li>
          <li>{disconnect.here(retainDays)}</li>
        </ul>
        <form method="post" action={`${home}/disconnect`} class="choices">
          <input type="hidden" name="formToken" value={formToken} />
          <p class="check">
            <input type="checkbox" id="erase" name="erase" value="yes" />{" "}
            <label for="erase">{t.customers.withAccount}</label>
          </p>
          <button type="submit" class="button danger">
            <span class="unless-ticked">{disconnect.confirm}</span>
            <span class="if-ticked">{disconnect.confirmErasing}</span>
          </button>
          <a class="button" href={`${home}/settings`}>
            {disconnect.cancel}
          </a>
        </form>
      </section>
    </Layout>
  );
}
