import type { FieldWords } from "gangway-messenger/features";
import { raw } from "hono/html";
import type { Strings } from "./props.ts";

/** Attributes of a copyable value: the script adds a button to it. */
export const copyable = (t: Strings) => ({ "data-copy": t.looks.copy, "data-copied": t.looks.copied });

type Props = { t: Strings; id: string } & Required<Pick<FieldWords, "steps">>;

/** Instructions for the other side. */
export const Steps = ({ t, id, steps }: Props) => (
  <ol class="hint steps" id={id}>
    {steps.map((step) => (
      <li>{step.split("`").map((part, n) => (n % 2 === 1 ? <code {...copyable(t)}>{part}</code> : part))}</li>
    ))}
  </ol>
);

/** An inline SVG, which takes the page's colours. */
export const Picture = ({ alt, svg }: NonNullable<FieldWords["picture"]>) => (
  <div class="picture" role="img" aria-label={alt}>
    {raw(svg)}
  </div>
);
