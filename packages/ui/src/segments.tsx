interface Segment {
  text: string;
  href: string;
  isCurrent: boolean;
}

/** Views of one list; one is selected. */
export const Segments = ({ label, segments }: { label: string; segments: Segment[] }) => (
  <nav class="segments" aria-label={label}>
    {segments.map(({ text, href, isCurrent }) => (
      <a href={href} aria-current={isCurrent ? "page" : undefined}>
        {text}
      </a>
    ))}
  </nav>
);
