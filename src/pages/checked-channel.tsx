import { formFields, type Schema } from "gangway-messenger/form";
import { channelFaultText, faultField } from "./fault-text.ts";
import { Found, LoginFound } from "./found.tsx";
import type { Fault, KindProps, Strings } from "./props.ts";

/** The fields of a new messenger's form under which a check says what it has found: those that must be filled. */
export const checkedFields = (schema: Schema) => formFields(schema).filter(({ required }) => required);

interface Props {
  t: Strings;
  view: Pick<KindProps, "kind" | "schema" | "glyph">;
  checked: { fault?: Fault; name?: string };
}

/** The answer to a check of a new messenger's form. An empty field is no fault yet, and one out of sight is told of once it is sent. */
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
          <Found
            field={`add-${kind}-${field.name}`}
            problem={isTold && isFaulty ? channelFaultText(t, fault) : undefined}
          >
            {name !== undefined && field === last && <LoginFound t={t} name={name} glyph={glyph} />}
          </Found>
        );
      })}
    </>
  );
}
