import { Layout } from "./layout.tsx";
import type { Frame } from "./props.ts";

/** Asks before a link opens an account's pages. Its form goes to the page's own address, which holds a secret. */
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
