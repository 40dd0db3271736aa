import { type ClientRequest, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { MAX_ANSWER, readCapped } from "./capped.ts";
import type { Fault } from "./faults.ts";

/** A request from the sandbox to a module. */
export interface OutgoingRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
}
export interface Reply {
  status: number;
  statusText: string;
  contentType: string;
  /** Truncated at `MAX_ANSWER`. */
  bytes: Buffer;
  /** `bytes` as text. */
  answer: string;
}

/** The module receives a corrupted request, so the original is sent again. */
export const isCorrupted = ({ body, hang }: Fault): boolean =>
  hang === true || (body !== undefined && body !== "contract" && body !== "drip");

const DRIP_MS = 100;
const DRIP_BYTES = 20;
const LARGE_BYTES = 10 * 1024 * 1024;

/** Sends the request, corrupted as the fault says; `hang` sends half of it. `deliver` carries a whole one. Throws when there is no answer. */
export async function send(
  request: OutgoingRequest,
  fault: Fault = {},
  deliver?: (request: Request) => Promise<Response>,
): Promise<Reply> {
  if (isCorrupted(fault) || fault.body === "drip") return sendCorrupted(request, fault);
  const { url, headers, body, signal } = request;
  const init: RequestInit = { method: "POST", redirect: "manual", headers, body, signal };
  // Node may garbage-collect a Request under way, and with it the end that its signal brings.
  const response = await (deliver ? deliver(new Request(url, init)) : fetch(url, init));
  const { status, statusText, headers: received } = response;
  const bytes = Buffer.from(await readCapped(response, MAX_ANSWER));
  return { status, statusText, contentType: received.get("content-type") ?? "", bytes, answer: bytes.toString() };
}

function sendCorrupted({ url, headers, body, signal }: OutgoingRequest, fault: Fault): Promise<Reply> {
  const bytes = Buffer.from(corruptedBody(body, fault.body));
  return new Promise((resolve, reject) => {
    const open = url.startsWith("https:") ? httpsRequest : httpRequest;
    const request = open(url, { method: "POST", headers: { ...headers, "content-length": bytes.length }, signal });
    request.on("error", reject);
    request.on("response", async (answer) => {
      const { statusCode: status = 0, statusMessage: statusText = "" } = answer;
      const contentType = answer.headers["content-type"] ?? "";
      const read = await readCapped(new Response(answer as never), MAX_ANSWER).catch(() => new Uint8Array());
      const bytes = Buffer.from(read);
      resolve({ status, statusText, contentType, bytes, answer: bytes.toString() });
    });
    const half = bytes.subarray(0, bytes.length >> 1);
    if (fault.hang) request.write(half);
    else if (fault.body === "half") request.write(half, () => request.destroy(new Error("cut off")));
    else if (fault.body === "drip") drip(request, bytes);
    else request.end(bytes);
  });
}

function corruptedBody(body: string, kind: Fault["body"]): string {
  if (kind === "empty") return "";
  if (kind === "json" || kind === "redirect") return JSON.stringify({ status: "ok", service: "proxy" });
  if (kind === "html") return "<html><body>nginx</body></html>";
  if (kind === "garbage") return "\u0000\u0001{]\u001f".repeat(64);
  if (kind === "large") return JSON.stringify({ page: "x".repeat(LARGE_BYTES) });
  return body;
}

function drip(request: ClientRequest, bytes: Buffer): void {
  let at = 0;
  const more = () => {
    if (request.destroyed) return;
    const end = at < DRIP_BYTES ? at + 1 : bytes.length;
    request.write(bytes.subarray(at, end));
    at = end;
    if (at < bytes.length) setTimeout(more, DRIP_MS);
    else request.end();
  };
  more();
}
