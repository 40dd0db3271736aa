export interface NamedLimit {
  name: string;
  most: number;
}

/** Counts taken slots by name. */
export function createCounters() {
  const taken = new Map<string, number>();
  return {
    below: (name: string, most: number) => (taken.get(name) ?? 0) < most,
    take<Limits extends NamedLimit[]>(limits: Limits): Limits {
      for (const { name } of limits) taken.set(name, (taken.get(name) ?? 0) + 1);
      return limits;
    },
    free(limits: NamedLimit[]) {
      for (const { name } of limits) {
        const left = (taken.get(name) ?? 0) - 1;
        if (left > 0) taken.set(name, left);
        else taken.delete(name);
      }
    },
  };
}
