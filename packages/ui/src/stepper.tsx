import type { Child } from "hono/jsx";

interface Step {
  title: string;
  content: Child;
  /** Comes after what the page is for. */
  isLater?: boolean;
}

/** Numbered steps, each with what it asks for. */
export const Stepper = ({ steps }: { steps: Step[] }) => (
  <ol class="stepper">
    {steps.map(({ title, content, isLater }) => (
      <li class={isLater ? "later" : undefined}>
        <h2>{title}</h2>
        {content}
      </li>
    ))}
  </ol>
);
