/** The gateway's error message; status 0: unreachable. */
export class ApiError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface UploadedFile {
  id: string;
  type: string;
  size: number;
}
export interface Api {
  /** The published Bot API. */
  bot<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** Agent actions that the Bot API lacks. */
  agent<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** The CRM's API in the agent's name; `form` holds entities by their fields. */
  crm<T>(method: "GET" | "POST", path: string, form?: Record<string, unknown>): Promise<T>;
  upload(file: File): Promise<UploadedFile>;
}

const CALL_MS = 20_000;
const UPLOAD_MS = 120_000;
const GET_TRIES = 3;
const TOO_MANY_TRIES = 6;
/** Below the gateway's 30 a second and token: the agent may have another tab open. */
const PER_SECOND = 20;
const SECOND_MS = 1_000;

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export const queryOf = (fields: Record<string, string | number | boolean | undefined>): string => {
  const given = Object.entries(fields).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return `?${new URLSearchParams(given)}`;
};

export function createApi(token: string): Api {
  const pace = createPace();
  const call = async <T>(method: string, path: string, init: RequestInit, ms: number): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      await pace();
      const answer = await fetch(path, {
        ...init,
        method,
        headers: { ...init.headers, "x-bot-token": token },
        signal: AbortSignal.timeout(ms),
      }).catch(() => undefined);
      if (answer?.ok) return (await answer.json()) as T;
      const wait = waitBefore(method, attempt, answer);
      if (wait === undefined) throw await refusal(answer);
      await pause(wait);
    }
  };
  const json = <T>(method: string, path: string, body: unknown) =>
    call<T>(
      method,
      path,
      body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) },
      CALL_MS,
    );
  return {
    bot: (method, path, body) => json(method, `/api/bot/v1${path}`, body),
    agent: (method, path, body) => json(method, `/sandbox/agent${path}`, body),
    crm: (method, path, form) =>
      call(method, `/sandbox/agent/api/v5${path}`, form ? { body: formOf(form) } : {}, CALL_MS),
    upload: (file) => {
      const form = new FormData();
      form.append("file", file, file.name || "file");
      return call("POST", "/api/bot/v1/files/upload", { body: form }, UPLOAD_MS);
    },
  };
}

/** Delay before a retry, ms; undefined: give up. Retries only what certainly had no effect. */
function waitBefore(method: string, attempt: number, answer: Response | undefined): number | undefined {
  if (answer?.status === 429) {
    const asked = Number(answer.headers.get("retry-after")) * SECOND_MS;
    return attempt < TOO_MANY_TRIES ? asked || SECOND_MS : undefined;
  }
  const passing = !answer || answer.status >= 500;
  return method === "GET" && passing && attempt < GET_TRIES ? 400 * 2 ** attempt : undefined;
}

/** Texts as they are, entities as JSON. */
function formOf(form: Record<string, unknown>): URLSearchParams {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(form))
    fields.set(name, typeof value === "string" ? value : JSON.stringify(value));
  return fields;
}

async function refusal(answer: Response | undefined): Promise<ApiError> {
  if (!answer) return new ApiError(0, "The gateway cannot be reached.");
  const body = (await answer.json().catch(() => ({}))) as RefusedBody;
  return new ApiError(answer.status, wordsOf(body) || `The gateway answered ${answer.status}.`);
}

/** The gateway lists errors; the CRM has a message and errors by field. */
interface RefusedBody {
  errorMsg?: string;
  errors?: string[] | Record<string, string>;
}

function wordsOf({ errorMsg = "", errors = [] }: RefusedBody): string {
  const each = Array.isArray(errors) ? errors : Object.entries(errors).map((error) => error.join(": "));
  return [errorMsg && each.length > 0 ? `${errorMsg}:` : errorMsg, each.join(" ")].filter(Boolean).join(" ");
}

/** Sliding-window rate limiter; callers queue. */
function createPace(): () => Promise<void> {
  const passed: number[] = [];
  return async () => {
    const now = Date.now();
    const before = passed.at(-PER_SECOND);
    const at = Math.max(now, before === undefined ? 0 : before + SECOND_MS);
    passed.push(at);
    if (passed.length > PER_SECOND) passed.shift();
    if (at > now) await pause(at - now);
  };
}
