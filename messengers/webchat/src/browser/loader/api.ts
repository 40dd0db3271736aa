import type { Gangway, GangwayCalls } from "../../../gangway.d.ts";

type Name = keyof GangwayCalls;
type Call = [Name, ...unknown[]];

/**
 * Puts `Gangway` on the page, and makes the calls that its stub has queued. Those made while `isHeld` wait for the result.
 * Undefined: the page has one already.
 */
export function installApi(calls: GangwayCalls, isHeld: (name: Name) => boolean): (() => void) | undefined {
  if (window.Gangway && "open" in window.Gangway) return undefined;
  let held: Call[] = [];
  const call = (...asked: Call) => {
    const [name, ...given] = asked;
    if (!Object.hasOwn(calls, name)) return;
    if (isHeld(name)) held.push(asked);
    else (calls[name] as (...given: unknown[]) => void)(...given);
  };
  const early = (window.Gangway as { q?: unknown[] } | undefined)?.q ?? [];
  const methods = Object.keys(calls).map((name) => [name, (...given: unknown[]) => call(name as Name, ...given)]);
  window.Gangway = Object.assign(call, Object.fromEntries(methods)) as unknown as Gangway;
  const make = (all: Call[]) => {
    for (const each of all) call(...each);
  };
  make(early.map((each) => Array.from(each as ArrayLike<unknown>) as Call));
  return () => {
    const waiting = held;
    held = [];
    make(waiting);
  };
}
