import { UNKNOWN_FIELDS, type UnknownField, type Unknowns } from "../unknowns.ts";
import { Frame, Outcome } from "./frame.tsx";

interface Props {
  unknowns: Unknowns;
  problem?: string;
  said?: string;
}

/** Settings for what no published source describes. */
export function UnknownsPage({ unknowns, problem, said }: Props) {
  return (
    <Frame title="Unknowns">
      <main>
        <Outcome said={said} problem={problem} />
        <section>
          <h1>Unknowns</h1>
          <p>
            No published source describes how the real CRM and gateway behave here. Change the settings and see whether
            your module copes. As JSON: <a href="/sandbox/settings">/sandbox/settings</a>.
          </p>
          <form method="post" action="/account/unknowns" class="fields">
            {UNKNOWN_FIELDS.map((field) => (
              <p>
                <label for={field.name}>
                  <code>{field.name}</code> {field.description}
                </label>
                <Choice field={field} value={unknowns[field.name]} />
              </p>
            ))}
            <button type="submit">Set</button>
          </form>
        </section>
      </main>
    </Frame>
  );
}

function Choice({ field, value }: { field: UnknownField; value: string | number | boolean }) {
  if (!field.options)
    return <input type="number" min="0" id={field.name} name={field.name} value={String(value)} required />;
  return (
    <select id={field.name} name={field.name}>
      {field.options.map((option) => (
        <option value={JSON.stringify(option)} selected={option === value}>
          {String(option)}
        </option>
      ))}
    </select>
  );
}
