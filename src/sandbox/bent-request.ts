import { type ClientRequest, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { readText } from "./capped.ts";
import type { Fault } from "./faults.ts";

/** A request of the sandbox to a module. */
export interface Sending {
  url: string;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
}
export interface Reply {
  status: number;
  statusText: string;
  answer: string;
}

/** The request does not go out as it is, so that it has to go again. */
export const isSpoiled = ({ body, hang }: Fault): boolean =>
  hang === true || (body !== undefined && body !== "contract" && body !== "drip");

const DRIP_MS = 100;
const DRIPPING = 20;
const LARGE_BYTES = 10 * 1024 * 1024;

/** As it is, or as the fault bends its body; where it hangs, half of it goes. Throws when there is no answer. */
export async function send(sending: Sending, fault: Fault = {}): Promise<Reply> {
  if (isSpoiled(fault) || fault.body === "drip") return sendBent(sending, fault);
  const { url, headers, body, signal } = sending;
  const response = await fetch(url, { method: "POST", redirect: "manual", headers, body, signal });
  return { status: response.status, statusText: response.statusText, answer: await readText(response) };
}

function sendBent({ url, headers, body, signal }: Sending, fault: Fault): Promise<Reply> {
  const bytes = Buffer.from(bodyOf(body, fault.body));
  return new Promise((resolve, reject) => {
    const open = url.startsWith("https:") ? httpsRequest : httpRequest;
    const request = open(url, { method: "POST", headers: { ...headers, "content-length": bytes.length }, signal });
    request.on("error", reject);
    request.on("response", async (answer) => {
      const text = await readText(new Response(answer as never)).catch(() => "");
      resolve({ status: answer.statusCode ?? 0, statusText: answer.statusMessage ?? "", answer: text });
    });
    const half = bytes.subarray(0, bytes.length >> 1);
    if (fault.hang) request.write(half);
    else if (fault.body === "half") request.write(half, () => request.destroy(new Error("cut off")));
    else if (fault.body === "drip") drip(request, bytes);
    else request.end(bytes);
  });
}

function bodyOf(body: string, bent: Fault["body"]): string {
  if (bent === "empty") return "";
  if (bent === "json" || bent === "redirect") return JSON.stringify({ status: "ok", service: "proxy" });
  if (bent === "html") return "<html><body>nginx</body></html>";
  if (bent === "garbage") return "\u0000\u0001{]\u001f".repeat(64);
  if (bent === "large") return JSON.stringify({ page: "x".repeat(LARGE_BYTES) });
  return body;
}

function drip(request: ClientRequest, bytes: Buffer): void {
  let at = 0;
  const more = () => {
    if (request.destroyed) return;
    const end = at < DRIPPING ? at + 1 : bytes.length;
    request.write(bytes.subarray(at, end));
    at = end;
    if (at < bytes.length) setTimeout(more, DRIP_MS);
    else request.end();
  };
  more();
}
