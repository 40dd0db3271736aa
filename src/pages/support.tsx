import { Layout } from "./layout.tsx";
import type { Frame } from "./props.ts";

/** Confirmation before a link opens an account's pages. The form posts to its own address, which holds a secret. */
export function SupportPage(frame: Frame) {
  const words = frame.t.supportVisit.open;
  return (
    <Layout {...frame} title={words.title}>
      <section class="card narrow">
        <h1>{words.title}</h1>
        <p class="lead">{words.text}</p>
        <form method="post">
          <button type="submit" class="button primary">
            {words.submit}
          </button>
        </form>
      </section>
    </Layout>
  );
}
