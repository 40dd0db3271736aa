import { type Module, SANDBOX_KEY, type World } from "../world.ts";
import { Frame } from "./frame.tsx";

interface Props {
  world: World;
  origin: string;
  moduleUrl?: string;
  said?: string;
}

/** The account: marketplace card, registered modules, switches. */
export function HomePage({ world, origin, moduleUrl, said }: Props) {
  return (
    <Frame title="Account">
      <main>
        {said && <p role="status">{said}</p>}
        <section>
          <h1>Marketplace</h1>
          <p>
            The API key of this account is <code>{SANDBOX_KEY}</code>. Its address is <code>{origin}</code>.
          </p>
          {moduleUrl && (
            <p>
              <a class="button" href={`${moduleUrl}/?account=${encodeURIComponent(origin)}`}>
                Connect the module
              </a>
            </p>
          )}
        </section>
        <section>
          <h1>Modules</h1>
          {world.modules.size === 0 && <p>None is registered yet.</p>}
          {[...world.modules.values()].map((module) => (
            <ModuleCard module={module} />
          ))}
        </section>
        <section>
          <h1>Switches</h1>
          <div class="row">
            <form method="post" action="/switch">
              <input type="hidden" name="gatewayOn" value={world.gatewayOn ? "0" : "1"} />
              <button type="submit">{`Messaging gateway: ${world.gatewayOn ? "on" : "off"}`}</button>
            </form>
            <form method="post" action="/switch">
              <input type="hidden" name="unpaid" value={world.unpaid ? "0" : "1"} />
              <button type="submit">{`Account: ${world.unpaid ? "unpaid" : "paid"}`}</button>
            </form>
          </div>
        </section>
      </main>
    </Frame>
  );
}

function ModuleCard({ module: { registration, active, freeze } }: { module: Module }) {
  return (
    <article>
      <h2>
        {registration.name} <small>{`${active ? "on" : "off"}${freeze ? ", frozen" : ""}`}</small>
      </h2>
      <div class="row">
        <Act code={registration.code} active={!active} freeze={freeze} label={active ? "Switch off" : "Switch on"} />
        <Act code={registration.code} active={active} freeze={!freeze} label={freeze ? "Lift the freeze" : "Freeze"} />
        {registration.accountUrl && (
          <form method="post" action={registration.accountUrl} target="_blank" rel="noopener">
            <input type="hidden" name="clientId" value={registration.clientId} />
            <button type="submit">Open the account page</button>
          </form>
        )}
      </div>
    </article>
  );
}

function Act({ code, active, freeze, label }: { code: string; active: boolean; freeze: boolean; label: string }) {
  return (
    <form method="post" action="/module">
      <input type="hidden" name="code" value={code} />
      <input type="hidden" name="active" value={active ? "1" : "0"} />
      <input type="hidden" name="freeze" value={freeze ? "1" : "0"} />
      <button type="submit">{label}</button>
    </form>
  );
}
