import { faultWords } from "./connect.tsx";
import { type FormField, formFields, type Schema } from "./fields.ts";
import type { Fault, Strings } from "./props.ts";

interface Props {
  t: Strings;
  action: string;
  formToken: string;
  /** Only where a channel is added. */
  kind?: string;
  schema: Schema;
  name: string;
  values: Record<string, unknown>;
  /** What was typed when the form was refused. */
  typed?: URLSearchParams;
  fault?: Fault;
  submit: string;
  id: string;
}

const asText = (value: unknown): string =>
  Array.isArray(value) ? value.join("\n") : value == null ? "" : String(value);

/** A messenger's settings, drawn from its schema. */
export function ChannelForm(props: Props) {
  const { t, typed, fault, id } = props;
  const shownIn = (field: FormField) =>
    typed?.get(`setting.${field.name}`) ?? asText(props.values[field.name] ?? field.initial);
  return (
    <form method="post" action={props.action}>
      <input type="hidden" name="formToken" value={props.formToken} />
      {props.kind && <input type="hidden" name="kind" value={props.kind} />}
      {fault && (
        <p class="problem" role="alert">
          {fault.field && `${t.fields[fault.field] ?? fault.field}: `}
          {faultWords(t.channelFaults, fault)}
        </p>
      )}
      <label for={`${id}-name`}>{t.account.name}</label>
      <input
        id={`${id}-name`}
        name="name"
        maxlength={100}
        value={typed?.get("name") ?? props.name}
        aria-describedby={`${id}-name-hint`}
      />
      <p class="hint" id={`${id}-name-hint`}>
        {t.account.nameHint}
      </p>
      {formFields(props.schema).map((field) => (
        <>
          <label for={`${id}-${field.name}`}>{t.fields[field.name] ?? field.name}</label>
          <Control field={field} id={`${id}-${field.name}`} value={shownIn(field)} />
        </>
      ))}
      <button type="submit" class="button primary">
        {props.submit}
      </button>
    </form>
  );
}

function Control({ field, id, value }: { field: FormField; id: string; value: string }) {
  const common = { id, name: `setting.${field.name}`, required: field.required };
  switch (field.control) {
    case "long":
    case "list":
      return (
        <textarea {...common} rows={3} maxlength={field.maxLength}>
          {value}
        </textarea>
      );
    case "checkbox":
      return <input {...common} type="checkbox" checked={value === "true" || value === "on"} />;
    case "select":
      return (
        <select {...common}>
          {field.choices?.map((choice) => (
            <option value={choice} selected={choice === value}>
              {choice}
            </option>
          ))}
        </select>
      );
    case "colour":
      return <input {...common} type="color" value={value} />;
    case "secret":
      return <input {...common} type="password" autocomplete="off" maxlength={field.maxLength} />;
    default:
      return <input {...common} type="text" maxlength={field.maxLength} value={value} />;
  }
}
