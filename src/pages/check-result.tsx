import { Glyph } from "gangway-ui/glyph";
import { Icon } from "gangway-ui/icon";
import type { Child } from "hono/jsx";
import { apiKeysPage, type Right } from "../domain/account.ts";
import { connectFaultText, connectField } from "./fault-text.ts";
import type { Fault, Frame, GlyphProps, Strings } from "./props.ts";

interface CheckResultProps {
  field: string;
  problem?: string;
  role?: "alert";
  children?: Child;
}

/** Result of checking a field. While the form is filled in, the script replaces the content. */
export function CheckResult({ field, problem, role, children }: CheckResultProps) {
  return (
    <div id={`${field}-found`} data-checked={field} aria-live="polite">
      {problem && (
        <p class="problem" role={role}>
          {problem}
        </p>
      )}
      {children}
    </div>
  );
}

/** Confirms that a CRM answers, and links to its page of keys in a new tab: leaving the form would lose the key. */
export function CrmChecked({ t: { checking }, crmUrl }: { t: Strings; crmUrl: string }) {
  return (
    <p class="hint">
      <Mark given /> {checking.isCrm}{" "}
      <a href={apiKeysPage(crmUrl)} target="_blank" rel="noreferrer">
        {checking.keysPage}
      </a>
    </p>
  );
}

/** The login that the form would connect. */
export const LoginChecked = ({ t: { checking }, name, glyph }: { t: Strings; name: string; glyph?: GlyphProps }) => (
  <p class="login-found">
    <Glyph shape={glyph} />
    <span>{checking.login({ name })}</span>
    <Icon name="circle-check" />
  </p>
);

/** The rights that the module uses, by the CRM's codes, marked by whether the key has them. */
export function Rights({ t: { checking }, rights }: { t: Strings; rights: Right[] }) {
  return (
    <ul class="rights" aria-label={checking.rights}>
      {rights.map(({ scope, given, required }) => (
        <li>
          <Mark given={given} label={given ? checking.given : undefined} soft={!required} />{" "}
          <span>
            {checking.uses[scope]} <code>{scope}</code>
            {!given && <span class="hint"> {required ? checking.missing : checking.optional}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Without a label the mark is decorative: the text beside it says the same. */
function Mark({ given, label, soft }: { given: boolean; label?: string; soft?: boolean }) {
  const [style, sign] = given ? ["given", "✓"] : [soft ? "hint" : "lacking", "✗"];
  if (!label)
    return (
      <span class={style} aria-hidden="true">
        {sign}
      </span>
    );
  return (
    <span class={style} role="img" aria-label={label}>
      {sign}
    </span>
  );
}

interface CheckedProps extends Pick<Frame, "t"> {
  checked: { crmUrl?: string; fault?: Fault; rights?: Right[] };
}

/** Result of checking the connect form. */
export function CheckedFields({ t, checked: { crmUrl, fault, rights } }: CheckedProps) {
  const faulty = fault && (connectField(fault) ?? (crmUrl ? "apiKey" : "crmUrl"));
  const problemOf = (field: "crmUrl" | "apiKey") =>
    fault && faulty === field ? connectFaultText(t, fault) : undefined;
  return (
    <>
      <CheckResult field="crmUrl" problem={problemOf("crmUrl")}>
        {crmUrl && <CrmChecked t={t} crmUrl={crmUrl} />}
      </CheckResult>
      <CheckResult field="apiKey" problem={problemOf("apiKey")}>
        {rights && <Rights t={t} rights={rights} />}
      </CheckResult>
    </>
  );
}
