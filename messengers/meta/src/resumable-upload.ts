import * as z from "zod";
import type { Graph } from "./graph.ts";

const session = z.object({ id: z.string().regex(/^upload:[^\s#]+$/) });
const uploaded = z.object({ h: z.string().min(1) });

/** A file to be shown to Meta; `size` in bytes. */
export interface Example {
  body: ReadableStream<Uint8Array>;
  name: string;
  mediaType: string;
  size: number;
}

/**
 * Uploads a file to an app of Meta's, in one piece; resolves with its handle (docs/graph-api/guides/upload). Throws
 * DeliveryError; the file's stream is read or cancelled.
 */
export async function uploadResumable(
  graph: Graph,
  { appId, token, needs }: { appId: string; token: string; needs?: string },
  { body, name, mediaType, size }: Example,
  signal: AbortSignal,
): Promise<string> {
  const call = { method: "POST", what: "an example file", repeatable: true, needs } as const;
  const query = { file_name: name, file_length: String(size), file_type: mediaType };
  const begun = graph.call({ ...call, path: `${appId}/uploads`, query, result: session }, signal);
  const { id } = await begun.catch(async (error: unknown) => {
    await body.cancel();
    throw error;
  });
  // The id consists of a path and a query, and is used unencoded: Meta does not accept an encoded one.
  const headers = { authorization: `OAuth ${token}`, file_offset: "0" };
  const bytes = { stream: body, size };
  return (await graph.call({ ...call, path: id, headers, bytes, result: uploaded }, signal)).h;
}
