import { Layout } from "./layout.tsx";
import type { Frame } from "./props.ts";
import { timeText } from "./time-text.ts";

interface Props extends Frame {
  /** When it was asked for, ms. */
  at: number;
  /** When it was done; absent: not yet. */
  doneAt?: number;
}

/** Whether a person's data is erased, as they asked at their messenger. */
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
