import type { PartFrame } from "./props.ts";

/** Leads to the messenger's own login. A link: a form's redirect to another site would need that site in the CSP. */
export const LoginLink = ({
  home,
  kind,
  label,
  isFirst,
}: PartFrame & { kind: string; label: string; isFirst?: boolean }) => (
  <p>
    <a
      class={isFirst ? "button primary" : "button"}
      href={`${home}/add/${encodeURIComponent(kind)}/login`}
      rel="nofollow"
    >
      {label}
    </a>
  </p>
);
