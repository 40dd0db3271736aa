import { errorCode, errorText } from "gangway-messenger/errors";
import { ConfigError } from "../domain/errors.ts";
import { StoreError } from "../store/store.ts";
import { accountsList, accountsShow } from "./accounts.ts";
import { afterRestore } from "./after-restore.ts";
import { backup, restore, verify } from "./backup.ts";
import { type Command, helpOf, helpOfAll, helpOfGroup, helpOfSettings, parseArguments, UsageError } from "./command.ts";
import { deadDrop, deadList, deadReplay, deadShow } from "./dead.ts";
import { doctor } from "./doctor.ts";
import { eraseAccount, eraseCustomer, exportCustomer } from "./erase.ts";
import { importAccounts } from "./import.ts";
import { init } from "./init.ts";
import { rotate } from "./keys.ts";
import { auditList } from "./lists.ts";
import { messagesFind, messagesShow } from "./messages.ts";
import { messengersList } from "./messengers.ts";
import { move } from "./move.ts";
import { accountsLimit, accountsPause, accountsResume } from "./pausing.ts";
import { probe } from "./probe/probe.ts";
import { replay } from "./replay.ts";
import { accountsOpen } from "./support.ts";
import { tokensAdd, tokensList, tokensRemove } from "./tokens.ts";

const COMMANDS: Command[] = [
  init,
  doctor,
  backup,
  restore,
  afterRestore,
  verify,
  rotate,
  deadList,
  deadShow,
  deadReplay,
  deadDrop,
  move,
  importAccounts,
  replay,
  auditList,
  accountsList,
  accountsShow,
  accountsOpen,
  accountsPause,
  accountsResume,
  accountsLimit,
  messagesFind,
  messagesShow,
  messengersList,
  tokensAdd,
  tokensList,
  tokensRemove,
  exportCustomer,
  eraseCustomer,
  eraseAccount,
  probe,
];
/** Documented exit codes: a problem was found or the command failed; usage was invalid. */
const [FAILED, MISUSED] = [1, 2];

/** A command's input and output besides the database. */
export interface Terminal {
  env: Record<string, string | undefined>;
  /** Standard output and standard error. */
  write(text: string): void;
  complain(text: string): void;
  /** Absent if no person can answer. */
  ask?(question: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Default: nothing interrupts a command. */
  interrupted?(): AbortSignal;
}

/** Runs `gangway <args>`; resolves with the exit code. */
export async function runCommand(args: string[], { env, ...terminal }: Terminal): Promise<number> {
  const print = (lines: string[]) => terminal.write(`${lines.join("\n")}\n`);
  const complain = (line: string) => terminal.complain(`${line}\n`);
  const json = args.includes("--json");
  const commands = await commandsFor(args, env, (line) => print([line]));
  const found = commandOf(args, commands);
  if ("help" in found) {
    if (found.help === commands) print([...helpOfAll(commands), ...helpOfSettings(await allSettings(env))]);
    else print(helpOfGroup(found.help));
    return 0;
  }
  try {
    if ("fault" in found) throw new UsageError(found.fault);
    const given = parseArguments(found.command, found.rest);
    if (given.on("help")) {
      print(helpOf(found.command));
      return 0;
    }
    // Loaded lazily: help does not need it, and loading it takes longer than most commands run.
    const { withContext } = await import("./context.ts");
    const interrupted = terminal.interrupted ?? (() => new AbortController().signal);
    const beside = { ask: terminal.ask, tell: complain, interrupted };
    const answer = await withContext(env, (context) => found.command.run(context, given), beside);
    if (json) print([JSON.stringify({ ok: answer.ok, ...answer.json })]);
    else if (answer.text.length > 0) print(answer.text);
    return answer.ok ? 0 : FAILED;
  } catch (error) {
    const message = messageOf(error);
    if (json) print([JSON.stringify({ ok: false, error: message })]);
    const words = "command" in found ? found.command.words : "";
    complain(`gangway${words && ` ${words}`}: ${message}`);
    if (error instanceof UsageError) complain(`See gangway ${words}${words && " "}--help.`);
    return error instanceof UsageError ? MISUSED : FAILED;
  }
}

type Found = { command: Command; rest: string[] } | { help: Command[] } | { fault: string };

/** Adds messengers' commands unless the word is one of ours: loading messengers takes longer than most commands run. */
async function commandsFor(args: string[], env: Terminal["env"], print: (line: string) => void): Promise<Command[]> {
  const word = args[0] === "help" ? (args[1] ?? "help") : args[0];
  if (COMMANDS.some(({ words }) => words.split(" ")[0] === word)) return COMMANDS;
  const [{ commandsOf }, { messengersOf }] = await Promise.all([import("./of-adapters.ts"), import("./context.ts")]);
  return [...COMMANDS, ...commandsOf((await messengersOf(env)).adapters, print)];
}

function commandOf(args: string[], commands: Command[]): Found {
  const [first = "", second = ""] = args;
  const two = commands.find(({ words }) => words === `${first} ${second}`);
  if (two) return { command: two, rest: args.slice(2) };
  const one = commands.find(({ words }) => words === first);
  if (one) return { command: one, rest: args.slice(1) };
  const asks = first === "help";
  const group = commands.filter(({ words }) => words.startsWith(`${asks ? second : first} `));
  const wantsHelp = asks || args.includes("--help") || args.includes("-h");
  if (wantsHelp) return { help: group.length > 0 ? group : commands };
  if (group.length === 0) return { fault: `there is no command "${first}"` };
  const names = group.map(({ words }) => words.slice(first.length + 1)).join(", ");
  return { fault: `"${first}" needs one of: ${names}${second ? `; not "${second}"` : ""}` };
}

/** Loads the messengers, which declare settings of their own. */
async function allSettings(env: Terminal["env"]) {
  const [{ settingsOf }, { messengersOf }] = await Promise.all([import("../settings.ts"), import("./context.ts")]);
  return settingsOf((await messengersOf(env)).adapters);
}

/** A sentence for errors that the operator can fix, else the stack. */
function messageOf(error: unknown): string {
  if ([StoreError, UsageError, ConfigError].some((known) => error instanceof known)) return errorText(error);
  if (!(error instanceof Error)) return String(error);
  const code = errorCode(error);
  if (code === "SQLITE_BUSY") return "the database is busy: try again";
  if (code !== undefined) return error.message;
  return error.stack ?? error.message;
}
