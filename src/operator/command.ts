import { parseArgs } from "node:util";
import type { Call } from "gangway-messenger/call";
import type { Clock } from "gangway-messenger/clock";
import { errorText } from "gangway-messenger/errors";
import type { ChannelAdapter } from "gangway-messenger/port";
import type { Config } from "../config.ts";
import type { Installed } from "../messengers.ts";
import type { Setting } from "../settings.ts";
import type { BucketAccess, Store } from "../store/store.ts";

export interface CommandContext {
  /** All messengers of this server, including those of MESSENGERS. */
  messengers(): Promise<{ adapters: ChannelAdapter[]; installed: Installed[] }>;
  /** Messenger settings only of `adapters`: loading those takes longer than most commands. Throws ConfigError. */
  config(adapters?: ChannelAdapter[]): Config;
  /** Opens the store, even beside a running server, and closes it after `work`. Throws StoreError. */
  withStore<T>(work: (store: Store) => Promise<T>): Promise<T>;
  call: Call;
  /** For addresses that the operator typed: private networks and this machine are allowed. */
  callAnywhere: Call;
  /** The bucket of kept files on PostgreSQL, if configured. */
  bucket(): BucketAccess | undefined;
  clock: Clock;
  /** Asks the person at the terminal; absent without one. Undefined on end of input. Rejects when `signal` aborts. */
  ask?(question: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Reports progress, separate from the answer. */
  tell(line: string): void;
  /** Aborts on the first Ctrl-C, SIGTERM or SIGHUP, which then do not end the process; a second one does. */
  interrupted(): AbortSignal;
}

/** A command's output; `ok` decides the exit code. */
export interface Answer {
  ok: boolean;
  json: object;
  text: string[];
}

export const failed = (error: string): Answer => ({ ok: false, json: { error }, text: [error] });

interface Option {
  /** A single letter, as in `-h`. */
  short?: string;
  /** Name of the value in the help; absent for a flag. */
  value?: string;
  many?: boolean;
  help: string;
}

export interface Command {
  /** As typed, for example `dead list`. */
  words: string;
  summary: string;
  /** The positional argument. */
  takes?: { name: string; needed: boolean };
  options: Record<string, Option>;
  run(context: CommandContext, given: Arguments): Promise<Answer>;
}

export interface Arguments {
  word?: string;
  on(option: string): boolean;
  text(option: string): string | undefined;
  texts(option: string): string[] | undefined;
}

/** Invalid usage; the message is for the operator. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

const COMMON: Record<string, Option> = {
  json: { help: "print one JSON document" },
  help: { short: "h", help: "show this help" },
};

/** Throws UsageError. */
export function parseArguments(command: Command, args: string[]): Arguments {
  const known = { ...COMMON, ...command.options };
  const options = Object.fromEntries(
    Object.entries(known).map(([name, { value, many, short }]) => [
      name,
      { type: value ? ("string" as const) : ("boolean" as const), multiple: many ?? false, ...(short && { short }) },
    ]),
  );
  const { values, positionals } = parsed(args, options);
  const [word, surplus] = positionals;
  if (word !== undefined && !command.takes) throw new UsageError(`unexpected argument "${word}"`);
  if (surplus !== undefined) throw new UsageError(`unexpected argument "${surplus}"`);
  if (word === undefined && command.takes?.needed && !values.help)
    throw new UsageError(`${command.takes.name} is missing`);
  for (const [name, given] of Object.entries(values))
    if ([given].flat().some((text) => typeof text === "string" && text.trim() === ""))
      throw new UsageError(`--${name} has no value`);
  const value = (name: string) => values[name];
  return {
    word,
    on: (name) => value(name) === true,
    text: (name) => value(name) as string | undefined,
    texts: (name) => value(name) as string[] | undefined,
  };
}

type Options = NonNullable<Parameters<typeof parseArgs>[0]>["options"];

/**
 * An id may begin with dashes: one from newId, or a group's `-100…`. parseArgs accepts such a value only as
 * `--option=value`, and such a word only after `--`.
 */
function joined(args: string[], options: Options): string[] {
  const option = (arg = "") => (arg.startsWith("--") ? options?.[arg.slice(2).split("=", 1)[0] ?? ""] : undefined);
  const takesValue = (arg = "") => !arg.includes("=") && option(arg)?.type === "string";
  const isDashed = (arg = "") => /^-./.test(arg) && !option(arg);
  const isId = (arg: string) => isDashed(arg) && /^((?=.*[A-Z\d_])[\w-]{22}$|-\d)/.test(arg);
  const whole = args.flatMap((arg, n) => {
    if (takesValue(args[n - 1]) && isDashed(arg)) return [];
    return takesValue(arg) && isDashed(args[n + 1]) ? [`${arg}=${args[n + 1]}`] : [arg];
  });
  if (args.includes("--")) return whole;
  return [...whole.filter((arg) => !isId(arg)), "--", ...whole.filter(isId)];
}

function parsed(args: string[], options: Options) {
  try {
    const { values, positionals } = parseArgs({ args: joined(args, options), options, allowPositionals: true });
    return { values: values as Record<string, string | boolean | string[] | undefined>, positionals };
  } catch (error) {
    const [sentence = ""] = errorText(error).split(". To specify");
    throw new UsageError(sentence.replace(/\.$/, ""));
  }
}

const EXIT_CODES =
  "Exit code: 0 success, warnings included; 1 a problem was found or the command failed; 2 invalid usage.";

const invocation = ({ words, takes }: Command) =>
  `gangway ${words}${takes ? ` ${takes.needed ? `<${takes.name}>` : `[${takes.name}]`}` : ""}`;

const usageOf = (command: Command): string[] => {
  const named = Object.entries({ ...command.options, ...COMMON }).map(
    ([name, { value, short, help }]): [string, string] => [
      `${short ? `-${short}, ` : ""}--${name}${value ? ` <${value}>` : ""}`,
      help,
    ],
  );
  return [`${invocation(command)} [options]`, "", command.summary, "", ...columns(named), ""];
};

export const helpOf = (command: Command): string[] => [...usageOf(command), EXIT_CODES];

export const helpOfGroup = (commands: Command[]): string[] => [...commands.flatMap(usageOf), EXIT_CODES];

export function helpOfAll(commands: Command[]): string[] {
  const rows = commands.map((command): [string, string] => [invocation(command), command.summary]);
  return [
    "gangway                            start the server",
    "gangway <command> --help           show the help of a command",
    "gangway --version                  show the version",
    "",
    "Operator commands; they read the same environment as the server:",
    ...columns(rows),
    "",
    "For developers, in a checkout or with the package gangway-sandbox: gangway sandbox, demo, torture, conformance.",
    "",
    EXIT_CODES,
  ];
}

/** Describes each setting; never shows its value. */
export function helpOfSettings(settings: Setting[]): string[] {
  const rows = columns(
    settings.map(({ name, help, default: value, secret }): [string, string] => {
      const notes = [...(secret ? ["secret"] : []), ...(value === undefined ? [] : [`default: ${value}`])];
      return [name, notes.length > 0 ? `${help} (${notes.join("; ")})` : help];
    }),
  );
  const titleOf = ({ group }: Setting, n: number) => (group === settings[n - 1]?.group ? [] : ["", `${group}:`]);
  return [
    "",
    "Settings, from the environment; an empty one counts as absent:",
    ...settings.flatMap((setting, n) => [...titleOf(setting, n), rows[n] ?? ""]),
  ];
}

function columns(rows: [string, string][]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
