import { connectFaultText } from "./fault-text.ts";
import { Labelled } from "./labelled.tsx";
import { Layout } from "./layout.tsx";
import type { Fault, Frame } from "./props.ts";

interface Props extends Frame {
  crmUrl: string;
  fault?: Fault;
  /** What just happened. */
  done?: string;
}

/** The field of a fault; other faults concern the whole form. */
const FIELD_OF: Record<string, "crmUrl" | "apiKey"> = {
  "address-form": "crmUrl",
  "address-host": "crmUrl",
  "not-a-crm": "crmUrl",
  unreachable: "crmUrl",
  blocked: "crmUrl",
  "no-account": "crmUrl",
  "key-missing": "apiKey",
  "wrong-key": "apiKey",
  "no-access": "apiKey",
  rights: "apiKey",
};

/** The connect form; marketplace cards link to it. */
export function ConnectPage({ crmUrl, fault, done, ...frame }: Props) {
  const { t, moduleName } = frame;
  const faulty = fault && FIELD_OF[fault.code];
  const problemOf = (field: "crmUrl" | "apiKey") =>
    fault && faulty === field ? connectFaultText(t, fault) : undefined;
  return (
    <Layout {...frame} title={t.connect.title}>
      {done && (
        <p class="done" role="status">
          {done}
        </p>
      )}
      <section class="card narrow">
        <h1>{t.connect.title}</h1>
        <p class="lead">{t.connect.lead({ module: moduleName })}</p>
        {fault && !faulty && (
          <p class="problem" role="alert">
            {connectFaultText(t, fault)}
          </p>
        )}
        <form method="post" action="/" data-live>
          <Labelled id="crmUrl" label={t.connect.crmUrl} hint={t.connect.crmUrlHint} problem={problemOf("crmUrl")}>
            {(aria) => (
              <input
                id="crmUrl"
                name="crmUrl"
                type="text"
                inputmode="url"
                autocomplete="url"
                required
                maxlength={255}
                value={crmUrl}
                {...aria}
              />
            )}
          </Labelled>
          <Labelled id="apiKey" label={t.connect.apiKey} hint={t.connect.apiKeyHint} problem={problemOf("apiKey")}>
            {(aria) => (
              <input id="apiKey" name="apiKey" type="password" autocomplete="off" required maxlength={100} {...aria} />
            )}
          </Labelled>
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
