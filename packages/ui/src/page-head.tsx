import type { Child } from "hono/jsx";

export interface Crumb {
  text: string;
  href: string;
}

interface Props {
  /** The pages above this one, outermost first. */
  crumbs?: Crumb[];
  /** Accessible name of the breadcrumbs. */
  label: string;
  title: Child;
  /** Beside the title: a messenger's sign. */
  glyph?: Child;
  /** Below the title. */
  lead?: Child;
  /** At most one of them is primary. */
  actions?: Child;
}

/** The page's location, title and actions. */
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
