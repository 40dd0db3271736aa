import type { Child } from "hono/jsx";

export interface Crumb {
  text: string;
  href: string;
}

interface Props {
  /** The pages above this one, outermost first. */
  crumbs?: Crumb[];
  /** Their name for who cannot see them. */
  label: string;
  title: Child;
  /** Beside the title: a messenger's sign. */
  glyph?: Child;
  /** Below the title. */
  lead?: Child;
  /** At most one of them is primary. */
  actions?: Child;
}

/** Where one is, what this page is, and what can be done here. */
export const PageHead = ({ crumbs = [], label, title, glyph, lead, actions }: Props) => (
  <div class="page-head">
    {crumbs.length > 0 && (
      <nav class="crumbs" aria-label={label}>
        {crumbs.map(({ text, href }, n) => (
          <>
            {n > 0 && <span aria-hidden="true">/</span>}
            <a href={href}>{text}</a>
          </>
        ))}
      </nav>
    )}
    <div class="page-title">
      {glyph}
      <div>
        <h1>{title}</h1>
        {lead && <div class="lead">{lead}</div>}
      </div>
      {actions && <div class="page-actions">{actions}</div>}
    </div>
  </div>
);
