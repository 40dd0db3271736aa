import { type Answer, expectSize, type FormFile, isHtmlPage } from "./call.ts";
import { DeliveryError } from "./errors.ts";
import type { GatewayFile, OpenFile } from "./message.ts";

// Files as streams, in both directions, never held in memory as a whole.

/** An agent's file, and the field of the form it goes in. */
export interface FileField {
  field: string;
  source: GatewayFile;
}

/** Makes a call with files that are fetched while they go out. Throws the fetch's own error, not the broken call's. */
export async function withFiles<T>(
  fields: FileField[],
  act: (files: FormFile[]) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  let reason: unknown;
  const files = fields.map(({ field, source }) => ({
    field,
    fileName: source.name ?? "file",
    mediaType: source.mediaType,
    bytes: async () => {
      try {
        return (await source.open(signal)).body;
      } catch (error) {
        reason = error;
        throw error;
      }
    },
  }));
  try {
    return await act(files);
  } catch (error) {
    throw reason instanceof DeliveryError ? reason : error;
  }
}

/**
 * A customer's file from the answer to a GET with `stream`; undefined if the answer is an HTML page. The stream fails
 * with a DeliveryError when its bytes are more or fewer than `size`, or than the answer's own length.
 */
export async function fetchedFile(
  answer: Answer & Required<Pick<Answer, "stream">>,
  known: Pick<OpenFile, "name" | "size">,
): Promise<OpenFile | undefined> {
  const { headers, stream } = answer;
  if (isHtmlPage(answer, known)) {
    await stream.cancel();
    return undefined;
  }
  const length = Number(headers["content-length"]);
  const size = known.size ?? (length > 0 ? length : undefined);
  const mediaType = headers["content-type"] ?? "application/octet-stream";
  return { body: expectSize(stream, size), name: known.name, mediaType, size };
}
