import type { Authenticity } from "gangway-messenger/apps";
import type { Clock } from "gangway-messenger/clock";
import type { Log } from "../../log.ts";

/** Counts requests to the vendor's apps and warns of unproven ones: the app's settings may be wrong. */
export interface AppRequests {
  heard(kind: string, authenticity: Authenticity): void;
  figures(): AppFigure[];
}
export interface AppFigure {
  kind: string;
  result: Authenticity["result"];
  count: number;
}

/** Minimum interval between warnings per kind and result, ms: anybody can send any number of forged requests. */
const WARN_MS = 600_000;
const RESULTS = ["proven", "unsigned", "other-secret", "other-verify-token"] as const;

interface Parts {
  clock: Pick<Clock, "monotonic">;
  log: Log;
}

/** `kinds`: messengers whose app is set up. */
export function createAppRequests(kinds: string[], { clock, log }: Parts): AppRequests {
  const all = kinds.flatMap((kind) => RESULTS.map((result): AppFigure => ({ kind, result, count: 0 })));
  const figureOf = (kind: string, result: AppFigure["result"]) =>
    all.find((each) => each.kind === kind && each.result === result);
  const warnings = new Map<AppFigure, { at: number; unproven: number; proven: number }>();
  const warn = (figure: AppFigure, todo: string) => {
    const last = warnings.get(figure);
    const at = clock.monotonic();
    if (last && at - last.at < WARN_MS) return;
    const [unproven, proven] = [figure.count, figureOf(figure.kind, "proven")?.count ?? 0];
    const since = { unproven: unproven - (last?.unproven ?? 0), proven: proven - (last?.proven ?? 0) };
    log.warn("app.unproven", { kind: figure.kind, result: figure.result, ...since, todo });
    warnings.set(figure, { at, unproven, proven });
  };
  return {
    heard(kind, authenticity) {
      const figure = figureOf(kind, authenticity.result);
      if (!figure) return;
      figure.count += 1;
      if ("todo" in authenticity) warn(figure, authenticity.todo);
    },
    figures: () => all.map((each) => ({ ...each })),
  };
}
