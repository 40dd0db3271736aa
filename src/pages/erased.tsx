import { Layout } from "./layout.tsx";
import type { Frame } from "./props.ts";
import { timeText } from "./time-text.ts";

interface Props extends Frame {
  /** When the erasure was requested, ms. */
  at: number;
  /** When it was done, ms; absent if not yet. */
  doneAt?: number;
}

/** Tells a person whether the erasure requested at their messenger is done. */
export function ErasedPage({ at, doneAt, ...frame }: Props) {
  const { erased } = frame.t;
  const title = doneAt === undefined ? erased.pending : erased.done;
  return (
    <Layout {...frame} title={title}>
      <section class="card narrow">
        <h1>{title}</h1>
        <p>
          {doneAt === undefined
            ? erased.asked({ asked: timeText(frame.t, at) })
            : erased.ended({ ended: timeText(frame.t, doneAt) })}
        </p>
      </section>
    </Layout>
  );
}
