import { Alert } from "gangway-ui/alert";
import { Toast } from "gangway-ui/toast";
import type { Right } from "../domain/account.ts";
import { CrmChecked, Rights } from "./check-result.tsx";
import { connectFaultText, connectField } from "./fault-text.ts";
import { LabelledField } from "./labelled-field.tsx";
import { Layout } from "./layout.tsx";
import type { Fault, Frame } from "./props.ts";

interface Props extends Frame {
  /** The address as entered. */
  entered: string;
  /** The CRM that refused the form. */
  crmUrl?: string;
  fault?: Fault & { rights?: Right[] };
  /** What has just been done. */
  done?: string;
}

/** The connect form; marketplace cards link to it. */
export function ConnectPage({ entered, crmUrl, fault, done, ...frame }: Props) {
  const { t, moduleName } = frame;
  return (
    <Layout {...frame} title={t.connect.title}>
      {done && <Toast>{done}</Toast>}
      <section class="card narrow">
        <h1>{t.connect.title}</h1>
        <p class="lead">{t.connect.lead({ module: moduleName })}</p>
        {fault && !connectField(fault) && (
          <Alert tone="danger" role="alert">
            {connectFaultText(t, fault)}
          </Alert>
        )}
        <form method="post" action="/" data-live data-check="/check" data-checking={t.checking.checking}>
          <Fields t={t} entered={entered} crmUrl={crmUrl} fault={fault} />
          <button type="submit" class="button primary">
            {t.connect.submit}
          </button>
        </form>
        <h2>{t.connect.steps}</h2>
        <ol>
          {Object.values(t.connect.step).map((step) => (
            <li>{step}</li>
          ))}
        </ol>
      </section>
    </Layout>
  );
}

function Fields({ t, entered, crmUrl, fault }: Pick<Props, "t" | "entered" | "crmUrl" | "fault">) {
  const problemOf = (field: "crmUrl" | "apiKey") =>
    fault && connectField(fault) === field ? connectFaultText(t, fault) : undefined;
  return (
    <>
      <LabelledField
        id="crmUrl"
        label={t.connect.crmUrl}
        hint={t.connect.crmUrlHint}
        problem={problemOf("crmUrl")}
        found={crmUrl ? <CrmChecked t={t} crmUrl={crmUrl} /> : null}
      >
        {(aria) => (
          <input
            id="crmUrl"
            name="crmUrl"
            type="text"
            inputmode="url"
            autocomplete="url"
            required
            maxlength={255}
            value={entered}
            {...aria}
          />
        )}
      </LabelledField>
      <LabelledField
        id="apiKey"
        label={t.connect.apiKey}
        hint={t.connect.apiKeyHint}
        problem={problemOf("apiKey")}
        found={fault?.rights ? <Rights t={t} rights={fault.rights} /> : null}
      >
        {(aria) => (
          <input id="apiKey" name="apiKey" type="password" autocomplete="off" required maxlength={100} {...aria} />
        )}
      </LabelledField>
    </>
  );
}
