import { type Config, ConfigError } from "../config.ts";
import type { Clock } from "../domain/clock.ts";
import { StoreError } from "../store/store.ts";
import type { Answer, Command, Desk } from "./command.ts";
import { books, look } from "./look.ts";
import { proxiesFinding } from "./proxies.ts";
import { askAll, askOwn } from "./reach.ts";
import type { Finding } from "./remedies.ts";
import { plain } from "./table.ts";

export const doctor: Command = {
  words: "doctor",
  summary: "looks at settings, database, disk, clock, addresses and waiting work, and says what to do",
  options: { offline: { help: "call nobody" } },
  async run(desk, given): Promise<Answer> {
    const findings = await examine(desk, given.on("offline"));
    const count = (state: Finding["state"]) => findings.filter((finding) => finding.state === state).length;
    const text = findings.flatMap(({ state, about, seen, todo }) => [
      `${state.padEnd(4)}  ${about}: ${plain(seen)}`,
      ...(todo ? [`        ${todo}`] : []),
    ]);
    return {
      ok: count("fail") === 0,
      json: { findings },
      text: [...text, `${count("ok")} ok, ${count("warn")} warnings, ${count("fail")} failures.`],
    };
  },
};

async function examine(desk: Desk, offline: boolean): Promise<Finding[]> {
  const config = settingsOf(desk);
  if (!("dataFolder" in config)) return [config];
  const findings: Finding[] = [{ state: "ok", about: "settings", seen: "complete" }, ...proxiesFinding(config)];
  const accounts = await desk
    .withStore(async (store) => {
      const known = await store.accounts.list();
      findings.push(...look(await store.condition.figures(), known, desk.clock.now()), books(await store.ledger()));
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
  const [own, ...others] = await Promise.all([askOwn(desk.call, config.publicUrl), askAll(desk, hosts)]);
  return [...findings, own, ...others.flat()];
}

function settingsOf(desk: { config(): Config; clock: Clock }): Config | Finding {
  try {
    return desk.config();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return {
      state: "fail",
      about: "settings",
      seen: error.faults.join("; "),
      todo: "set these variables as the server has them; .env.example explains each",
    };
  }
}

const todoOf = ({ message, kind }: StoreError) => {
  if (kind === "damaged")
    return "what was written since that backup is not in it; gangway verify shows what is damaged";
  if (kind === "keys") return "set SECRET_KEYS as the server has them";
  return /there is no database/.test(message)
    ? "start the server once, or set DATA_FOLDER as the server has it"
    : "see docs/operating.md";
};
