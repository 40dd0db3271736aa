import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { deadline } from "gangway-messenger/clock";
import { readAddress } from "../../module/connecting/address.ts";
import { type Answer, type Arguments, type Command, type CommandContext, UsageError } from "../command.ts";
import { countIn } from "../options.ts";
import type { Person } from "./stage.ts";
import { STEP_NAMES, type StepName } from "./step.ts";

const DEFAULT_PORT = 8787;

export const probe: Command = {
  words: "probe",
  summary: "look, in a test account of your own, how the real CRM and gateway do what no source describes",
  options: {
    crm: { value: "address", help: "the CRM account, one for tests" },
    "key-file": {
      value: "path",
      help: "a file with the account's API key: rights integration_read, integration_write",
    },
    "public-url": { value: "address", help: "how the CRM and the gateway reach this command: https, no path" },
    port: { value: "number", help: `port to listen on, behind that address (default ${DEFAULT_PORT})` },
    host: { value: "address", help: "address to listen on (default 127.0.0.1)" },
    only: { value: "step", many: true, help: `make this step only: ${STEP_NAMES.join(", ")}` },
    "without-agent": { help: "skip the steps that need somebody who acts in the CRM" },
    yes: { help: "agree to every step" },
    wait: { value: "seconds", help: "how long somebody may take for one act in the CRM (default 300)" },
    limit: { value: "minutes", help: "how long repeats and deadlines are watched at most (default 30)" },
    out: { value: "folder", help: "where report.md, sandbox.json and probe.env go (default gangway-probe)" },
    "integration-code": {
      value: "code",
      help: "code of the published module, if the account wants that of one (default: the module's own code)",
    },
    "module-code": { value: "code", help: "symbol code of the probe's own module (default gangway-probe)" },
  },
  async run(context, given): Promise<Answer> {
    const only = stepsIn(given);
    const person = personAt(context, given);
    const parts = partsIn(context, given);
    const signal = context.interrupted();
    // Loaded lazily: other commands do not need it.
    const { probing } = await import("./probing.ts");
    return probing({
      ...{ ...parts, person: person(signal), signal, only },
      isAgreed: given.on("yes"),
      withoutAgent: given.on("without-agent"),
      out: resolve(given.text("out") ?? "gangway-probe"),
    });
  },
};

function stepsIn(given: Arguments): readonly StepName[] {
  const only = given.texts("only")?.flatMap((text) => text.split(",")) ?? STEP_NAMES;
  const isStep = (name: string): name is StepName => (STEP_NAMES as readonly string[]).includes(name);
  const unknown = only.find((name) => !isStep(name));
  if (unknown !== undefined) throw new UsageError(`there is no step "${unknown}"; steps: ${STEP_NAMES.join(", ")}`);
  return only.filter(isStep);
}

/** Throws UsageError, also if nobody can agree to the steps. */
function personAt({ ask, tell, clock }: CommandContext, given: Arguments): (signal: AbortSignal) => Person {
  if (!ask && !given.on("yes"))
    throw new UsageError("nobody is at the terminal to agree to each step: --yes agrees to all");
  return (signal) => ({
    tell,
    async ask(question, ms) {
      if (!ask) return undefined;
      const within = deadline(clock, ms, signal);
      const gone = new Promise<undefined>((done) => within.signal.addEventListener("abort", () => done(undefined)));
      const answer = await Promise.race([ask(question, within.signal).catch(() => undefined), gone]);
      within.end();
      return answer;
    },
  });
}

function partsIn(context: CommandContext, given: Arguments) {
  const { sandbox, crmHosts } = context.config();
  const needed = (option: string) => {
    const text = given.text(option);
    if (text === undefined) throw new UsageError(`--${option} is missing`);
    return text;
  };
  const address = readAddress(needed("crm"), { hosts: crmHosts, sandbox });
  if (!address.ok) throw new UsageError("--crm should be the address of an account that CRM_HOSTS allows");
  const publicUrl = sandbox ? given.text("public-url") : needed("public-url");
  if (publicUrl !== undefined && !(sandbox ? /^https?:\/\/[^/?#@]+\/?$/ : /^https:\/\/[^/?#@]+\/?$/).test(publicUrl))
    throw new UsageError("--public-url should be an address such as https://probe.example.com, without a path");
  const codeIn = (option: string, otherwise: string) => {
    const code = given.text(option) ?? otherwise;
    if (!/^[\w-]{1,64}$/.test(code)) throw new UsageError(`--${option} should have letters, digits, - and _ only`);
    return code;
  };
  const code = codeIn("module-code", "gangway-probe");
  return {
    ...{ call: context.call, clock: context.clock, crmUrl: address.origin, code },
    integrationCode: codeIn("integration-code", code),
    apiKey: keyIn(needed("key-file")),
    listen: {
      port: given.text("port") === "0" ? 0 : (countIn(given, "port") ?? (sandbox ? 0 : DEFAULT_PORT)),
      host: given.text("host") ?? "127.0.0.1",
      publicUrl: publicUrl?.replace(/\/$/, ""),
    },
    personMs: (countIn(given, "wait") ?? 300) * 1_000,
    limitMs: (countIn(given, "limit") ?? 30) * 60_000,
  };
}

function keyIn(file: string): string {
  try {
    const key = readFileSync(file, "utf8").trim();
    if (/^\S{1,255}$/.test(key)) return key;
  } catch {
    throw new UsageError(`--key-file: ${file} cannot be read`);
  }
  throw new UsageError(`--key-file: ${file} should hold an API key and nothing else`);
}
