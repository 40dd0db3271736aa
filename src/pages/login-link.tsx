import type { PartFrame } from "./props.ts";

/** Link to the messenger's login. Not a form: its redirect to another site would need that site in the CSP. */
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
