import type { Child } from "hono/jsx";

interface LinkProps {
  href: string;
  style?: string;
  /** Accessible name, if several on a page have the same text. */
  label?: string;
  children: Child;
}

/** Links to a page that asks. The pages' script shows that page's question in a dialog over the current page. */
export const DialogLink = ({ href, style, label, children }: LinkProps) => (
  <a class={`button ${style ?? ""}`.trimEnd()} href={href} aria-label={label} data-dialog>
    {children}
  </a>
);

interface AskProps {
  title: Child;
  /** Where the answer is posted, with these fields. */
  action: string;
  fields: Record<string, string>;
  /** Link that cancels. */
  cancel: { text: string; href: string };
  /** Submit buttons. */
  answers: Child;
  /** The consequences. */
  children: Child;
}

/** Asks before an irreversible act: on a page of its own, or in a dialog. */
export const Ask = ({ title, action, fields, cancel, answers, children }: AskProps) => (
  <section class="card form ask" data-ask>
    <h1>{title}</h1>
    <form method="post" action={action}>
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {children}
      <div class="choices">
        <a class="button" href={cancel.href} data-cancel>
          {cancel.text}
        </a>
        {answers}
      </div>
    </form>
  </section>
);
