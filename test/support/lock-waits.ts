import pg from "pg";

let count = 0;

/** How many statements of this process have waited for a lock, and given up. */
export const lockWaits = (): number => count;

type Act = (...given: unknown[]) => unknown;
const its = pg.Client.prototype as unknown as Record<"query", Act>;
const act = its.query;
its.query = function (this: unknown, ...given) {
  const answer = act.apply(this, given);
  if (answer instanceof Promise)
    answer.catch((error) => {
      if (/due to lock timeout/.test(String(error))) count += 1;
    });
  return answer;
};
