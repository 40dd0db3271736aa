import type { Child } from "hono/jsx";

export interface Tab {
  id: string;
  text: string;
  content: Child;
}

/**
 * The parts of a page, one visible at a time: the one named in the URL's fragment, else `open`, else the first. The
 * style sheet alone switches them, so no script is needed; an empty part has no tab.
 */
export function Tabs({ label, tabs, open }: { label: string; tabs: (Tab | false | undefined)[]; open?: string }) {
  const shown = tabs.filter((tab) => tab !== false && tab !== undefined);
  const first = open ?? shown[0]?.id;
  return (
    <div class="tabs-page">
      <nav class="tabs" aria-label={label}>
        {shown.map(({ id, text }) => (
          <a href={`#${id}`} class={id === first ? "first" : undefined}>
            {text}
          </a>
        ))}
      </nav>
      {shown.map(({ id, text, content }) => (
        <section id={id} class={`panel ${id === first ? "first" : ""}`.trimEnd()} aria-label={text}>
          {content}
        </section>
      ))}
    </div>
  );
}
