/** How many slots of one name there are. */
export interface Most {
  name: string;
  most: number;
}

/** How many slots of a name are taken. */
export function counting() {
  const taken = new Map<string, number>();
  return {
    below: (name: string, most: number) => (taken.get(name) ?? 0) < most,
    take<Limits extends Most[]>(limits: Limits): Limits {
      for (const { name } of limits) taken.set(name, (taken.get(name) ?? 0) + 1);
      return limits;
    },
    free(limits: Most[]) {
      for (const { name } of limits) {
        const left = (taken.get(name) ?? 0) - 1;
        if (left > 0) taken.set(name, left);
        else taken.delete(name);
      }
    },
  };
}
