import pg from "pg";

// What this process awaits of PostgreSQL: clocks that only tests move wait for it, too.

let count = 0;
let waiting: (() => void)[] = [];

/** Resolves when every statement sent so far is answered; undefined if all are. */
export const answers = (): Promise<void> | undefined =>
  count === 0 ? undefined : new Promise((resolve) => waiting.push(resolve));

type Act = (...given: unknown[]) => unknown;
function counted(name: "connect" | "query"): void {
  const its = pg.Client.prototype as unknown as Record<string, Act>;
  const act = its[name] as Act;
  its[name] = function (this: unknown, ...given) {
    const told = given.at(-1);
    if (typeof told !== "function") {
      const answer = act.apply(this, given);
      if (answer instanceof Promise) begun(answer);
      return answer;
    }
    // The pool connects so.
    const answer = new Promise<void>((resolve) => {
      const end = (...all: unknown[]) => {
        resolve();
        return told(...all);
      };
      act.apply(this, [...given.slice(0, -1), end]);
    });
    begun(answer);
    return undefined;
  };
}
function begun(answer: Promise<unknown>): void {
  count += 1;
  answer.then(ended, ended);
}
function ended(): void {
  count -= 1;
  if (count > 0) return;
  for (const resolve of waiting) resolve();
  waiting = [];
}
counted("connect");
counted("query");
