import { Glyph } from "gangway-ui/glyph";
import { Icon } from "gangway-ui/icon";
import type { Child } from "hono/jsx";
import { apiKeysPage, type Right } from "../domain/account.ts";
import { connectFaultText, connectField } from "./fault-text.ts";
import type { Fault, Frame, GlyphProps, Strings } from "./props.ts";

interface FoundProps {
  field: string;
  problem?: string;
  role?: "alert";
  children?: Child;
}

/** What is known of a field's value. While the form is filled, the script replaces what is in it. */
export function Found({ field, problem, role, children }: FoundProps) {
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

/** The address is a CRM's, so its page of keys is known. It opens beside the form, which would lose the key. */
export function CrmFound({ t: { checking }, crmUrl }: { t: Strings; crmUrl: string }) {
  return (
    <p class="hint">
      <Mark given /> {checking.isCrm}{" "}
      <a href={apiKeysPage(crmUrl)} target="_blank" rel="noreferrer">
        {checking.keysPage}
      </a>
    </p>
  );
}

/** What the form of a messenger would connect. */
export const LoginFound = ({ t: { checking }, name, glyph }: { t: Strings; name: string; glyph?: GlyphProps }) => (
  <p class="login-found">
    <Glyph shape={glyph} />
    <span>{checking.login({ name })}</span>
    <Icon name="circle-check" />
  </p>
);

/** The rights that the module uses, by the CRM's codes, and which of them the key has. */
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

/** Without a label the text beside it says the same. */
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

/** The answer to a check of the connect form. */
export function CheckedFields({ t, checked: { crmUrl, fault, rights } }: CheckedProps) {
  const faulty = fault && (connectField(fault) ?? (crmUrl ? "apiKey" : "crmUrl"));
  const problemOf = (field: "crmUrl" | "apiKey") =>
    fault && faulty === field ? connectFaultText(t, fault) : undefined;
  return (
    <>
      <Found field="crmUrl" problem={problemOf("crmUrl")}>
        {crmUrl && <CrmFound t={t} crmUrl={crmUrl} />}
      </Found>
      <Found field="apiKey" problem={problemOf("apiKey")}>
        {rights && <Rights t={t} rights={rights} />}
      </Found>
    </>
  );
}
