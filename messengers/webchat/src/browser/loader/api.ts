import type { Gangway, GangwayCalls } from "../../../gangway.d.ts";

type Name = keyof GangwayCalls;
type Call = [Name, ...unknown[]];

/**
 * Puts `Gangway` on the page. Calls made while `isHeld`, and those queued by its stub, wait for the result, which makes
 * them. Undefined: the page has one already.
 */
export function installApi(calls: GangwayCalls, isHeld: (name: Name) => boolean): (() => void) | undefined {
  if (window.Gangway && "open" in window.Gangway) return undefined;
  const early = (window.Gangway as { q?: unknown[] } | undefined)?.q ?? [];
  let held = early.map((each) => Array.from(each as ArrayLike<unknown>) as Call);
  const call = (...asked: Call) => {
    const [name, ...given] = asked;
    if (!Object.hasOwn(calls, name)) return;
    if (isHeld(name)) held.push(asked);
    else (calls[name] as (...given: unknown[]) => void)(...given);
  };
  const methods = Object.keys(calls).map((name) => [name, (...given: unknown[]) => call(name as Name, ...given)]);
  window.Gangway = Object.assign(call, Object.fromEntries(methods)) as unknown as Gangway;
  return () => {
    const waiting = held;
    held = [];
    for (const each of waiting) call(...each);
  };
}
