import * as z from "zod";
import type { Graph, GraphRequest } from "./graph.ts";

/** Entries per page, and maximum number of pages. */
const PAGE = 100;
const MAX_PAGES = 100;

const page = z.object({
  data: z.array(z.unknown()),
  paging: z.object({ next: z.string().nullish() }).nullish(),
});

type Asked<Schema> = Pick<GraphRequest<z.ZodType>, "path" | "query" | "what" | "needs" | "headers"> & { entry: Schema };

/**
 * Reads a list of the Graph API to its end (docs/graph-api/results). An entry of another shape hides none of the
 * others.
 */
export async function listAll<Schema extends z.ZodType>(
  graph: Graph,
  { entry, query, ...asked }: Asked<Schema>,
  signal: AbortSignal,
): Promise<z.infer<Schema>[]> {
  const all: z.infer<Schema>[] = [];
  const seen = new Set<string>();
  let at: Record<string, string | undefined> | undefined = { limit: String(PAGE), ...query };
  while (at && seen.size < MAX_PAGES) {
    seen.add(JSON.stringify(at));
    const { data, paging } = await graph.call({ ...asked, method: "GET", query: at, result: page }, signal);
    for (const each of data) {
      const read = entry.safeParse(each);
      if (read.success) all.push(read.data);
    }
    at = queryOf(paging?.next);
    if (at && seen.has(JSON.stringify(at))) break;
  }
  return all;
}

/** The query of the next page's address; host and path stay the same, and the token goes in a header. */
export function queryOf(next: string | null | undefined): Record<string, string> | undefined {
  if (!next || !URL.canParse(next)) return undefined;
  const { access_token: _, ...query } = Object.fromEntries(new URL(next).searchParams);
  return query;
}
