import type { RunningSandbox } from "gangway-sandbox";

const WINDOW_MS = 1_000;

export interface Rates {
  /** The most requests that the gateway has had within one second. */
  worst(): number;
}

/** Counts an account's requests at its gateway from now on: each has one token. */
export function watchRates({ calls }: RunningSandbox["sandbox"]): Rates {
  const at: number[] = [];
  calls.observe((exchange) => {
    if (exchange.side === "gateway") at.push(exchange.at);
  });
  return {
    worst() {
      at.sort((one, other) => one - other);
      let [most, first] = [0, 0];
      for (const [n, time] of at.entries()) {
        while ((at[first] ?? 0) <= time - WINDOW_MS) first += 1;
        most = Math.max(most, n - first + 1);
      }
      return most;
    },
  };
}
