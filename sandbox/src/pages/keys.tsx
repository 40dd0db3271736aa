import { OLD_PATHS, SCOPES } from "../crm/rights.ts";
import type { Key } from "../world.ts";
import { Frame, Outcome } from "./frame.tsx";

interface Props {
  keys: ReadonlyMap<string, Key>;
  said?: string;
}

export function KeysPage({ keys, said }: Props) {
  return (
    <Frame title="API keys">
      <main>
        <Outcome said={said} />
        <section>
          <h1>API keys</h1>
          <KeyTable keys={keys} />
        </section>
        <section>
          <h1>Create a key</h1>
          <NewKey />
        </section>
      </main>
    </Frame>
  );
}

function KeyTable({ keys }: Pick<Props, "keys">) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Key</th>
          <th scope="col">Rights</th>
          <th scope="col">
            <span class="hidden">Act</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {[...keys].map(([key, { scopes, credentials }]) => (
          <tr>
            <td>
              <code>{key}</code>
            </td>
            <td>{[...scopes, ...credentials].join(", ") || "none"}</td>
            <td>
              <form method="post" action="/account/keys/delete">
                <input type="hidden" name="key" value={key} />
                <button type="submit" aria-label={`Delete the key ${key}`}>
                  Delete
                </button>
              </form>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function NewKey() {
  return (
    <form method="post" action="/account/keys" class="fields">
      <fieldset>
        <legend>Rights</legend>
        {SCOPES.map((scope, n) => (
          <label class="choice">
            <input type="checkbox" name="scope" value={scope} checked={n < 2} /> {scope}
          </label>
        ))}
      </fieldset>
      <fieldset>
        <legend>Legacy rights, by path</legend>
        {OLD_PATHS.map((path) => (
          <label class="choice">
            <input type="checkbox" name="credential" value={path} /> {path}
          </label>
        ))}
      </fieldset>
      <button type="submit">Create the key</button>
    </form>
  );
}
