import type { FieldWords } from "gangway-messenger/features";
import { type FormField, formFields, type Schema } from "gangway-messenger/form";
import { Stepper } from "gangway-ui/stepper";
import { channelFaultText, faultField } from "./fault-text.ts";
import { type Aria, LabelledField } from "./labelled-field.tsx";
import type { ChannelProps, Fault, Strings, Unsure } from "./props.ts";
import { SelectField } from "./select-field.tsx";
import { Picture, Steps } from "./steps.tsx";

interface Props {
  t: Strings;
  action: string;
  formToken: string;
  /** Present only when adding a channel. */
  kind?: string;
  /** The variant of the kind by which the form was opened. */
  variant?: string;
  /** Address that checks the form while it is filled in. */
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
  /** Show all fields from the start. */
  unfolded?: true;
}

const asText = (value: unknown): string =>
  Array.isArray(value) ? value.join("\n") : value == null ? "" : String(value);

interface PartProps {
  props: Props;
  problem?: string;
  /** The field at fault. */
  faulty?: string;
}

/** A channel's settings form, generated from its schema. Adding a channel shows it as steps. */
export function ChannelForm(props: Props) {
  const { t, kind, fault } = props;
  const problem = fault && channelFaultText(t, fault);
  const faulty = faultField(fault);
  const fields = formFields(props.schema);
  const needed = fields.filter(({ required }) => required);
  const known = faulty === "name" || fields.some(({ name }) => faulty === `setting.${name}`);
  const part = { props, problem, faulty };
  return (
    <form
      method="post"
      action={props.action}
      data-live
      data-check={needed.length > 0 ? props.check : undefined}
      data-checking={t.checking.checking}
    >
      <input type="hidden" name="formToken" value={props.formToken} />
      {kind && <input type="hidden" name="kind" value={kind} />}
      {props.variant && <input type="hidden" name="variant" value={props.variant} />}
      {problem && !known && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {kind ? (
        <AddingSteps {...part} needed={needed} />
      ) : (
        <>
          <Name {...props} problem={faulty === "name" ? problem : undefined} />
          <Fields {...part} needed={needed} />
        </>
      )}
    </form>
  );
}

type FieldsProps = PartProps & { needed: FormField[] };

/** The steps: what to get at the messenger, where to paste it, and what follows. */
function AddingSteps({ needed, ...part }: FieldsProps) {
  const { t, words } = part.props;
  const { steps } = t.account;
  const described = needed.filter(({ name }) => words[name]?.steps);
  const create = {
    title: steps.create,
    content: described.map(({ name }) => (
      <>
        {described.length > 1 && <h3>{words[name]?.label ?? name}</h3>}
        {stepsOf(part.props, name)}
      </>
    )),
  };
  const isPasted = described.length > 0;
  return (
    <Stepper
      steps={[
        ...(isPasted ? [create] : []),
        { title: isPasted ? steps.paste : steps.add, content: <Fields {...part} needed={needed} /> },
        { title: steps.tryIt, content: <p class="hint">{steps.tryHint}</p>, isLater: true },
      ]}
    />
  );
}

/** Required fields, the others folded, and the submit button. */
function Fields({ needed, ...part }: FieldsProps) {
  const { props, problem, faulty } = part;
  const { t, id, typed } = props;
  const more = formFields(props.schema).filter(({ required }) => !required);
  const isMore = faulty === "name" || more.some(({ name }) => faulty === `setting.${name}`);
  return (
    <>
      {needed.map((field) => (
        <Field {...part} field={field} />
      ))}
      <details open={props.unfolded || isMore}>
        <summary>{t.account.more}</summary>
        {props.kind && <Name {...props} problem={faulty === "name" ? problem : undefined} />}
        {more.map((field) => (
          <Field {...part} field={field} />
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
    </>
  );
}

type SettingsProps = Pick<Props, "t" | "id" | "action" | "formToken" | "typed" | "fault" | "unfolded"> & {
  view: Pick<ChannelProps, "channel" | "schema" | "words" | "unsure">;
};

/** Settings of an existing channel. */
export const SettingsForm = ({ view: { channel, schema, words, unsure }, ...props }: SettingsProps) => (
  <ChannelForm
    {...props}
    {...{ schema, unsure, name: channel.name }}
    words={words[props.t.language]}
    values={channel.settings as Record<string, unknown>}
    submit={props.t.account.save}
  />
);

/** Field that distinguishes the form for new secrets from the settings form. */
export const REPLACING = "replacing";

type SecretProps = Pick<
  Props,
  "t" | "action" | "formToken" | "schema" | "words" | "name" | "values" | "unsure" | "id" | "fault"
>;

/** Form for new credentials beside their trouble: secrets are entered again, other settings stay. */
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

/** The name field; folded for a new channel, whose default name will do. */
function Name({ t, id, name, typed, problem }: Props & { problem?: string }) {
  return (
    <LabelledField id={`${id}-name`} label={t.account.name} hint={t.account.nameHint} problem={problem}>
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
    </LabelledField>
  );
}

function Field({ props, field, problem, faulty }: PartProps & { field: FormField }) {
  const { id, typed, words, values, kind } = props;
  const { name } = field;
  const initial = (kind === undefined ? undefined : words[name]?.initial) ?? field.initial;
  const shown = typed ? (typed.get(`setting.${name}`) ?? "") : asText(values[name] ?? initial);
  return (
    <LabelledField
      id={`${id}-${name}`}
      label={words[name]?.label ?? name}
      hint={hintOf(props, field)}
      described={kind !== undefined && words[name]?.steps !== undefined}
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
    </LabelledField>
  );
}

/** Stored secrets are never shown; an empty field keeps the stored value. */
const hintOf = ({ t, kind, words }: Props, { control, name }: FormField): string | undefined =>
  control === "secret" && kind === undefined ? t.account.secretHint : words[name]?.hint;

/** Instructions for finding a field's value at the messenger. */
function stepsOf({ t, id, words }: Props, name: string) {
  const { steps, picture } = words[name] ?? {};
  return (
    steps && (
      <>
        <Steps t={t} id={`${id}-${name}-hint`} steps={steps} />
        {picture && <Picture {...picture} />}
      </>
    )
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
