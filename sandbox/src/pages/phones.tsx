import { Frame } from "./frame.tsx";

/** Where a person plays a customer: a phone for each emulated messenger. */
export function PhonesPage({ kinds }: { kinds: string[] }) {
  return (
    <Frame title="Phones">
      <main>
        <section>
          <h1>Phones</h1>
          <p>Write as a customer of each emulated messenger.</p>
          <ul>
            {kinds.map((kind) => (
              <li>
                <a href={`/${kind}/phone`}>{kind}</a>
              </li>
            ))}
          </ul>
        </section>
      </main>
    </Frame>
  );
}
