import type { EmulatedLogin, Emulator } from "gangway-messenger/kit/emulator";
import { Frame } from "./frame.tsx";

/** Where a person plays a customer, a phone for each emulated messenger, and finds what a merchant copies from its site. */
export function PhonesPage({ emulators }: { emulators: Record<string, Emulator> }) {
  const sites = Object.entries(emulators).flatMap(([kind, { logins }]) => (logins ? [{ kind, logins: logins() }] : []));
  return (
    <Frame title="Phones">
      <main>
        <section>
          <h1>Phones</h1>
          <p>
            On each phone you are a customer. What you write arrives in the <a href="/inbox">inbox</a>, where agents
            answer.
          </p>
          <ul class="phones">
            {Object.keys(emulators).map((kind) => (
              <li>
                <a href={`/${kind}/phone`}>
                  {kind} <span aria-hidden="true">›</span>
                </a>
              </li>
            ))}
          </ul>
        </section>
        <section>
          <h1>Tokens to copy</h1>
          <p>
            In place of each messenger's own site: what you paste into the module's form. One account has one channel;
            those of the demo are taken until you remove them.
          </p>
          {sites.map(({ kind, logins }) => (
            <>
              <h2 class="kind">{kind}</h2>
              <div class="logins">
                {logins.map((login) => (
                  <Login {...login} />
                ))}
              </div>
            </>
          ))}
        </section>
      </main>
    </Frame>
  );
}

const Login = ({ name, values }: EmulatedLogin) => (
  <p>
    <b>{name}</b>
    {Object.entries(values).map(([label, value]) => (
      <>
        <br />
        {label}: <code>{value}</code>
      </>
    ))}
  </p>
);
