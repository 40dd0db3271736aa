interface Step {
  text: string;
  isDone: boolean;
}

/** Steps in their order; `done` is said of each that is. */
export const Checklist = ({ steps, done }: { steps: Step[]; done: string }) => (
  <ol class="checklist">
    {steps.map(({ text, isDone }) => (
      <li class={isDone ? "is-done" : undefined}>
        {text}
        {isDone && <span class="visually-hidden"> ({done})</span>}
      </li>
    ))}
  </ol>
);
