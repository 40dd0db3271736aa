import { expect, it } from "vitest";
import { namedBy } from "../../../../src/store/erasing/customer.ts";

it.each(["ann", "ann smith", "+49 151 23", "ann@shop.example"])(
  "%s is found as a whole only, among any number of names",
  (name) => {
    const names = Array.from({ length: 30_000 }, (_, n) => (n % 2 ? `id${n}` : `guest ${n}`));
    const isNamed = namedBy([...names, name]);
    expect([`{"from":"${name}"}`, `x${name}`, `${name}-2`, "bob"].map(isNamed)).toEqual([true, false, false, false]);
  },
);
