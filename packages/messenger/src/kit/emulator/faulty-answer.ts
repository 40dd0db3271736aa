import { STATUS_CODES } from "node:http";
import { type Fault, replacesAnswer, takesEffect } from "./faults.ts";

/** An answer as sent. */
export interface Wire {
  status: number;
  headers: Record<string, string>;
  bytes: Uint8Array;
  /** Sent byte by byte. */
  drips: boolean;
}
/** Input of `bend`. */
export interface Original {
  /** The real answer; absent when the call was not carried out. */
  real?: { status: number; mediaType: string; bytes: Uint8Array };
  /** The API's own refusal, as JSON text. */
  refusal(status: number, words: string | undefined, retryAfter?: number): string | Promise<string>;
}

export interface Faulted {
  carryOut(): Response | Promise<Response>;
  cut(): void;
  /** Aborted when the caller disconnects. */
  gone: AbortSignal;
  refusal: Original["refusal"];
}

/** Carries the call out or not, and answers as the fault says. */
export async function answerWithFault(fault: Fault, { carryOut, cut, gone, refusal }: Faulted): Promise<Response> {
  if (fault.delayMs) await new Promise((resolve) => setTimeout(resolve, fault.delayMs));
  if (fault.drop === "before") cut();
  const real = takesEffect(fault) ? await carryOut() : undefined;
  if (fault.drop === "after") cut();
  if (fault.hang) await abandoned(gone);
  if (!replacesAnswer(fault)) return real ?? new Response(null, { status: DEFAULT_STATUS });
  return toResponse(await replaceAnswer(fault, { real: real && (await originalOf(real)), refusal }));
}

/** Resolves when the caller disconnects. */
export const abandoned = (gone: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (gone.aborted) return resolve();
    gone.addEventListener("abort", () => resolve(), { once: true });
  });

export const originalOf = async (answer: Response) => ({
  status: answer.status,
  mediaType: answer.headers.get("content-type") ?? JSON_TYPE,
  bytes: new Uint8Array(await answer.arrayBuffer()),
});

const LARGE_BYTES = 10 * 1024 * 1024;
const GARBAGE = Uint8Array.from({ length: 512 }, (_, n) => (n * 167 + 13) % 256);
const JSON_TYPE = "application/json";
const REDIRECTS = [301, 302, 303, 307, 308];
/** Statuses without a body. */
const BODILESS = [204, 205, 304];
/** Default for a call that took no effect: a proxy whose server is down. */
const DEFAULT_STATUS = 502;

/** nginx's error page. */
export function proxyPage(status: number): string {
  const title = status < 300 ? "Welcome to nginx!" : `${status} ${STATUS_CODES[status] ?? "Unknown"}`;
  return [
    "<html>",
    `<head><title>${title}</title></head>`,
    "<body>",
    `<center><h1>${title}</h1></center>`,
    "<hr><center>nginx</center>",
    "</body>",
    "</html>",
    "",
  ].join("\r\n");
}

/** Turns the real answer into the faulty one. */
export async function replaceAnswer(fault: Fault, plain: Original): Promise<Wire> {
  const { body = "contract" } = fault;
  const status = fault.status ?? (body === "redirect" ? 302 : (plain.real?.status ?? DEFAULT_STATUS));
  const { mediaType, bytes } = await contentFor(fault, status, plain);
  const bodiless = BODILESS.includes(status);
  const moved = REDIRECTS.includes(status) || body === "redirect";
  const headers = {
    ...(!bodiless && { "content-type": mediaType }),
    ...(moved && { location: fault.location ?? "/login" }),
    ...(fault.retryAfter !== undefined && { "retry-after": String(fault.retryAfter) }),
  };
  return { status, headers, bytes: bodiless ? new Uint8Array() : bytes, drips: body === "drip" };
}

const text = (mediaType: string, written: string) => ({ mediaType, bytes: new TextEncoder().encode(written) });

let large: ReturnType<typeof text> | undefined;

async function contentFor(fault: Fault, status: number, plain: Original) {
  switch (fault.body) {
    case "json":
      return text(JSON_TYPE, JSON.stringify({ status: "ok", service: "proxy" }));
    case "html":
    case "redirect":
      return text("text/html", proxyPage(status));
    case "empty":
      return text(JSON_TYPE, "");
    case "large":
      large ??= text(JSON_TYPE, JSON.stringify({ page: "x".repeat(LARGE_BYTES) }));
      return large;
    case "garbage":
      return { mediaType: JSON_TYPE, bytes: GARBAGE };
    case "half": {
      const { mediaType, bytes } = await agreed(fault, status, plain);
      return { mediaType, bytes: bytes.subarray(0, bytes.length >> 1) };
    }
    default:
      return agreed(fault, status, plain);
  }
}

async function agreed({ description, retryAfter }: Fault, status: number, { real, refusal }: Original) {
  return real && status < 400 ? real : text(JSON_TYPE, await refusal(status, description, retryAfter));
}

const DRIP_MS = 200;
/** This many bytes drip; the rest follows at once. */
const DRIP_BYTES = 20;

export function toResponse({ status, headers, bytes, drips }: Wire): Response {
  if (BODILESS.includes(status)) return new Response(null, { status, headers });
  return new Response(drips ? dripping(bytes) : new Uint8Array(bytes), { status, headers });
}

function dripping(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  let gone = false;
  return new ReadableStream({
    async pull(controller) {
      const next = at < DRIP_BYTES ? at + 1 : bytes.length;
      if (at > 0) await new Promise((resolve) => setTimeout(resolve, DRIP_MS));
      if (gone) return;
      controller.enqueue(bytes.slice(at, next));
      at = next;
      if (at >= bytes.length) controller.close();
    },
    cancel() {
      gone = true;
    },
  });
}
