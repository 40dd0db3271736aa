import type { GangwayCalls, GangwayEvents } from "../../../gangway.d.ts";

type Listener = (detail: unknown) => void;

/** Listeners of the page. A listener that throws stops nothing. */
export function createListeners(): Pick<GangwayCalls, "on" | "off"> & {
  emit<Name extends keyof GangwayEvents>(name: Name, detail: GangwayEvents[Name]): void;
} {
  const all = new Map<string, Set<Listener>>();
  return {
    on(name, listener) {
      all.set(name, (all.get(name) ?? new Set()).add(listener as Listener));
    },
    off: (name, listener) => void all.get(name)?.delete(listener as Listener),
    emit(name, detail) {
      for (const listener of all.get(name) ?? []) {
        try {
          listener(detail);
        } catch (error) {
          setTimeout(() => {
            throw error;
          });
        }
      }
    },
  };
}
