import { callFrom } from "gangway-messenger/kit/call";
import { onTestFinished } from "vitest";
import { createSandbox, type Sandbox } from "../../sandbox/src/sandbox.ts";
import { SETTINGS } from "./unknowns.ts";

/** Addresses of other CRMs. */
export const [OTHER_CRM, THIRD_CRM] = ["http://localhost:7002", "http://localhost:7003"];

/** `first` at any address but those of other CRMs, where a sandbox of its own begins with the first call. */
export function severalCrms(first: Sandbox, moduleUrl?: string) {
  const others = new Map<string, Sandbox>();
  const crmAt = (origin: string): Sandbox => {
    if (origin !== OTHER_CRM && origin !== THIRD_CRM) return first;
    const known = others.get(origin);
    if (known) return known;
    const made = createSandbox({ origin: () => origin, moduleUrl, settings: SETTINGS });
    onTestFinished(made.stop);
    // No two channels have one id.
    made.world.continueAfter(made.world.lastId() + 10_000 * (others.size + 1));
    others.set(origin, made);
    return made;
  };
  const call = callFrom({ fetch: (request, env) => crmAt(new URL(request.url).origin).fetch(request, env) });
  return { crmAt, call };
}
