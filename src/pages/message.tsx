import { Layout } from "./layout.tsx";
import type { Frame, Strings } from "./props.ts";

/** A page that only shows a message, by the key of its texts. */
export type Message =
  | "noVisit"
  | "loginOver"
  | "loginFramed"
  | "supportOver"
  | "supportLooks"
  | "foreign"
  | "notFound"
  | "tooMany"
  | "tooLarge"
  | "recordsTooLarge"
  | "broken"
  | "away";

export function MessagePage({ message, ...frame }: Frame & { message: Message }) {
  const { t, home, visit } = frame;
  const { title, text }: Strings[Message] = t[message];
  return (
    <Layout {...frame} title={title}>
      <section class="card narrow">
        <h1>{title}</h1>
        <p class="lead">{text}</p>
        <p>
          <a class="button" href={visit ? home : "/"}>
            {visit ? t.looks.sections.channels : t.toStart}
          </a>
        </p>
      </section>
    </Layout>
  );
}
