import type { FormBody, FormFile } from "../domain/call.ts";
import { errorText } from "../domain/errors.ts";

/** A file of the form could not be read. The form was never completed, so the receiver cannot have accepted it. */
export class FormSourceError extends Error {
  readonly code = "ESOURCE";
}

/** The bytes of a multipart form (HTML standard, multipart/form-data); files are read lazily. Throws FormSourceError. */
export async function* formBytes({ fields = {}, files }: FormBody, boundary: string): AsyncGenerator<Uint8Array> {
  for (const [name, value] of Object.entries(fields))
    yield Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`);
  for (const file of files) {
    const disposition = `form-data; name="${quoted(file.field)}"; filename="${quoted(file.fileName)}"`;
    const mediaType = file.mediaType.replace(/[\r\n]/g, "");
    yield Buffer.from(`--${boundary}\r\nContent-Disposition: ${disposition}\r\nContent-Type: ${mediaType}\r\n\r\n`);
    yield* fileBytes(file);
    yield Buffer.from("\r\n");
  }
  yield Buffer.from(`--${boundary}--\r\n`);
}

async function* fileBytes({ bytes }: FormFile): AsyncGenerator<Uint8Array> {
  if (bytes instanceof Uint8Array) return yield bytes;
  try {
    yield* typeof bytes === "function" ? await bytes() : bytes;
  } catch (cause) {
    throw new FormSourceError(errorText(cause), { cause });
  }
}

/** A name inside a quoted string, escaped as browsers do (HTML standard, multipart/form-data). */
const quoted = (name: string) => name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
