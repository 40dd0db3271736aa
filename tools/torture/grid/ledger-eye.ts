import { ask } from "../../demo/ask.ts";

interface Line {
  channelId: string;
  accepted: number;
  delivered: number;
  refused: number;
  waiting: number;
  hole: number;
  jobs: number;
}

/** The server's own books, read again and again. */
export interface LedgerEye {
  /** Live jobs of a channel, as last read; 1 when it is not known. */
  jobs(channel: string): number;
  refused(channel: string): number;
  sum(of: Exclude<keyof Line, "channelId">): number;
  /** How often it has been read. */
  reads(): number;
  stop(): void;
}

const EVERY_MS = 250;

export function watchLedger(metricsPort: number): LedgerEye {
  let lines = new Map<string, Line>();
  let reads = 0;
  let going = true;
  const look = async () => {
    const answer = await ask(`http://127.0.0.1:${metricsPort}/ledger`);
    const read = (await answer.json()) as { lines: Line[] };
    lines = new Map(read.lines.map((line) => [line.channelId, line]));
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
    jobs: (channel) => lines.get(channel)?.jobs ?? 1,
    refused: (channel) => lines.get(channel)?.refused ?? 0,
    sum: (of) => [...lines.values()].reduce((total, line) => total + Math.abs(line[of]), 0),
    reads: () => reads,
    stop: () => {
      going = false;
    },
  };
}
