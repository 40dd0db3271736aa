import type { Asked } from "./graph.ts";
import { refusal } from "./graph-error.ts";

interface Listing {
  /** Where the network answers. */
  origin(): string;
  /** Below the version. */
  path: string;
  /** Entries of a page that asks for no number of them. */
  usual?: number;
}

/** A list by pages, as Graph gives them: the cursors of this one, and the next one's address, with the query of this one. */
export function listed<Each>({ origin, path, usual = 25 }: Listing, asked: Asked, all: Each[]) {
  const { after, limit: most } = asked.query;
  const limit = Number(most ?? usual);
  if (!Number.isInteger(limit) || limit < 1) throw refusal(100, "Param limit must be an integer greater than 0.");
  const from = after === undefined ? 0 : positionOf(after);
  const data = all.slice(from, from + limit);
  const to = from + data.length;
  if (data.length === 0) return { data };
  const query = new URLSearchParams({ ...asked.query, ...tokenOf(asked), limit: String(limit), after: cursorAt(to) });
  const next = `${origin()}/${asked.path.version ?? "v26.0"}/${path}?${query}`;
  return {
    data,
    paging: { cursors: { before: cursorAt(from), after: cursorAt(to) }, ...(to < all.length && { next }) },
  };
}

/** Graph writes the caller's token into the address. */
const tokenOf = ({ tokenValue }: Asked): Record<string, string> =>
  tokenValue === undefined ? {} : { access_token: tokenValue };

const cursorAt = (at: number): string => Buffer.from(`at:${at}`).toString("base64url");
function positionOf(cursor: string): number {
  const at = /^at:(\d+)$/.exec(Buffer.from(cursor, "base64url").toString())?.[1];
  if (at === undefined) throw refusal(100, "Invalid cursors values");
  return Number(at);
}
