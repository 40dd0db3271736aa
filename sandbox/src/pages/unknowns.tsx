import { DEFAULT_UNKNOWNS, UNKNOWN_FIELDS, type UnknownField, type Unknowns } from "../unknowns.ts";
import { Frame, Outcome } from "./frame.tsx";

interface Props {
  unknowns: Unknowns;
  problem?: string;
  said?: string;
}

/** By the beginnings of their names; what fits none is of the CRM's API. */
const GROUPS: [string, RegExp][] = [
  [
    "The gateway calls your module",
    /^(webhook(?!Signature)|callback|ackDeadline|activity|endpoint|account|readWebhooks|deleteAnswer)/,
  ],
  [
    "Your module calls the gateway",
    /^(rate|refused|duplicate|channelStatus|template|empty|repeatedAck|normalize|unannounced|markup|disabledModule|moduleStatus)/,
  ],
  ["Messengers", /^webhookSignature/],
  ["The inbox", /^waiting/],
  ["The CRM's API", /^/],
];
const groupOf = ({ name }: UnknownField) => GROUPS.find(([, begins]) => begins.test(name))?.[0];

/** Settings for what no published source describes. */
export function UnknownsPage({ unknowns, problem, said }: Props) {
  const changed = UNKNOWN_FIELDS.filter(({ name }) => unknowns[name] !== DEFAULT_UNKNOWNS[name]).length;
  return (
    <Frame title="Unknowns">
      <main>
        <Outcome said={said} problem={problem} />
        <section>
          <h1>Unknowns</h1>
          <p>
            An unknown is something that the real CRM or gateway does in one way or another, and no published source
            says which. The sandbox has to choose, and starts with the likeliest. Set one otherwise and try again: a
            module that still works does not rely on a guess.
          </p>
          <p>
            {changed === 0 ? "All are as they start." : `${changed} differ from how they start; they are marked.`} As
            JSON: <a href="/sandbox/settings">/sandbox/settings</a>.
          </p>
        </section>
        <form method="post" action="/account/unknowns" class="unknowns">
          {GROUPS.map(([title]) => (
            <section>
              <h2>{title}</h2>
              {UNKNOWN_FIELDS.filter((field) => groupOf(field) === title).map((field) => (
                <Setting field={field} value={unknowns[field.name]} />
              ))}
            </section>
          ))}
          <p class="bar">
            <button type="submit">Save</button>
          </p>
        </form>
      </main>
    </Frame>
  );
}

type Value = string | number | boolean;

const inWords = (value: Value): string => (value === true ? "yes" : value === false ? "no" : String(value));

function Setting({ field, value }: { field: UnknownField; value: Value }) {
  const { name, description } = field;
  const start = DEFAULT_UNKNOWNS[name];
  return (
    <div class={value === start ? "setting" : "setting changed"}>
      <label for={name}>{description}</label>
      <Choice field={field} value={value} />
      <small>
        {value === start ? "as it starts" : `starts as: ${inWords(start)}`} · <code>{name}</code>
      </small>
    </div>
  );
}

function Choice({ field, value }: { field: UnknownField; value: Value }) {
  if (!field.options)
    return <input type="number" min="0" id={field.name} name={field.name} value={String(value)} required />;
  return (
    <select id={field.name} name={field.name}>
      {field.options.map((option) => (
        <option value={JSON.stringify(option)} selected={option === value}>
          {inWords(option)}
        </option>
      ))}
    </select>
  );
}
