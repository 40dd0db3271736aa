import { mediaTypeOf } from "./media-types.ts";

export interface Part {
  name: string;
  fileName?: string;
  mediaType: string;
  bytes: Uint8Array;
}

/** As lenient as the networks: no space after semicolons, unquoted and raw UTF-8 names. */
export function readMultipart(body: Buffer, contentType: string): Part[] {
  const boundary = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
  const mark = Buffer.from(`--${boundary?.[1] ?? boundary?.[2] ?? ""}`);
  const parts: Part[] = [];
  let at = body.indexOf(mark);
  while (at >= 0) {
    const start = at + mark.length;
    if (body.toString("latin1", start, start + 2) === "--") break;
    at = body.indexOf(Buffer.concat([Buffer.from("\r\n"), mark]), start);
    if (at < 0) break;
    const part = readPart(body.subarray(start + 2, at));
    if (part) parts.push(part);
    at += 2;
  }
  return parts;
}

function readPart(part: Buffer): Part | undefined {
  const gap = part.indexOf("\r\n\r\n");
  if (gap < 0) return undefined;
  const headers = part.toString("utf8", 0, gap).split("\r\n");
  const disposition = headers.find((each) => /^content-disposition\s*:/i.test(each)) ?? "";
  const name = parameter(disposition, "name");
  if (name === undefined) return undefined;
  const fileName = starred(disposition) ?? parameter(disposition, "filename");
  const declared = /^content-type\s*:\s*([^;\s]+)/im.exec(headers.join("\n"))?.[1];
  const isVague = declared === undefined || declared === "application/octet-stream";
  const mediaType = isVague ? mediaTypeOf(fileName ?? "") : declared;
  return { name, mediaType, bytes: part.subarray(gap + 4), ...(fileName !== undefined && { fileName }) };
}

function parameter(disposition: string, name: string): string | undefined {
  const found = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;]*))`, "i").exec(disposition);
  const quoted = found?.[1];
  // Browsers write quotation marks in names as %22, others as \".
  if (quoted !== undefined) return quoted.replace(/\\(["\\])/g, "$1").replaceAll("%22", '"');
  return found?.[2]?.trim();
}

function starred(disposition: string): string | undefined {
  const found = /;\s*filename\*=(?:UTF-8)''([^;\s]+)/i.exec(disposition)?.[1];
  return found === undefined ? undefined : decodeURIComponent(found);
}
