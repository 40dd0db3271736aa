import type { Dispatcher } from "undici";
import type { Answer, CallRequest, CallResult } from "../domain/call/call.ts";
import { systemClock } from "../domain/time/clock.ts";
import { failureOf, TooLarge } from "./failure.ts";

const DEFAULT_MAX_BYTES = 1024 * 1024;
/** Bytes of a streamed answer to hold before its socket pauses. */
const BUFFER_BYTES = 64 * 1024;
const NO_BYTES = new Uint8Array();

type Controller = Dispatcher.DispatchController;

/** One call at undici, without streams in between: collects the answer up to its limit, or hands it on as a web stream. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: CallRequest;
  readonly #host: string;
  readonly #settle: (result: CallResult) => void;
  readonly #cancelTimer: () => void;
  readonly #abort = () => this.#stop(new Error("aborted"));
  #controller?: Controller;
  #started = false;
  #ended = false;
  readonly #answer: Answer = { type: "answer", status: 0, headers: {}, bytes: NO_BYTES };
  readonly #chunks: Uint8Array[] = [];
  #size = 0;
  #stream?: ReadableStreamDefaultController<Uint8Array>;

  constructor(request: CallRequest, host: string, settle: (result: CallResult) => void) {
    this.#request = request;
    this.#host = host;
    this.#settle = settle;
    const late = () => this.#stop(new DOMException("It took too long", "TimeoutError"));
    this.#cancelTimer = systemClock.after(request.timeoutMs, late);
    request.signal?.addEventListener("abort", this.#abort);
  }

  /** undici calls it just before it writes the first byte. */
  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    // Ended while it waited for a connection: nothing is written.
    if (this.#ended) controller.abort(new Error("ended"));
    else this.#started = true;
  }

  onResponseStart(_: Controller, status: number, headers: Record<string, string | string[] | undefined>): void {
    if (status < 200 || this.#ended) return;
    // undici makes the object anew for each answer.
    for (const name in headers) if (Array.isArray(headers[name])) headers[name] = headers[name].join(", ");
    this.#answer.headers = headers as Record<string, string>;
    this.#answer.status = status;
    // We ask for `identity`; a compressed answer may be a decompression bomb.
    if ((this.#answer.headers["content-encoding"] || "identity") !== "identity")
      this.#stop(new TooLarge("the answer is compressed"));
    else if (this.#request.stream) this.#settle(Object.assign(this.#answer, { stream: this.#open() }));
  }

  onResponseData(controller: Controller, chunk: Uint8Array): void {
    if (this.#ended) return;
    const max = this.#request.maxBytes ?? DEFAULT_MAX_BYTES;
    this.#size += chunk.byteLength;
    if (this.#size > max) this.#stop(new TooLarge(`more than ${max} bytes`));
    else if (!this.#stream) this.#chunks.push(chunk);
    else {
      this.#stream.enqueue(chunk);
      if ((this.#stream.desiredSize ?? 0) <= 0) controller.pause();
    }
  }

  onResponseEnd(): void {
    if (this.#ended) return;
    this.#end();
    if (this.#stream) this.#stream.close();
    else this.#settle(Object.assign(this.#answer, { bytes: Buffer.concat(this.#chunks) }));
  }

  onResponseError(_: Controller | undefined, error: Error): void {
    if (this.#ended) return;
    this.#end();
    if (this.#stream) this.#stream.error(error);
    else this.#settle(failureOf(error, this.#host, this.#started, this.#request.signal));
  }

  /** Settles at once, also while undici still waits for a connection. */
  #stop(error: Error): void {
    this.onResponseError(undefined, error);
    this.#controller?.abort(error);
  }

  #end(): void {
    this.#ended = true;
    this.#cancelTimer();
    this.#request.signal?.removeEventListener("abort", this.#abort);
  }

  #open(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#stream = controller;
        },
        pull: () => this.#controller?.resume(),
        cancel: () => this.#stop(new Error("cancelled")),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: BUFFER_BYTES }),
    );
  }
}
