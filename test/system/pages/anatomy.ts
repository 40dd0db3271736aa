/** The tags and attribute names of a page, as a browser parses them. */
export function anatomy(page: string): string {
  return [...page.matchAll(/<(\/?[a-z!][^\s>/]*)((?:\s+[^\s=>"']+(?:="[^"]*")?)*)\s*\/?>/gi)]
    .map(
      ([, tag, attributes]) =>
        `${tag} ${[...(attributes ?? "").matchAll(/([^\s="]+)(?:="[^"]*")?/g)].map((found) => found[1])}`,
    )
    .join("\n");
}
