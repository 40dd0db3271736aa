import { formFields, type Schema } from "gangway-messenger/form";
import { CheckResult, LoginChecked } from "./check-result.tsx";
import { channelFaultText, faultField } from "./fault-text.ts";
import type { Fault, KindProps, Strings } from "./props.ts";

/** The fields under which a check of a new channel's form shows its result: the required ones. */
export const checkedFields = (schema: Schema) => formFields(schema).filter(({ required }) => required);

interface Props {
  t: Strings;
  view: Pick<KindProps, "kind" | "schema" | "glyph">;
  checked: { fault?: Fault; name?: string };
}

/** Result of checking a new channel's form. Empty fields are no fault yet; optional fields are reported on submit. */
export function CheckedChannel({ t, view: { kind, schema, glyph }, checked: { fault, name } }: Props) {
  const fields = checkedFields(schema);
  const faulty = faultField(fault);
  const isTold = fault && (!faulty || fault.rule !== "missing");
  const last = fields.at(-1);
  return (
    <>
      {fields.map((field) => {
        const isFaulty = faulty ? faulty === `setting.${field.name}` : field === last;
        return (
          <CheckResult
            field={`add-${kind}-${field.name}`}
            problem={isTold && isFaulty ? channelFaultText(t, fault) : undefined}
          >
            {name !== undefined && field === last && <LoginChecked t={t} name={name} glyph={glyph} />}
          </CheckResult>
        );
      })}
    </>
  );
}
