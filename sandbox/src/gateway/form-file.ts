export interface FormFile {
  name: string;
  mediaType?: string;
  bytes: Uint8Array;
}

/** A form's file: the part with a file name, else the first. Clients name the part freely, or not at all. */
export function fileInForm(body: Buffer, contentType: string): FormFile | undefined {
  const [, quoted, plain] = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? [];
  const boundary = Buffer.from(`\r\n--${quoted ?? plain ?? ""}`);
  const whole = Buffer.concat([Buffer.from("\r\n"), body]);
  const parts: Part[] = [];
  for (let at = whole.indexOf(boundary); at >= 0; ) {
    const start = at + boundary.length;
    at = whole.indexOf(boundary, start);
    const part = at < 0 ? undefined : readPart(whole.subarray(start, at));
    if (part) parts.push(part);
  }
  const file = parts.find((part) => part.name !== undefined) ?? parts[0];
  return file && { ...file, name: file.name ?? "file" };
}

type Part = Omit<FormFile, "name"> & { name?: string };

/** Headers, empty line, bytes. */
function readPart(part: Buffer): Part | undefined {
  const gap = part.indexOf("\r\n\r\n");
  if (gap < 0) return undefined;
  const headers = part.toString("utf8", 0, gap);
  const name = /^content-disposition:.*?;\s*filename="((?:[^"\\]|\\.)*)"/im.exec(headers)?.[1];
  const mediaType = /^content-type:\s*(\S+)/im.exec(headers)?.[1];
  return { name, mediaType, bytes: part.subarray(gap + 4) };
}
