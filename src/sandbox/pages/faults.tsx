import type { FaultPlan } from "../faults.ts";
import { Frame, Outcome } from "./frame.tsx";

interface Props {
  plans: FaultPlan[];
  operations: { group: string; names: string[] }[];
  now: string;
  sockets: number;
  problem?: string;
  said?: string;
}

/** Misbehaviour on demand. */
export function FaultsPage({ plans, operations, now, sockets, problem, said }: Props) {
  return (
    <Frame title="Faults">
      <main>
        <Outcome said={said} problem={problem} />
        <section>
          <h1>Planned faults</h1>
          {plans.length === 0 && <p>None: everything works.</p>}
          <ul>
            {plans.map((plan) => (
              <li>{told(plan)}</li>
            ))}
          </ul>
          {plans.length > 0 && (
            <form method="post" action="/account/faults/clear">
              <button type="submit">Clear them all</button>
            </form>
          )}
        </section>
        <PlanForm operations={operations} />
        <section>
          <h1>Time and connections</h1>
          <p>{`The sandbox's clock says ${now}. ${sockets} sockets are open.`}</p>
          <form method="post" action="/account/clock" class="row">
            <label>
              Jump ahead by seconds <input type="number" name="seconds" min="1" max="86400" value="600" required />
            </label>
            <button type="submit">Jump</button>
          </form>
          <div class="row">
            <Button action="/account/sockets" name="code" value="1000" label="Close the sockets normally" />
            <Button action="/account/sockets" name="code" value="0" label="Cut the sockets off" />
            <Button action="/account/tokens" name="rotate" value="1" label="Give every module a new token" />
          </div>
        </section>
      </main>
    </Frame>
  );
}

function told({ operation, times, status, delayMs, drop, retryAfter }: FaultPlan): string {
  const what = [
    delayMs ? `waits ${delayMs} ms` : "",
    status ? `answers ${status}${retryAfter === undefined ? "" : ` (Retry-After ${retryAfter})`}` : "",
    drop === "before" ? "is cut off before it takes effect" : "",
    drop === "after" ? "takes effect, and its answer is lost" : "",
  ].filter(Boolean);
  return `The next ${times} × ${operation}: ${what.join(", ") || "nothing"}`;
}

function PlanForm({ operations }: Pick<Props, "operations">) {
  return (
    <section>
      <h1>Plan a fault</h1>
      <form method="post" action="/account/faults" class="fields">
        <label>
          Operation
          <select name="operation">
            <option value="*">any of a transport module's</option>
            <option value="bot:*">any of a bot's</option>
            {operations.map(({ group, names }) => (
              <optgroup label={group}>
                {names.map((name) => (
                  <option value={name}>{name}</option>
                ))}
              </optgroup>
            ))}
          </select>
        </label>
        <label>
          How often <input type="number" name="times" min="1" max="1000000" value="1" required />
        </label>
        <label>
          Wait first, ms <input type="number" name="delayMs" min="0" max="600000" />
        </label>
        <label>
          Answer with the status <input type="number" name="status" min="400" max="599" placeholder="502" />
        </label>
        <label>
          Retry-After, seconds <input type="number" name="retryAfter" min="0" max="86400" />
        </label>
        <label>
          The connection
          <select name="drop">
            <option value="">stays</option>
            <option value="before">is cut off before it takes effect</option>
            <option value="after">is cut off after it: the answer is lost</option>
          </select>
        </label>
        <button type="submit">Plan it</button>
      </form>
    </section>
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
