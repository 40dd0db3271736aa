import type { Child } from "hono/jsx";

interface LinkProps {
  href: string;
  style?: string;
  /** Its name, where several on a page have the same text. */
  label?: string;
  children: Child;
}

/** Leads to a page that asks. The pages' script shows what that page asks in a dialog, over the page one is on. */
export const DialogLink = ({ href, style, label, children }: LinkProps) => (
  <a class={`button ${style ?? ""}`.trimEnd()} href={href} aria-label={label} data-dialog>
    {children}
  </a>
);

interface AskProps {
  title: Child;
  /** Where the answer is posted, and what goes with it. */
  action: string;
  fields: Record<string, string>;
  /** The way back. */
  cancel: { text: string; href: string };
  /** Buttons that submit. */
  answers: Child;
  /** What will happen. */
  children: Child;
}

/** A question before what cannot be taken back: all of a page, or in a dialog. */
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
