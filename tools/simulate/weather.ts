import type { Chance } from "./chance.ts";

/** What happens to an exchange on its way. */
export interface Weather {
  kind: Kind;
  /** Before or after the server has carried the request out. */
  when: "before" | "after";
  /**
   * Whoever answers in a messenger's place has certainly not passed it on (`foreignAnswer` in
   * packages/messenger/src/answers.ts).
   */
  isTurnedBack: boolean;
  /** Of a page or an error. */
  status: number;
  /** How long the request is delayed, ms. */
  ms: number;
}
type Kind = (typeof HARMLESS)[number] | (typeof MISLEADING)[number];

const HARMLESS = ["refused", "reset", "unanswered", "held up", "twice", "page", "error"] as const;
/** A caller other than us may take these for the server's own answer. */
const MISLEADING = ["redirect", "garbage", "half"] as const;
const KINDS = [...HARMLESS, ...MISLEADING];
/** Of a proxy whose server is down, or too busy. */
const PROXY_STATUSES = [429, 500, 502, 503, 504];
const STATUSES = [...PROXY_STATUSES, 400, 401, 403, 404, 405, 413, 422];
/** Longest delay by a proxy. */
const HELD_UP_MS = 40_000;
const HOUR_MS = 3_600_000;
const PAGE = "<html><head><title>Gateway</title></head><body><hr><center>nginx</center></body></html>";
const JSON_TYPE = { "content-type": "application/json" };

/** Destinations of the server besides messengers. */
const OTHERS = /^\d+ [A-Z]+ \/api\//;

/** `share` of the exchanges are disturbed; undefined: none. */
export function weatherFor(chance: Chance, operation: string, isOurs: boolean, share: number): Weather | undefined {
  const drawn = chance.pick<Kind>(`kind ${operation}`, isOurs ? KINDS : HARMLESS);
  // A messenger without keys would show a repeated message twice, which is nobody's fault here.
  const isMessengers = isOurs && !OTHERS.test(operation);
  const kind = drawn === "twice" && isMessengers ? "reset" : drawn;
  const drawnWhen = chance.pick(`when ${operation}`, ["before", "after"] as const);
  const status = chance.pick(`status ${operation}`, isOurs ? STATUSES : PROXY_STATUSES);
  const isTurnedBack = isMessengers && turnsBack(kind, status);
  const when = isTurnedBack ? "before" : drawnWhen;
  const ms = chance.draw(`held up ${operation}`) * HELD_UP_MS;
  const details = {
    page: [status, when],
    error: [status, when],
    refused: [],
    twice: [],
    "held up": [`${Math.round(ms)} ms`],
  };
  const words = [kind, ...((details as Record<string, unknown[]>)[kind] ?? [when])].join(" ");
  return chance.strikes(operation, share, words) ? { kind, when, status, ms, isTurnedBack } : undefined;
}

const turnsBack = (kind: Kind, status: number): boolean =>
  kind === "redirect" || (["page", "error"].includes(kind) && (status < 500 || status === 503));

/** Whether the caller cannot know if the request was carried out. */
export const isDoubtful = ({ kind, isTurnedBack }: Weather): boolean =>
  !isTurnedBack && !["refused", "held up", "twice"].includes(kind);

/** The connection broke: as undici's `fetch` words it. */
export class Cut extends TypeError {
  /** Whether the server may have the request. */
  readonly sent: "no" | "perhaps";
  readonly code: string;

  constructor(sent: "no" | "perhaps", code: string) {
    super("fetch failed", { cause: Object.assign(new Error(code), { code }) });
    this.sent = sent;
    this.code = code;
  }
}

/** The exchange under this weather; `carryOut` may be called twice. Throws Cut. */
export async function through(
  weather: Weather,
  carryOut: () => Promise<Response>,
  pause: (ms: number) => Promise<void>,
): Promise<Response> {
  const { kind, when, status, ms } = weather;
  if (kind === "refused") throw new Cut("no", "ECONNREFUSED");
  if (kind === "held up") {
    await pause(ms);
    return carryOut();
  }
  if (kind === "twice") {
    const response = await carryOut();
    await carryOut().catch(() => undefined);
    return response;
  }
  const real = when === "after" ? await carryOut() : undefined;
  switch (kind) {
    case "reset":
      throw new Cut("perhaps", "ECONNRESET");
    case "unanswered":
      await pause(HOUR_MS);
      throw new Cut("perhaps", "ECONNRESET");
    case "page":
      return new Response(PAGE, { status, headers: { "content-type": "text/html" } });
    case "error":
      return new Response('{"error":"internal"}', { status, headers: JSON_TYPE });
    case "redirect":
      return new Response(null, { status: 302, headers: { location: "https://login.example/" } });
    case "garbage":
      return new Response(new Uint8Array([0x1f, 0x00, 0xff, 0x7b]), { status: 200, headers: JSON_TYPE });
    case "half": {
      const bytes = real ? new Uint8Array(await real.arrayBuffer()) : Buffer.from('{"ok":tr');
      return new Response(bytes.subarray(0, bytes.length >> 1), { status: 200, headers: JSON_TYPE });
    }
  }
}
