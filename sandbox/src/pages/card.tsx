import { Frame } from "./frame.tsx";

/** Where a chat's card links to. */
export function CardPage({ title, card }: { title: string; card: object }) {
  return (
    <Frame title={title}>
      <main>
        <section>
          <h1>{title}</h1>
          <pre>{JSON.stringify(card, null, 2)}</pre>
        </section>
      </main>
    </Frame>
  );
}
