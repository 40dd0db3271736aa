import { DialogLink } from "gangway-ui/dialog";
import { PageHead } from "gangway-ui/page-head";
import { State } from "gangway-ui/state";
import { Toast } from "gangway-ui/toast";
import type { Right } from "../domain/account.ts";
import { CheckResult, Rights } from "./check-result.tsx";
import { connectFaultText } from "./fault-text.ts";
import { LabelledField } from "./labelled-field.tsx";
import { Layout } from "./layout.tsx";
import type { AccountProps, Fault, Frame, Strings } from "./props.ts";

interface Props extends Frame {
  view: Pick<AccountProps, "crmUrl" | "keyEnd" | "state" | "pauseReason">;
  done?: keyof Strings["done"];
}

const TONES = { working: "success", off: "warning", frozen: "danger" } as const;

/** The account at the CRM: its state, its key, and disconnecting. */
export function SettingsPage({ view, done, ...frame }: Props) {
  const { t, home, moduleName: vendor } = frame;
  const words = t.settings;
  return (
    <Layout {...frame} title={words.title}>
      {done && <Toast>{t.done[done]}</Toast>}
      <PageHead label={t.looks.crumbs} title={words.title} />
      <section class="card form">
        <h2>{t.account.crm}</h2>
        <dl class="facts">
          <div>
            <dt>{words.address}</dt>
            <dd>
              <a href={view.crmUrl}>{view.crmUrl.replace(/^https?:\/\//, "")}</a>
            </dd>
          </div>
          <div>
            <dt>{words.state}</dt>
            <dd>
              <State tone={TONES[view.state]}>{t.account.state[view.state]}</State>
              {view.pauseReason && <p class="notice">{t.account.pausedBy({ vendor, reason: view.pauseReason })}</p>}
            </dd>
          </div>
          <div>
            <dt>{t.connect.apiKey}</dt>
            <dd>{t.account.key({ end: view.keyEnd })}</dd>
          </div>
        </dl>
        <p>
          <a class="button" href={`${home}/key`}>
            {t.account.reconnect}
          </a>{" "}
          <a class="button ghost" href="/?account=">
            {words.another}
          </a>
        </p>
      </section>
      <section class="card form">
        <h2>{t.disconnect.title}</h2>
        <p>{words.disconnectHint}</p>
        <DialogLink href={`${home}/disconnect`} style="danger">
          {t.disconnect.link}
        </DialogLink>
      </section>
    </Layout>
  );
}

interface KeyProps extends Frame {
  formToken: string;
  fault?: Fault & { rights?: Right[] };
}

/** Form for a new API key of the same account. */
export function KeyPage({ formToken, fault, ...frame }: KeyProps) {
  const { t, home, crm = "" } = frame;
  const problem = fault && connectFaultText(t, fault);
  return (
    <Layout {...frame} title={t.account.reconnect}>
      <PageHead
        label={t.looks.crumbs}
        crumbs={[{ text: t.settings.title, href: `${home}/settings` }]}
        title={t.account.reconnect}
        lead={crm.replace(/^https?:\/\//, "")}
      />
      <section class="card form">
        <form method="post" action={`${home}/key`} data-live data-check="/check" data-checking={t.checking.checking}>
          <input type="hidden" name="formToken" value={formToken} />
          <input type="hidden" id="crmUrl" name="crmUrl" value={crm} />
          <CheckResult field="crmUrl" />
          <LabelledField
            id="apiKey"
            label={t.connect.apiKey}
            hint={t.connect.apiKeyHint}
            problem={problem}
            found={fault?.rights ? <Rights t={t} rights={fault.rights} /> : null}
          >
            {(aria) => (
              <input id="apiKey" name="apiKey" type="password" autocomplete="off" required maxlength={100} {...aria} />
            )}
          </LabelledField>
          <div class="choices">
            <button type="submit" class="button primary">
              {t.account.save}
            </button>
            <a class="button" href={`${home}/settings`}>
              {t.settings.cancel}
            </a>
          </div>
        </form>
      </section>
    </Layout>
  );
}
