import { LabelledField } from "./labelled-field.tsx";

interface Props {
  id: string;
  /** Name of the form field. */
  name: string;
  words: { label: string; hint: string; choices: Record<string, string> };
  value: string;
}

export const SelectField = ({ id, name, words: { label, hint, choices }, value }: Props) => (
  <LabelledField id={id} label={label} hint={hint}>
    {(aria) => (
      <select id={id} name={name} {...aria}>
        {Object.entries(choices).map(([choice, text]) => (
          <option value={choice} selected={choice === value}>
            {text}
          </option>
        ))}
      </select>
    )}
  </LabelledField>
);
