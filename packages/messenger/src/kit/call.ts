import { type Call, type CallRequest, MAX_ANSWER } from "../call.ts";

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function bodyOf({ body }: CallRequest): Promise<string | Uint8Array<ArrayBuffer> | FormData | undefined> {
  if (body === undefined || typeof body === "string") return body;
  if (body instanceof Uint8Array) return new Uint8Array(body);
  if (body instanceof ReadableStream) return bytesOf(body);
  const form = new FormData();
  for (const [name, value] of Object.entries(body.fields ?? {})) form.set(name, value);
  for (const { bytes: source, ...file } of body.files) {
    const opened = typeof source === "function" ? await source() : source;
    const bytes = opened instanceof Uint8Array ? new Uint8Array(opened) : await bytesOf(opened);
    form.set(file.field, new File([bytes], file.fileName, { type: file.mediaType }));
  }
  return form;
}

/** A Call that reaches a Hono app without a socket. */
export function callFrom(app: { fetch(request: Request, env: object): Response | Promise<Response> }): Call {
  return async (request) => {
    if (request.signal?.aborted) return { type: "failure", sent: "no", reason: "aborted", detail: "test" };
    const init = { method: request.method, headers: request.headers, body: await bodyOf(request) };
    const response = await app.fetch(new Request(request.url, init), {});
    const headers = Object.fromEntries(response.headers);
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (bytes.length > (request.maxBytes ?? MAX_ANSWER))
      return { type: "failure", sent: "perhaps", reason: "too-large", detail: "test" };
    if (!request.stream) return { type: "answer", status: response.status, headers, bytes };
    return {
      type: "answer",
      status: response.status,
      headers,
      bytes: new Uint8Array(),
      stream: new Blob([bytes]).stream(),
    };
  };
}
