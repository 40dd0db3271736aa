import { parseArgs } from "node:util";
import type { Config } from "../config.ts";
import type { Call } from "../domain/call.ts";
import type { Clock } from "../domain/clock.ts";
import { errorText } from "../domain/errors.ts";
import type { Store } from "../store/store.ts";

/** What every command is given. */
export interface Desk {
  /** Throws ConfigError. */
  config(): Config;
  /** Beside the server that may be running; closed when `act` has ended. Throws StoreError. */
  withStore<T>(act: (store: Store) => Promise<T>): Promise<T>;
  call: Call;
  clock: Clock;
}

/** What a command says; `ok` decides the exit code. */
export interface Answer {
  ok: boolean;
  json: object;
  text: string[];
}

export const failed = (error: string): Answer => ({ ok: false, json: { error }, text: [error] });

interface Option {
  /** What stands behind it in the help; absent for a switch. */
  value?: string;
  many?: boolean;
  help: string;
}

export interface Command {
  /** As it is typed, for example `dead list`. */
  words: string;
  summary: string;
  /** The one word behind it. */
  takes?: { name: string; needed: boolean };
  options: Record<string, Option>;
  run(desk: Desk, given: Given): Promise<Answer>;
}

/** The command line as it was understood. */
export interface Given {
  word?: string;
  on(option: string): boolean;
  text(option: string): string | undefined;
  texts(option: string): string[] | undefined;
}

/** The command was not understood; the message is for whoever typed it. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

const COMMON: Record<string, Option> = {
  json: { help: "one JSON document on standard output" },
  help: { help: "this text" },
};

/** Throws UsageError. */
export function understand(command: Command, args: string[]): Given {
  const known = { ...COMMON, ...command.options };
  const options = Object.fromEntries(
    Object.entries(known).map(([name, { value, many }]) => [
      name,
      { type: value ? ("string" as const) : ("boolean" as const), multiple: many ?? false },
    ]),
  );
  const { values, positionals } = parsed(args, options);
  const [word, surplus] = positionals;
  if (word !== undefined && !command.takes) throw new UsageError(`"${word}" is one word too many`);
  if (surplus !== undefined) throw new UsageError(`"${surplus}" is one word too many`);
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

/** An id may begin with a dash; the library takes such a value only as `--option=value`. */
function joined(args: string[], options: Options): string[] {
  const takesValue = (arg = "") => arg.startsWith("--") && options?.[arg.slice(2)]?.type === "string";
  return args.flatMap((arg, n) => {
    const next = args[n + 1];
    if (takesValue(args[n - 1]) && /^-[^-]/.test(arg)) return [];
    return takesValue(arg) && next !== undefined && /^-[^-]/.test(next) ? [`${arg}=${next}`] : [arg];
  });
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
  "Exit code: 0 all is well, also with warnings; 1 a problem was found or it failed; 2 the command was not understood.";

const invocation = ({ words, takes }: Command) =>
  `gangway ${words}${takes ? ` ${takes.needed ? `<${takes.name}>` : `[${takes.name}]`}` : ""}`;

export function helpOf(command: Command): string[] {
  const named = Object.entries({ ...command.options, ...COMMON }).map(([name, { value, help }]): [string, string] => [
    `--${name}${value ? ` <${value}>` : ""}`,
    help,
  ]);
  return [`${invocation(command)} [options]`, "", command.summary, "", ...columns(named), "", EXIT_CODES];
}

export function helpOfAll(commands: Command[]): string[] {
  const rows = commands.map((command): [string, string] => [invocation(command), command.summary]);
  return [
    "gangway                            starts the server",
    "gangway <command> --help           tells what a command takes",
    "gangway --version                  tells the version",
    "",
    "Commands for the operator; they read the same environment as the server:",
    ...columns(rows),
    "",
    "For developers, in a checkout or beside the package gangway-sandbox: gangway sandbox, demo, torture, conformance.",
    "",
    EXIT_CODES,
  ];
}

function columns(rows: [string, string][]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
