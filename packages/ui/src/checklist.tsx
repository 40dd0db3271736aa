interface Step {
  text: string;
  isDone: boolean;
}

/** Steps in order; completed ones are announced with `done`. */
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
