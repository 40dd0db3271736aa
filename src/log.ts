import { pino } from "pino";

/** Flat fields of a log line; never message text. */
export type Fields = Record<string, string | number | boolean | undefined>;

/** JSON lines. Event names are dotted, for example `delivery.attempted`. */
export interface Log {
  debug(event: string, fields?: Fields): void;
  info(event: string, fields?: Fields): void;
  warn(event: string, fields?: Fields): void;
  error(event: string, fields?: Fields): void;
  /** Masks this secret in every later line. */
  hide(secret: string): void;
  /** The text with known secrets masked. */
  mask(text: string): string;
}

interface LogOptions {
  level: "debug" | "info" | "warn" | "error" | "silent";
  /** Writes whole lines. */
  write(lines: string): void;
}

const RUNS = /[\w-]{8,}|%[\dA-Fa-f]{2}/g;

/**
 * pino's `redact` misses secrets inside texts (measured: 6 of 9), so mask the finished line: look up each run of
 * word characters. The cost does not grow with the number of secrets.
 */
export function createLog({ level, write }: LogOptions): Log {
  const secretRuns = new Set<string>();
  const isSecret = (run: string) => secretRuns.has(run);
  // Look first: replacing costs more, and hardly any line has a secret.
  const mask = (line: string) =>
    line.match(RUNS)?.some(isSecret) ? line.replace(RUNS, (run) => (isSecret(run) ? "***" : run)) : line;
  const batch = createBatch(write);
  const lines = pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => batch.add(mask(line)) },
  );
  const at = (name: "debug" | "info" | "warn" | "error") => (event: string, fields?: Fields) => {
    lines[name](Object.assign({ event }, fields));
    if (name === "warn" || name === "error") batch.flush();
  };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    mask,
    hide: (secret) => {
      const plain = runsOf(secret).filter((run) => run === secret || isDistinctive(run));
      // Return early: this runs each time a secret is opened.
      if (plain.every((run) => secretRuns.has(run))) return;
      for (const run of [...plain, ...ENCODINGS.flatMap((as) => runsOf(Buffer.from(secret).toString(as)))])
        secretRuns.add(run);
    },
  };
}

/**
 * Batches the lines of one event-loop tick: a write per line takes three times as long as formatting it. Nothing is
 * lost at an exit or an uncaught error; a kill may lose the tick's lines up to `info`.
 */
function createBatch(write: LogOptions["write"]) {
  let lines = "";
  const flush = () => {
    process.off("exit", flush);
    const ready = lines;
    lines = "";
    if (ready) write(ready);
  };
  return {
    flush,
    add(line: string) {
      if (!lines) {
        setImmediate(flush);
        process.once("exit", flush);
      }
      lines += line;
    },
  };
}

/** Encodings in which another system may echo a secret. */
const ENCODINGS = ["base64", "base64url", "hex"] as const;
const runsOf = (text: string) => (text.match(RUNS) ?? []).filter((run) => !run.startsWith("%"));
/** Mask only distinctive parts of a secret; a common word, such as a field name, stays readable. */
const isDistinctive = (run: string) => run.length >= 16 || (/\d/.test(run) && /[A-Za-z]/.test(run));
