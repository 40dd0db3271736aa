import { kindsOf } from "../crm/integrations.ts";
import { shortened } from "../shortened.ts";
import type { Module, World } from "../world.ts";
import { Frame, Outcome } from "./frame.tsx";

interface Props {
  world: World;
  origin: string;
  moduleUrl?: string;
  /** How a module's account page opens. */
  opensIn: "tab" | "iframe";
  said?: string;
}

const FRAME = "module-page";
/** Of kinds of integration that go by another name. */
const NAMES: Record<string, string> = { mgTransport: "transport", mgBot: "bot" };

/** Marketplace card, registered modules, switches and administrators' notifications. */
export function HomePage({ world, origin, moduleUrl, opensIn, said }: Props) {
  return (
    <Frame title="Account">
      <main>
        <Outcome said={said} />
        <Marketplace origin={origin} moduleUrl={moduleUrl} />
        <section>
          <h1>Modules</h1>
          {world.modules.size === 0 && <p>No module is registered yet.</p>}
          {[...world.modules.values()].map((module) => (
            <ModuleCard module={module} opensIn={opensIn} />
          ))}
          {opensIn === "iframe" && <iframe name={FRAME} title="The module's account page" />}
        </section>
        <section>
          <h1>Switches</h1>
          <div class="row">
            <Switch
              name="gatewayOn"
              on={world.gatewayOn}
              label={`Messaging gateway: ${world.gatewayOn ? "on" : "off"}`}
            />
            <Switch name="chatsOn" on={world.chatsOn} label={`Chats: ${world.chatsOn ? "on" : "off"}`} />
            {!world.corporateOn && <Switch name="corporateOn" on={false} label="Corporate customers: off" />}
            <Switch name="unpaid" on={world.unpaid} label={`Account: ${world.unpaid ? "unpaid" : "paid"}`} />
          </div>
          <p>
            <small>
              Switching the gateway off disables every transport module, switching chats off every bot. Switching on
              again enables none.
            </small>
          </p>
        </section>
        <Callbacks callbacks={world.callbacks} />
        <Notifications world={world} />
      </main>
    </Frame>
  );
}

function Marketplace({ origin, moduleUrl }: Pick<Props, "origin" | "moduleUrl">) {
  return (
    <section>
      <h1>Marketplace</h1>
      <p>
        This account's URL is <code>{origin}</code>; its keys are under <a href="/admin/api-keys">API keys</a>.
      </p>
      {moduleUrl && (
        <p>
          <a class="button" href={`${moduleUrl}/?account=${encodeURIComponent(origin)}`}>
            Connect the module
          </a>
        </p>
      )}
      <details>
        <summary>Connect a module in one click</summary>
        <form method="post" action="/account/connect" class="fields">
          <label>
            The module's configuration URL
            <input name="configUrl" type="url" required placeholder="https://module.example/simple/connect" />
          </label>
          <label>
            The secret shared with the marketplace
            <input name="secret" required autocomplete="off" />
          </label>
          <button type="submit">Connect in one click</button>
        </form>
      </details>
    </section>
  );
}

function ModuleCard({ module, opensIn }: { module: Module; opensIn: Props["opensIn"] }) {
  const { registration, active, freeze } = module;
  const kinds = kindsOf(registration.integrations).map((kind) => NAMES[kind] ?? kind);
  return (
    <article>
      <h2>
        {registration.name} <small>{`${kinds.join(", ")}, ${active ? "on" : "off"}${freeze ? ", frozen" : ""}`}</small>
      </h2>
      <div class="row">
        <Act code={registration.code} active={!active} freeze={freeze} label={active ? "Switch off" : "Switch on"} />
        <Act code={registration.code} active={active} freeze={!freeze} label={freeze ? "Lift the freeze" : "Freeze"} />
        {registration.accountUrl && opensIn === "iframe" && (
          <OpenAccount registration={registration} target={FRAME} label="Show the account page here" />
        )}
        {registration.accountUrl && (
          <OpenAccount registration={registration} target="_blank" label="Open the account page" />
        )}
      </div>
    </article>
  );
}

type Opening = { registration: Module["registration"]; target: string; label: string };

/** A POST with the client id, as the CRM sends it. */
function OpenAccount({ registration, target, label }: Opening) {
  return (
    <form method="post" action={registration.accountUrl} target={target} rel="noopener">
      <input type="hidden" name="clientId" value={registration.clientId} />
      <button type="submit">{label}</button>
    </form>
  );
}

function Act({ code, active, freeze, label }: { code: string; active: boolean; freeze: boolean; label: string }) {
  return (
    <form method="post" action="/account/module">
      <input type="hidden" name="code" value={code} />
      <input type="hidden" name="active" value={active ? "1" : "0"} />
      <input type="hidden" name="freeze" value={freeze ? "1" : "0"} />
      <button type="submit">{label}</button>
    </form>
  );
}

function Switch({ name, on, label }: { name: string; on: boolean; label: string }) {
  return (
    <form method="post" action="/account/switch">
      <input type="hidden" name={name} value={on ? "0" : "1"} />
      <button type="submit">{label}</button>
    </form>
  );
}

/** Shown, of the latest. */
const MAX_CALLBACKS = 20;

function Callbacks({ callbacks }: Pick<World, "callbacks">) {
  return (
    <section>
      <h1>Calls to modules</h1>
      {callbacks.length === 0 && <p>None yet.</p>}
      <ul>
        {callbacks
          .slice(-MAX_CALLBACKS)
          .toReversed()
          .map(({ at, module, action, state, attempts, status, answer }) => (
            <li>
              <small>{`${new Date(at).toISOString().slice(11, 19)} ${action} of ${module}: `}</small>
              {`${state}, attempts: ${attempts}, last answer: ${status} ${shortened(answer, 200)}`}
            </li>
          ))}
      </ul>
    </section>
  );
}

function Notifications({ world }: { world: World }) {
  return (
    <section>
      <h1>Notifications</h1>
      {world.notifications.length === 0 && <p>None yet.</p>}
      <ul>
        {world.notifications.toReversed().map(({ at, type, message, to }) => (
          <li>
            <small>{`${new Date(at).toISOString().slice(11, 19)} ${type} to ${to}`}</small> {message}
          </li>
        ))}
      </ul>
    </section>
  );
}
