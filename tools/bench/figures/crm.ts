import { join } from "node:path";
import { SANDBOX_KEY } from "gangway-sandbox";
import { type Asked, filtersOf, isPlain } from "../crm-filters.ts";
import type { Usage } from "../probe.ts";
import { type Figure, figureOf } from "../rounds.ts";
import { freshFolder, type Server, startSandbox } from "../stage.ts";
import { bounded, type Measure, once, type Row, type Scale } from "./figure.ts";

/** Starts with the large shop and with the small one, and asks of each filter. Figures are CPU time: the machine may be busy. */
const ROUNDS: Record<Scale, { large: number; small: number; asks: number }> = {
  quick: { large: 1, small: 10, asks: 3 },
  usual: { large: 3, small: 10, asks: 5 },
  long: { large: 5, small: 20, asks: 11 },
};
const LISTS = { customers: "customers", "customers-corporate": "customersCorporate", orders: "orders" };
const DAY_MS = 86_400_000;
/** With more memory V8 collects late, and the figure means little. */
const HEAP = ["--max-old-space-size=1280"];

/** The sandbox's CRM with 100,000 customers and 300,000 orders, started from a saved account; and its start with the small shop. */
export const crm: Measure = async (scale): Promise<Row[]> => {
  const { large, small, asks } = ROUNDS[scale];
  const file = join(freshFolder(), "account.ndjson");
  const made = await startSandbox(["--seed", "large", "--save", file]);
  await made.child.stop("SIGTERM");
  const starts: number[] = [];
  for (let n = 1; n < large; n++) starts.push(await startOnce(["--seed", file], HEAP));
  const server = await startSandbox(["--seed", file], HEAP);
  starts.push((await server.child.ask<Usage>("usage")).cpuMs);
  const asked = await askedOf(server, asks);
  const { rssMiB, heapMiB } = await server.child.ask<Usage>("usage");
  await server.child.stop();
  const smalls: number[] = [];
  for (let n = 0; n < small; n++) smalls.push(await startOnce(["--seed", "small"]));
  return [
    ...filterRows(asked),
    bounded({
      name: "crm-memory",
      what: "memory of this sandbox after all these lists, with a heap limit of 1.25 GiB",
      figure: once(rssMiB),
      unit: " MiB",
      atMost: 1_536,
      detail: { heapMiB, madeMs: made.readyMs, startMs: server.readyMs },
    }),
    bounded({
      name: "crm-start",
      what: "CPU of its start from the saved account until it answers, the best of several",
      figure: bestOf(starts.map((ms) => ms / 1000)),
      unit: " s",
      atMost: 10,
    }),
    bounded({
      name: "crm-start-small",
      what: "CPU of the start of a sandbox with the small shop until it answers, the best of several",
      figure: bestOf(smalls),
      unit: " ms",
      atMost: 1_000,
    }),
  ];
};

async function startOnce(args: string[], flags: string[] = []): Promise<number> {
  const { child } = await startSandbox(args, flags);
  const { cpuMs } = await child.ask<Usage>("usage");
  await child.stop();
  return cpuMs;
}

const bestOf = (times: number[]): Figure => {
  const figure = figureOf(times);
  return { ...figure, value: figure.least };
};

async function settings(origin: string, change: object): Promise<void> {
  const headers = { "content-type": "application/json" };
  await fetch(`${origin}/sandbox/settings`, { method: "PUT", headers, body: JSON.stringify(change) });
}

/** The server's CPU for a filtered list's first page, the best of several. */
interface Measured extends Asked {
  list: string;
  ms: Figure;
}

async function askedOf({ origin, child }: Server, asks: number): Promise<Measured[]> {
  const spent = async () => (await child.ask<Usage>("usage")).cpuMs;
  const ask = async (path: string) => {
    const before = await spent();
    const answer = await fetch(`${origin}/api/v5/${path}`, { headers: { "x-api-key": SANDBOX_KEY } });
    const text = await answer.text();
    const ms = (await spent()) - before;
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text.slice(0, 500)}`);
    return { ms, text };
  };
  await settings(origin, { crmPerSecond: 0 });
  const day = new Date(Date.now() - 30 * DAY_MS).toISOString().slice(0, 10);
  const all: Measured[] = [];
  for (const [list, many] of Object.entries(LISTS)) {
    const { text } = await ask(`${list}?limit=100&page=7`);
    for (const asked of filtersOf(list, JSON.parse(text)[many], day)) {
      const path = `${list}?limit=100&${asked.query}`;
      await ask(path);
      const times: number[] = [];
      for (let n = 0; n < asks; n++) times.push((await ask(path)).ms);
      all.push({ ...asked, list, ms: bestOf(times) });
    }
  }
  return all;
}

function filterRows(asked: Measured[]): Row[] {
  const slowest = (some: Measured[]) => some.toSorted((a, b) => b.ms.value - a.ms.value);
  const row = (name: string, what: string, atMost: number, some: Measured[]): Row => {
    const [first, ...others] = slowest(some);
    if (!first) throw new Error("no filter was asked");
    const named = ({ list, filter, ms }: Measured) => [`${list} ${filter}`, ms.value];
    const detail = Object.fromEntries([first, ...others].slice(0, 20).map(named));
    return bounded({
      name,
      what: `${what}, the slowest of ${some.length}`,
      figure: first.ms,
      unit: " ms",
      atMost,
      detail,
    });
  };
  const shop = "of a sandbox's CRM with 100,000 customers and 300,000 orders, first page of 100,";
  return [
    row(
      "crm-plain-filters",
      `CPU for lists ${shop} by id, number, customer, status or date`,
      50,
      asked.filter(isPlain),
    ),
    row(
      "crm-filters",
      "the same by every other filter",
      300,
      asked.filter((each) => !isPlain(each)),
    ),
  ];
}
