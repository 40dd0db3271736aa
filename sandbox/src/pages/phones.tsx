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
          <p>Write as a customer of each emulated messenger.</p>
          <ul>
            {Object.keys(emulators).map((kind) => (
              <li>
                <a href={`/${kind}/phone`}>{kind}</a>
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
              <h2>{kind}</h2>
              {logins.map((login) => (
                <Login {...login} />
              ))}
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
