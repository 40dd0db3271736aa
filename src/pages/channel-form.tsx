import type { FieldWords } from "gangway-messenger/features";
import { type FormField, formFields, type Schema } from "gangway-messenger/form";
import { channelFaultText, faultField } from "./fault-text.ts";
import { type Aria, Labelled } from "./labelled.tsx";
import type { ChannelProps, Fault, Strings, Unsure } from "./props.ts";
import { SelectField } from "./select-field.tsx";
import { Picture, Steps } from "./steps.tsx";

interface Props {
  t: Strings;
  action: string;
  formToken: string;
  /** Only when adding a channel. */
  kind?: string;
  /** Of that kind's entries, the one that it was opened by. */
  variant?: string;
  /** Where the form is checked while it is filled. */
  check?: string;
  schema: Schema;
  /** Labels and hints of the fields. */
  words: Record<string, FieldWords>;
  name: string;
  values: Record<string, unknown>;
  unsure?: Unsure;
  /** Whether to offer an import of earlier messages. */
  listsPast?: true;
  /** Input of the refused form. */
  typed?: URLSearchParams;
  fault?: Fault;
  submit: string;
  id: string;
  /** Shows all fields from the start. */
  unfolded?: true;
}

const asText = (value: unknown): string =>
  Array.isArray(value) ? value.join("\n") : value == null ? "" : String(value);

/** Settings form of a messenger, generated from its schema. */
export function ChannelForm(props: Props) {
  const { t, typed, fault, id } = props;
  const problem = fault && channelFaultText(t, fault);
  const faulty = faultField(fault);
  const fields = formFields(props.schema);
  const known = faulty === "name" || fields.some(({ name }) => faulty === `setting.${name}`);
  const needed = fields.filter(({ required }) => required);
  const more = fields.filter(({ required }) => !required);
  const isMore = (field?: string) => field === "name" || more.some(({ name }) => field === `setting.${name}`);
  return (
    <form
      method="post"
      action={props.action}
      data-live
      data-check={needed.length > 0 ? props.check : undefined}
      data-checking={t.checking.checking}
    >
      <input type="hidden" name="formToken" value={props.formToken} />
      {props.kind && <input type="hidden" name="kind" value={props.kind} />}
      {props.variant && <input type="hidden" name="variant" value={props.variant} />}
      {problem && !known && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {!props.kind && <Name {...props} problem={faulty === "name" ? problem : undefined} />}
      {needed.map((field) => (
        <Field {...{ props, field, problem, faulty }} />
      ))}
      <details open={props.unfolded || isMore(faulty)}>
        <summary>{t.account.more}</summary>
        {props.kind && <Name {...props} problem={faulty === "name" ? problem : undefined} />}
        {more.map((field) => (
          <Field {...{ props, field, problem, faulty }} />
        ))}
        {props.listsPast && (
          <SelectField id={`${id}-past`} name="past" words={t.account.past} value={typed?.get("past") ?? "0"} />
        )}
        {props.unsure && (
          <SelectField
            id={`${id}-unsure`}
            name="unsure"
            words={t.account.unsure}
            value={typed?.get("unsure") ?? props.unsure}
          />
        )}
      </details>
      <button
        type="submit"
        class="button primary"
        aria-label={props.kind ? undefined : `${props.submit}: ${props.name}`}
      >
        {props.submit}
      </button>
    </form>
  );
}

type SettingsProps = Pick<Props, "t" | "id" | "action" | "formToken" | "typed" | "fault" | "unfolded"> & {
  view: Pick<ChannelProps, "channel" | "schema" | "words" | "unsure">;
};

/** The settings of a channel that is there. */
export const SettingsForm = ({ view: { channel, schema, words, unsure }, ...props }: SettingsProps) => (
  <ChannelForm
    {...props}
    {...{ schema, unsure, name: channel.name }}
    words={words[props.t.language]}
    values={channel.settings as Record<string, unknown>}
    submit={props.t.account.save}
  />
);

/** The field that tells its form from the settings'. */
export const REPLACING = "replacing";

type SecretProps = Pick<
  Props,
  "t" | "action" | "formToken" | "schema" | "words" | "name" | "values" | "unsure" | "id" | "fault"
>;

/** Replaces dead credentials where their trouble is told: the secrets are typed anew, all else stays as it is. */
export function NewSecretForm({ t, id, action, formToken, schema, words, name, values, unsure, fault }: SecretProps) {
  const fields = formFields(schema);
  const secrets = fields.filter(({ control, required }) => control === "secret" && required);
  if (secrets.length === 0) return null;
  const kept = fields
    .filter(({ control }) => control !== "secret")
    .map(({ control, name, initial }) => ({ control, name, value: values[name] ?? initial }))
    .filter(({ control, value }) => control !== "checkbox" || value === true)
    .map(({ control, name, value }) => [`setting.${name}`, control === "checkbox" ? "on" : asText(value)]);
  const hidden = [
    ["formToken", formToken],
    [REPLACING, "1"],
    ["name", name],
    ...(unsure ? [["unsure", unsure]] : []),
    ...kept,
  ];
  const problem = fault && channelFaultText(t, fault);
  const aria: Aria = problem
    ? { "aria-describedby": `${id}-new-problem`, "aria-invalid": "true", autofocus: true }
    : {};
  return (
    <form method="post" action={action} class="field-row" data-live>
      {hidden.map(([field, value]) => (
        <input type="hidden" name={field} value={value} />
      ))}
      {secrets.map((field) => {
        const label = words[field.name]?.label ?? field.name;
        return (
          <input
            id={`${id}-new-${field.name}`}
            name={`setting.${field.name}`}
            type="password"
            required
            autocomplete="off"
            maxlength={field.maxLength}
            aria-label={t.account.newSecret({ label })}
            placeholder={t.account.newSecret({ label })}
            {...aria}
          />
        );
      })}
      <button type="submit" class="button primary">
        {t.account.replace}
      </button>
      {problem && (
        <p class="problem" id={`${id}-new-problem`}>
          {problem}
        </p>
      )}
    </form>
  );
}

/** In sight once the messenger is connected; before that its default does. */
function Name({ t, id, name, typed, problem }: Props & { problem?: string }) {
  return (
    <Labelled id={`${id}-name`} label={t.account.name} hint={t.account.nameHint} problem={problem}>
      {(aria) => (
        <input
          id={`${id}-name`}
          name="name"
          maxlength={100}
          autocomplete="off"
          value={typed?.get("name") ?? name}
          {...aria}
        />
      )}
    </Labelled>
  );
}

function Field({
  props,
  field,
  problem,
  faulty,
}: {
  props: Props;
  field: FormField;
  problem?: string;
  faulty?: string;
}) {
  const { id, typed, words, values, kind } = props;
  const { name } = field;
  const initial = (kind === undefined ? undefined : words[name]?.initial) ?? field.initial;
  const shown = typed ? (typed.get(`setting.${name}`) ?? "") : asText(values[name] ?? initial);
  return (
    <Labelled
      id={`${id}-${name}`}
      label={words[name]?.label ?? name}
      hint={hintOf(props, field)}
      steps={stepsOf(props, field)}
      problem={faulty === `setting.${name}` ? problem : undefined}
      found={props.check && field.required ? null : undefined}
    >
      {(aria) => (
        <Control
          field={field}
          words={words[name]?.choices ?? {}}
          id={`${id}-${name}`}
          value={shown}
          aria={aria}
          kept={props.kind === undefined}
        />
      )}
    </Labelled>
  );
}

/** Stored secrets are never shown; an empty field keeps them. */
const hintOf = ({ t, kind, words }: Props, { control, name }: FormField): string | undefined =>
  control === "secret" && kind === undefined ? t.account.secretHint : words[name]?.hint;

/** Only of what is still to be found. */
function stepsOf({ t, kind, words }: Props, { name }: FormField) {
  const { steps, picture } = words[name] ?? {};
  if (kind === undefined || !steps) return undefined;
  return (id: string) => (
    <>
      <Steps t={t} id={id} steps={steps} />
      {picture && <Picture {...picture} />}
    </>
  );
}

interface ControlProps {
  field: FormField;
  words: Record<string, string>;
  id: string;
  value: string;
  aria: Aria;
  kept: boolean;
}

function Control({ field, words, id, value, aria, kept }: ControlProps) {
  const common = { id, name: `setting.${field.name}`, ...aria };
  const { required, maxLength: maxlength } = field;
  switch (field.control) {
    case "long":
    case "list":
      return (
        <textarea {...common} required={required} rows={3} maxlength={maxlength}>
          {value}
        </textarea>
      );
    case "checkbox":
      return <input {...common} type="checkbox" value="on" checked={value === "true" || value === "on"} />;
    case "select":
      return (
        <select {...common} required={required}>
          {field.choices?.map((choice) => (
            <option value={choice} selected={choice === value}>
              {words[choice] ?? choice}
            </option>
          ))}
        </select>
      );
    case "colour":
      return <input {...common} type="color" value={value} />;
    case "secret":
      return (
        <input {...common} type="password" required={required && !kept} autocomplete="off" maxlength={maxlength} />
      );
    default:
      return (
        <input
          {...common}
          type={field.control === "number" ? "number" : "text"}
          required={required}
          maxlength={maxlength}
          autocomplete="off"
          value={value}
        />
      );
  }
}
