import { Labelled } from "./labelled.tsx";
import type { Strings } from "./props.ts";

/** Whether messages of before the connection are imported. `typed`: the choice of a refused form. */
export function PastChoice({ t, id, typed = "0" }: { t: Strings; id: string; typed?: string }) {
  const { label, hint, choices } = t.account.past;
  return (
    <Labelled id={id} label={label} hint={hint}>
      {(aria) => (
        <select id={id} name="past" {...aria}>
          {Object.entries(choices).map(([days, words]) => (
            <option value={days} selected={days === typed}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}
