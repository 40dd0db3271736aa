import { ask } from "gangway-sandbox/demo/ask";

interface Row {
  channelId: string;
  accepted: number;
  delivered: number;
  refused: number;
  waiting: number;
  hole: number;
  jobs: number;
}

export interface LedgerWatch {
  /** Live jobs of a channel at the last read; 1 if unknown. */
  jobs(channel: string): number;
  refused(channel: string): number;
  sum(of: Exclude<keyof Row, "channelId">): number;
  reads(): number;
  stop(): void;
}

const EVERY_MS = 250;

export function watchLedger(metricsPort: number): LedgerWatch {
  let rows = new Map<string, Row>();
  let reads = 0;
  let going = true;
  const look = async () => {
    const answer = await ask(`http://127.0.0.1:${metricsPort}/ledger`);
    const { lines } = (await answer.json()) as { lines: Row[] };
    rows = new Map(lines.map((row) => [row.channelId, row]));
    reads += 1;
  };
  const run = async () => {
    while (going) {
      await look().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  };
  void run();
  return {
    jobs: (channel) => rows.get(channel)?.jobs ?? 1,
    refused: (channel) => rows.get(channel)?.refused ?? 0,
    sum: (of) => [...rows.values()].reduce((total, row) => total + Math.abs(row[of]), 0),
    reads: () => reads,
    stop: () => {
      going = false;
    },
  };
}
