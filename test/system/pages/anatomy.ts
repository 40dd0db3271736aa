/** The tags and attribute names of a page, as a browser parses them. */
export function anatomy(page: string): string {
  return [...page.matchAll(/<(\/?[a-z!][^\s>/]*)((?:\s+[^\s=>"']+(?:="[^"]*")?)*)\s*\/?>/gi)]
    .map(
      ([, tag, attributes]) =>
        `${tag} ${[...(attributes ?? "").matchAll(/([^\s="]+)(?:="[^"]*")?/g)].map((found) => found[1])}`,
    )
    .join("\n");
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

/** What the first alert of a page says. */
export const alertIn = (page: string): string | undefined => {
  const alert = / role="alert"[^>]*>(.*?)<\/(?:div|p)>/s.exec(page)?.[1];
  return alert === undefined ? undefined : textOf(alert).trim();
};

/** What a page says. */
export const textOf = (page: string): string =>
  page.replace(/<[^>]*>/g, "").replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? "");
