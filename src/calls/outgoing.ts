import { lookup as systemLookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { Readable } from "node:stream";
import { getCACertificates } from "node:tls";
import {
  type Answer,
  answerText,
  type Call,
  type CallFailure,
  type CallRequest,
  type CallResult,
  type FormBody,
  type FormFile,
  MAX_ANSWER,
} from "gangway-messenger/call";
import { systemClock } from "gangway-messenger/clock";
import { errorCode, errorText } from "gangway-messenger/errors";
import { Agent, type Dispatcher, ProxyAgent } from "undici";
import { type HostAuthorities, type HostProxy, matchesHost } from "../domain/host-proxies.ts";
import { createNames, type Resolve } from "./names.ts";

export class TooLarge extends Error {
  readonly code = "ETOOLARGE";
}

export const failure = (sent: CallFailure["sent"], reason: CallFailure["reason"], detail: string): CallFailure => ({
  type: "failure",
  sent,
  reason,
  detail,
});

/**
 * Maps an error of undici, the guard or a form's file to a call failure. Until the request has `started`, no byte has left;
 * `stopped` is the caller's own signal.
 */
export function failureOf(error: unknown, host: string, started: boolean, stopped?: AbortSignal): CallFailure {
  const code = codeOf(error);
  const detail = `${host} ${code}`;
  const sent = started ? "perhaps" : "no";
  if (code === "EBLOCKED") return failure("no", "blocked", `${host} is not a public address`);
  if (code === "ESOURCE") {
    const tooLarge = error instanceof Error && error.cause instanceof TooLarge;
    return failure("no", tooLarge ? "source-too-large" : "source", `the file could not be read (${errorText(error)})`);
  }
  if (code === "ETOOLARGE") return failure(sent, "too-large", detail);
  if (stopped?.aborted) return failure(sent, "aborted", host);
  // `TimeoutError` is our own deadline; the others come from undici.
  if (/timeout/i.test(code)) return failure(sent, "timeout", detail);
  return failure(sent, started ? "reset" : "refused", detail);
}

/** As undici words it. */
const PROXY_ANSWER = /^Proxy response \((\d{3})\)/;

function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  const [, status] = PROXY_ANSWER.exec(error instanceof Error ? error.message : "") ?? [];
  if (status) return `the proxy answered ${status}`;
  return errorCode(error) ?? (error instanceof Error ? error.name : "unknown");
}

/** Bytes of a streamed answer to hold before its socket pauses. */
const BUFFER_BYTES = 64 * 1024;
const NO_BYTES = new Uint8Array();

type Controller = Dispatcher.DispatchController;

/** One call at undici, without streams in between: collects the answer up to its limit, or hands it on as a web stream. */
export class UndiciCall implements Dispatcher.DispatchHandler {
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
    if (this.#request.statusOnly) this.#settle(this.#answer);
    // We ask for `identity`; a compressed answer may be a decompression bomb.
    else if ((this.#answer.headers["content-encoding"] || "identity") !== "identity")
      this.#stop(new TooLarge("the answer is compressed"));
    else if (this.#request.stream) this.#settle(Object.assign(this.#answer, { stream: this.#open() }));
  }

  onResponseData(controller: Controller, chunk: Uint8Array): void {
    if (this.#ended) return;
    const max = this.#request.maxBytes ?? MAX_ANSWER;
    this.#size += chunk.byteLength;
    if (this.#size > max) this.#stop(new TooLarge(`more than ${max} bytes`));
    else if (!this.#stream) {
      if (!this.#request.statusOnly) this.#chunks.push(chunk);
    } else {
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

/** SSRF guard: allows https to public addresses, plus loopback where enabled. */
export interface Guard {
  /** What is wrong with the URL, or undefined. IP literals are checked here, since they never reach `lookup`. */
  fault(url: URL): string | undefined;
  /** For the socket: checks every address the name resolves to, at connect time. */
  lookup: LookupFunction;
}

/** A guard for a system named in the operator's settings: allows this origin only, wherever it is. */
export const onlyTo = (origin: string): Guard => ({
  fault: (url) => (url.origin === origin && !url.username && !url.password ? undefined : "another address"),
  lookup: systemLookup,
});

export class BlockedAddress extends Error {
  readonly code = "EBLOCKED";
  constructor(host: string) {
    super(`${host} is not a public address`);
    this.name = "BlockedAddress";
  }
}

/** Non-public ranges (IANA special-purpose registries). */
const IPV4: [string, number][] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];
/** The only IPv6 space in public use; loopback, ULA, link-local, mapped and NAT64 lie outside it. */
const GLOBAL_IPV6: [string, number] = ["2000::", 3];
/** Non-public ranges within it; Teredo and 6to4 embed an IPv4 address. */
const IPV6: [string, number][] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const forbidden = new BlockList();
for (const [net, bits] of IPV4) forbidden.addSubnet(net, bits, "ipv4");
for (const [net, bits] of IPV6) forbidden.addSubnet(net, bits, "ipv6");
const globalIpv6 = new BlockList();
globalIpv6.addSubnet(...GLOBAL_IPV6, "ipv6");

const isLoopback = (address: string) => address === "::1" || (isIP(address) === 4 && address.startsWith("127."));
const within = (list: BlockList, address: string) => list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
const isPublic = (address: string) =>
  (isIP(address) === 4 || (isIP(address) === 6 && within(globalIpv6, address))) && !within(forbidden, address);

export function createGuard(allowLoopback: boolean, resolve: Resolve = createNames()): Guard {
  const allowed = (address: string) => isPublic(address) || (allowLoopback && isLoopback(address));
  return {
    fault(url) {
      const host = url.hostname.replace(/^\[|\]$/g, "");
      const local = allowLoopback && (host === "localhost" || isLoopback(host));
      if (url.username || url.password) return "an address with a user name";
      if (local) return /^https?:$/.test(url.protocol) ? undefined : `the protocol ${url.protocol}`;
      if (url.protocol !== "https:") return `the protocol ${url.protocol} instead of https`;
      if (url.port) return `the port ${url.port}`;
      if (isIP(host) && !allowed(host)) return `${host} is not a public address`;
      return undefined;
    },
    lookup(hostname, options, callback) {
      resolve(hostname, { ...options, all: true }, (error, found) => {
        if (error) return callback(error, "");
        const addresses = Array.isArray(found) ? found : [found];
        if (addresses.length === 0 || !addresses.every(({ address }) => allowed(address)))
          return callback(new BlockedAddress(hostname) as NodeJS.ErrnoException, "");
        if (options.all) return callback(null, addresses);
        const [first] = addresses;
        callback(null, first?.address ?? "", first?.family);
      });
    },
  };
}

/** A file of the form could not be read. The form was never completed, so the receiver cannot have accepted it. */
class FormSourceError extends Error {
  readonly code = "ESOURCE";
}

/** The bytes of a multipart form (HTML standard, multipart/form-data); files are read lazily. Throws FormSourceError. */
async function* formBytes({ fields = {}, files }: FormBody, boundary: string): AsyncGenerator<Uint8Array> {
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

export interface Outgoing {
  call: Call;
  close(): Promise<void>;
}

interface OutgoingOptions {
  /** Sandbox mode: allows calls to this machine, over http and on any port. */
  allowLoopback?: boolean;
  /** For calls to these hosts. */
  proxies?: HostProxy[];
  /** Trusted for calls to these hosts only. */
  authorities?: HostAuthorities[];
  /** Allows calls to this origin only, which may be anywhere. */
  origin?: string;
  /** Concurrent calls; default 64. Each has a socket: one that waited for it would count as sent. */
  calls?: number;
  /** TCP and TLS together; default 3 s. */
  connectTimeoutMs?: number;
  /** For tests of the guard. */
  resolve?: Resolve;
}

type AgentOptions = Agent.Options & { connect: { timeout: number } };

const CONNECT_MS = 3_000;
const CALLS = 64;
/** How long an idle socket stays open, ms. */
const IDLE_MS = 10_000;

/** Every outgoing call: guarded, with a deadline, no redirects and a size-limited answer. */
export function createOutgoing(options: OutgoingOptions): Outgoing {
  const { origin, allowLoopback = false, resolve } = options;
  const guard = origin === undefined ? createGuard(allowLoopback, resolve) : onlyTo(origin);
  const connect = {
    timeout: options.connectTimeoutMs ?? CONNECT_MS,
    lookup: guard.lookup,
    autoSelectFamily: true,
  };
  // With HTTP/2 all calls to a host would share one connection, and its silent end.
  const agentOptions = { keepAliveTimeout: IDLE_MS, headersTimeout: 0, bodyTimeout: 0, allowH2: false, connect };
  const agent = new Agent({ ...agentOptions, connections: options.calls ?? CALLS });
  const waiting = new Agent({ ...agentOptions, connections: null });
  const own = createHostAgents(options, agentOptions);
  return {
    async call(request) {
      const url = URL.parse(request.url);
      if (!url) return failure("no", "blocked", "not an address");
      const fault = guard.fault(url);
      if (fault) return failure("no", "blocked", fault);
      if (request.signal?.aborted) return failure("no", "aborted", url.host);
      const { headers, body } = encode(request);
      const sent = { origin: url.origin, path: url.pathname + url.search, method: request.method, headers, body };
      const by = own?.of(url.hostname) ?? (request.waiting ? waiting : agent);
      const result = await new Promise<CallResult>((settle) => {
        by.dispatch(sent, new UndiciCall(request, url.host, settle));
      });
      // Close its file.
      if (result.type === "failure" && body instanceof Readable) body.destroy();
      return result;
    },
    close: async () => void (await Promise.all([agent.destroy(), waiting.destroy(), own?.close()])),
  };
}

/**
 * Finds the agent of a host that has a proxy, or authorities of its own. A proxy gets the host's name, and resolves it itself.
 * Connections have no limit: polls hold many.
 */
function createHostAgents({ proxies = [], authorities = [] }: OutgoingOptions, options: AgentOptions) {
  if (proxies.length === 0 && authorities.length === 0) return undefined;
  const agents = new Map<unknown, Agent | ProxyAgent>();
  const once = (key: unknown, make: () => Agent | ProxyAgent) => {
    const agent = agents.get(key) ?? make();
    agents.set(key, agent);
    return agent;
  };
  return {
    of(host: string): Dispatcher | undefined {
      const proxy = proxies.find((each) => matchesHost(host, each.host));
      const trusted = authorities.find(({ hosts }) => hosts.some((pattern) => matchesHost(host, pattern)));
      if (proxy)
        return once(trusted ? `${proxy.url} ${host}` : proxy.url, () => proxyAgent(proxy.url, options, trusted));
      return trusted && once(trusted, () => trustingAgent(trusted, options));
    },
    close: async () => void (await Promise.all([...agents.values()].map((agent) => agent.destroy()))),
  };
}

/** `trusted`: for the host beyond the proxy. A tunnel for http, too: the proxy sees no request. */
const proxyAgent = (uri: string, { connect, ...times }: AgentOptions, trusted: HostAuthorities | undefined) =>
  new ProxyAgent({
    ...{ uri, ...times, connectTimeout: connect.timeout, proxyTunnel: true },
    ...(trusted && { requestTls: { ca: certificatesWith(trusted) } }),
  });

const trustingAgent = (trusted: HostAuthorities, options: AgentOptions) =>
  new Agent({ ...options, connect: { ...options.connect, ca: certificatesWith(trusted) }, connections: null });

const certificatesWith = ({ pem }: HostAuthorities): string[] => [...getCACertificates("default"), pem];

const OWN_HEADERS = { "accept-encoding": "identity", "user-agent": "gangway" };

function encode({ body, headers: given }: CallRequest) {
  const headers: Record<string, string> = Object.assign({}, given, OWN_HEADERS);
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) return { headers, body };
  if (body instanceof ReadableStream) return { headers, body: heard(Readable.fromWeb(body as never)) };
  const boundary = `gangway-${crypto.randomUUID()}`;
  headers["content-type"] = `multipart/form-data; boundary=${boundary}`;
  return { headers, body: heard(Readable.from(formBytes(body, boundary))) };
}

/** undici listens from the request's begin until its end: an error before or after it would end the process. */
const heard = (body: Readable): Readable => body.on("error", () => {});

/**
 * Masks our secrets in error answers and thrown errors: they may echo the request, and the text ends up on pages, in the
 * database and in acks.
 */
export function withoutEchoes(call: Call, mask: (text: string) => string): Call {
  return async (request) => {
    try {
      const result = await call(request);
      if (result.type === "failure" || result.status < 400 || result.stream) return result;
      return { ...result, bytes: Buffer.from(maskValues(answerText(result), mask)) };
    } catch (error) {
      const [text, masked] = [errorText(error), mask(errorText(error))];
      throw masked === text ? error : new Error(masked);
    }
  };
}

/** JSON field names stay: the verdict depends on them. */
const FIELD = /("[\w-]+"\s*:)/;
const maskValues = (text: string, mask: (text: string) => string): string =>
  text
    .split(FIELD)
    .map((piece) => (FIELD.test(piece) ? piece : mask(piece)))
    .join("");
