import type { Child } from "hono/jsx";
import type { Tone } from "./state.tsx";

export interface Moment {
  tone: Tone;
  text: Child;
  /** Absent for what has not happened yet. */
  time?: Child;
}

/** Events in order of time. */
export const Timeline = ({ moments }: { moments: Moment[] }) => (
  <ol class="timeline">
    {moments.map(({ tone, text, time }) => (
      <li class={tone}>
        <div>{text}</div>
        {time}
      </li>
    ))}
  </ol>
);
