import { connectWords } from "./fault.ts";
import { Layout } from "./layout.tsx";
import type { Fault, Strings } from "./props.ts";

interface Props {
  t: Strings;
  moduleName: string;
  crmUrl: string;
  fault?: Fault;
}

/** Which field a fault is about; the others are about the connection. */
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

/** The form that the marketplace card leads to. */
export function ConnectPage({ t, moduleName, crmUrl, fault }: Props) {
  const at = fault && FIELD_OF[fault.code];
  const problem = (field: "crmUrl" | "apiKey") =>
    at === field &&
    fault && (
      <p class="problem" id={`${field}-problem`} role="alert">
        {connectWords(t, fault)}
      </p>
    );
  const described = (field: "crmUrl" | "apiKey") => `${field}-hint${at === field ? ` ${field}-problem` : ""}`;
  return (
    <Layout t={t} moduleName={moduleName} title={t.connect.title}>
      <section class="card narrow">
        <h1>{t.connect.title}</h1>
        <p class="lead">{t.connect.lead(moduleName)}</p>
        {fault && !at && (
          <p class="problem" role="alert">
            {connectWords(t, fault)}
          </p>
        )}
        <form method="post" action="/">
          <label for="crmUrl">{t.connect.crmUrl}</label>
          <input
            id="crmUrl"
            name="crmUrl"
            type="text"
            inputmode="url"
            autocomplete="url"
            required
            maxlength={255}
            value={crmUrl}
            aria-describedby={described("crmUrl")}
            aria-invalid={at === "crmUrl" ? "true" : undefined}
          />
          <p class="hint" id="crmUrl-hint">
            {t.connect.crmUrlHint}
          </p>
          {problem("crmUrl")}
          <label for="apiKey">{t.connect.apiKey}</label>
          <input
            id="apiKey"
            name="apiKey"
            type="password"
            autocomplete="off"
            required
            maxlength={100}
            aria-describedby={described("apiKey")}
            aria-invalid={at === "apiKey" ? "true" : undefined}
          />
          <p class="hint" id="apiKey-hint">
            {t.connect.apiKeyHint}
          </p>
          {problem("apiKey")}
          <button type="submit" class="button primary">
            {t.connect.submit}
          </button>
        </form>
        <h2>{t.connect.steps}</h2>
        <ol>
          {t.connect.step.map((step) => (
            <li>{step}</li>
          ))}
        </ol>
      </section>
    </Layout>
  );
}
