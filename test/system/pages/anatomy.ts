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

/** What a page says. */
export const textOf = (page: string): string =>
  page.replace(/<[^>]*>/g, "").replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? "");
