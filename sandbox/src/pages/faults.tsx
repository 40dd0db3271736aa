import { FAULT_STATUSES, type FaultPlan } from "gangway-messenger/kit/emulator/faults";
import { Frame, Outcome } from "./frame.tsx";

interface Props {
  plans: FaultPlan[];
  operations: { group: string; names: string[] }[];
  now: string;
  sockets: number;
  problem?: string;
  said?: string;
}

export function FaultsPage({ plans, operations, now, sockets, problem, said }: Props) {
  return (
    <Frame title="Faults">
      <main>
        <Outcome said={said} problem={problem} />
        <section>
          <h1>Planned faults</h1>
          {plans.length === 0 && <p>None.</p>}
          <ul>
            {plans.map((plan) => (
              <li>{inWords(plan)}</li>
            ))}
          </ul>
          {plans.length > 0 && (
            <form method="post" action="/account/faults/clear">
              <button type="submit">Clear all</button>
            </form>
          )}
        </section>
        <PlanForm operations={operations} />
        <section>
          <h1>Time and connections</h1>
          <p>{`The sandbox's clock says ${now}. ${sockets} sockets are open.`}</p>
          <form method="post" action="/account/clock" class="row">
            <label>
              Jump ahead, seconds <input type="number" name="seconds" min="1" max="86400" value="600" required />
            </label>
            <button type="submit">Jump</button>
          </form>
          <div class="row">
            <Button action="/account/sockets" name="code" value="1000" label="Close all sockets normally" />
            <Button action="/account/sockets" name="code" value="0" label="Drop all sockets" />
            <Button action="/account/tokens" name="rotate" value="1" label="Replace every module's token" />
          </div>
        </section>
      </main>
    </Frame>
  );
}

const BODIES: Record<NonNullable<FaultPlan["body"]>, string> = {
  contract: "in the contract's shape",
  json: "other JSON",
  html: "a proxy's HTML page",
  empty: "an empty body",
  half: "half of the right answer",
  large: "10 MiB",
  garbage: "garbage",
  drip: "the right answer, byte by byte",
  redirect: "a redirect",
};

function inWords({ operation, ...plan }: FaultPlan): string {
  const { times, forMs, probability, delayMs, status, body, when, drop, hang, retryAfter } = plan;
  const answered = status !== undefined || body !== undefined;
  const wait = retryAfter === undefined ? "" : ` (Retry-After ${retryAfter})`;
  const what = [
    delayMs ? `waits ${delayMs} ms` : "",
    (answered || hang) && when === "after" ? "takes effect" : "",
    answered ? ["is answered", status, body && `with ${BODIES[body]}`].filter(Boolean).join(" ") + wait : "",
    drop === "before" ? "is cut before it takes effect" : "",
    drop === "after" ? "takes effect, and its answer is lost" : "",
    hang ? "is never answered" : "",
  ].filter(Boolean);
  const often = times === undefined ? "Each" : `The next ${times} ×`;
  const extent = [
    forMs === undefined ? "" : ` for ${forMs} ms`,
    probability === undefined ? "" : ` with probability ${probability}`,
  ].join("");
  return `${often} ${operation}${extent}: ${what.join(", ") || "nothing"}`;
}

function PlanForm({ operations }: Pick<Props, "operations">) {
  return (
    <section>
      <h1>Plan a fault</h1>
      <form method="post" action="/account/faults" class="fields">
        <label>
          Operation (for webhooks, the request is faulty)
          <select name="operation">
            <option value="*">any call of a transport module</option>
            <option value="bot:*">any call of a bot</option>
            {operations.map(({ group, names }) => (
              <optgroup label={group}>
                {names.map((name) => (
                  <option value={name}>{name}</option>
                ))}
              </optgroup>
            ))}
          </select>
        </label>
        <Extent />
        <label>
          Wait first, ms <input type="number" name="delayMs" min="0" max="600000" />
        </label>
        <AnswerFields />
        <label>
          The connection
          <select name="drop">
            <option value="">stays</option>
            <option value="before">is cut before the call takes effect</option>
            <option value="after">is cut afterwards: the answer is lost</option>
          </select>
        </label>
        <label class="choice">
          <input type="checkbox" name="hang" value="1" /> Never answer
        </label>
        <button type="submit">Plan it</button>
      </form>
    </section>
  );
}

function Extent() {
  return (
    <>
      <label>
        How often (empty: once, or always within the time below)
        <input type="number" name="times" min="1" max="1000000" />
      </label>
      <label>
        For how long, ms <input type="number" name="forMs" min="1" max="3600000" />
      </label>
    </>
  );
}

function AnswerFields() {
  return (
    <>
      <label>
        Answer with the status{" "}
        <input type="number" name="status" min="200" max="599" list="statuses" placeholder="502" />
        <datalist id="statuses">
          {FAULT_STATUSES.map((status) => (
            <option value={String(status)} />
          ))}
        </datalist>
      </label>
      <label>
        … and with
        <select name="body">
          <option value="">a refusal in the contract's shape, if a status is set</option>
          {Object.entries(BODIES).map(([body, words]) => (
            <option value={body}>{words}</option>
          ))}
        </select>
      </label>
      <label>
        … instead of the real answer
        <select name="when">
          <option value="">before the call takes effect</option>
          <option value="after">after the call took effect</option>
        </select>
      </label>
      <label>
        Retry-After, seconds <input type="number" name="retryAfter" min="0" max="86400" />
      </label>
      <label>
        A redirect's Location <input name="location" placeholder="/login" />
      </label>
    </>
  );
}

function Button({ action, name, value, label }: { action: string; name: string; value: string; label: string }) {
  return (
    <form method="post" action={action}>
      <input type="hidden" name={name} value={value} />
      <button type="submit">{label}</button>
    </form>
  );
}
