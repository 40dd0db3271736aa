const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

/** What the first alert of a page says. */
export const alertIn = (page: string): string | undefined => {
  const alert = / role="alert"[^>]*>(.*?)<\/(?:div|p)>/s.exec(page)?.[1];
  return alert === undefined ? undefined : textOf(alert).trim();
};

/** What a page says. */
export const textOf = (page: string): string =>
  page.replace(/<[^>]*>/g, "").replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? "");
