import type { Config } from "../config.ts";
import { REFUSED_TODO } from "../domain/channel.ts";
import { ConfigError } from "../domain/errors.ts";
import { missingProxies } from "../domain/proxies.ts";
import type { Installed } from "../messengers.ts";
import { endOfLife } from "../runtime.ts";
import type { Condition } from "../store/care.ts";
import { StoreError } from "../store/store.ts";
import type { Answer, Command, CommandContext } from "./command.ts";
import { askAll, askOwn } from "./reach.ts";
import type { Finding } from "./remedies.ts";
import { plain } from "./table.ts";

const about = "runtime";
const todo = "run the server on a Node.js with long-term support; the image of the next release has one";
/** How long before the end of support to warn, ms: time to plan an upgrade. */
const SOON_MS = 90 * 86_400_000;

/** Checks the Node that runs this command; in the image it is also the server's. */
export function runtimeFinding(version: string, now: number): Finding {
  const ends = endOfLife(version);
  if (ends === undefined)
    return { state: "ok", about, seen: `Node.js ${version}; the end of its support is not known here` };
  const day = new Date(ends).toISOString().slice(0, 10);
  if (ends <= now) return { state: "warn", about, seen: `Node.js ${version}, without support since ${day}`, todo };
  const seen = `Node.js ${version}, supported until ${day}`;
  return ends < now + SOON_MS ? { state: "warn", about, seen, todo } : { state: "ok", about, seen };
}

/** Warns if TRUSTED_PROXIES should be set but is not. */
function proxiesFinding({ publicUrl, trustedProxies }: Config): Finding[] {
  const missing = missingProxies(publicUrl, trustedProxies);
  return missing ? [{ state: "warn", about: "TRUSTED_PROXIES", ...missing }] : [];
}

export const doctor: Command = {
  words: "doctor",
  summary: "check settings, database, disk, clock, addresses and waiting work, and suggest remedies",
  options: {
    offline: { help: "make no network calls" },
    "accept-loss": { help: "let the server go on without accepted messages that are missing from the database" },
  },
  async run(context, given): Promise<Answer> {
    const accepted = given.on("accept-loss") ? await acceptLoss(context) : [];
    const findings = await examine(context, given.on("offline"));
    const count = (state: Finding["state"]) => findings.filter((finding) => finding.state === state).length;
    const counted = (number: number, noun: string) => `${number} ${noun}${number === 1 ? "" : "s"}`;
    const sum = [`${count("ok")} ok`, counted(count("warn"), "warning"), counted(count("fail"), "failure")];
    const text = findings.flatMap(({ state, about, seen, todo }) => [
      `${state.padEnd(4)}  ${about}: ${plain(seen)}`,
      ...(todo ? [`        ${todo}`] : []),
    ]);
    return {
      ok: count("fail") === 0,
      json: { findings },
      text: [...accepted, ...text, `${sum.join(", ")}.`],
    };
  },
};

const acceptLoss = (context: CommandContext): Promise<string[]> =>
  context.withStore(async ({ condition, audit }) => {
    const events = (await condition.acceptLoss?.()) ?? 0;
    if (events === 0) return ["No accepted message is missing: there is nothing to accept."];
    await audit.record(undefined, { actor: "operator", action: "loss accepted", detail: { events } });
    return [`The server goes on without what is lost: at least ${events} messages.`];
  });

async function examine(context: CommandContext, offline: boolean): Promise<Finding[]> {
  const config = await settingsOf(context);
  if (!("dataFolder" in config)) return [config];
  const { backupFinding, findingsOf, ledgerFinding, slowFindings } = await import("./findings.ts");
  const findings: Finding[] = [
    runtimeFinding(process.versions.node, context.clock.now()),
    { state: "ok", about: "settings", seen: "complete" },
    ...config.misspelt.map(misspeltFinding),
    ...(await context.messengers()).installed.flatMap(refusedFinding),
    ...proxiesFinding(config),
  ];
  const accounts = await context
    .withStore(async (store) => {
      const known = await store.accounts.list();
      const [now, ledger] = [context.clock.now(), await store.ledger()];
      const figures = await store.condition.figures();
      findings.push(...findingsOf(figures, known, now));
      if (figures.engine === "SQLite" && known.length > 0)
        findings.push(backupFinding(await store.audit.lastBackup(), now));
      findings.push(...slowFindings(ledger, known, now), ledgerFinding(ledger));
      if (!offline) findings.push(...(await bucketFinding(store.condition)));
      return known;
    })
    .catch((error: unknown) => {
      if (!(error instanceof StoreError)) throw error;
      findings.push({ state: "fail", about: "database", seen: error.message, todo: todoOf(error) });
      return [];
    });
  if (offline) return findings;
  const hosts = accounts.flatMap(({ crmUrl, gatewayUrl }) => [
    { about: "CRM", origin: new URL(crmUrl).origin },
    { about: "gateway", origin: new URL(gatewayUrl).origin },
  ]);
  const { adapters } = await context.messengers();
  const { askApps } = await import("./apps.ts");
  const asked = [askOwn(context.call, config.publicUrl), askApps(context, config, adapters), askAll(context, hosts)];
  return [...findings, ...(await Promise.all(asked)).flat()];
}

const misspeltFinding = ({ name, meant }: Config["misspelt"][number]): Finding => ({
  ...{ state: "warn", about: "settings", seen: `${name} is no setting` },
  todo: `did you mean ${meant}?`,
});

const refusedFinding = (each: Installed): Finding[] =>
  "refused" in each
    ? [
        {
          ...{ state: "fail", about: `messenger ${each.package}`, seen: each.refused },
          todo: REFUSED_TODO,
        },
      ]
    : [];

async function bucketFinding({ probeBucket }: Condition): Promise<Finding[]> {
  if (!probeBucket) return [];
  const about = "bucket of files";
  const fault = await probeBucket();
  if (fault === undefined) return [{ state: "ok", about, seen: "stores, returns and removes objects" }];
  const todo = "check FILES_S3_URL, its key, secret and region, and what its user may do: put, get and delete objects";
  return [{ state: "fail", about, seen: fault, todo }];
}

async function settingsOf(context: CommandContext): Promise<Config | Finding> {
  const { adapters } = await context.messengers();
  try {
    return context.config(adapters);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return {
      state: "fail",
      about: "settings",
      seen: error.faults.join("; "),
      todo: "set these variables to the server's values; .env.example explains each",
    };
  }
}

const todoOf = ({ message, kind }: StoreError) => {
  if (kind === "damaged") return "the backup lacks everything written since; gangway verify shows what is damaged";
  if (kind === "full") return "free space on that disk; the server then continues by itself";
  if (kind === "keys") return "set SECRET_KEYS to the server's value";
  return /there is no database/.test(message)
    ? "start the server once, or set DATA_FOLDER to the server's value"
    : "see docs/operating.md";
};
