import { setImmediate as tick } from "node:timers/promises";
import { expect, it } from "vitest";
import type { Api } from "../src/browser/api.ts";
import { createPeople } from "../src/browser/people.ts";

const userOf = (id: number) => ({ id, first_name: `Agent ${id}`, is_technical_account: false });

it("an agent who is added while the list is on its way can be assigned", async () => {
  const users = [userOf(1)];
  const answers: (() => void)[] = [];
  // Each answer holds what was true when it was asked for.
  const bot = (_: string, path: string) => {
    const body = path.startsWith("/users") ? [...users] : [];
    return new Promise((resolve) => answers.push(() => resolve(body)));
  };
  const people = createPeople({ bot } as unknown as Api);
  const loading = Promise.all([people.load(), people.load()]);
  await tick();
  users.push(userOf(2));
  people.put({ ...userOf(2), type: "user" }, true);
  for (; answers.length > 0; await tick()) for (const answer of answers.splice(0)) answer();
  await loading;
  expect(
    people
      .assignable()
      .map(({ id }) => id)
      .sort(),
  ).toEqual([1, 2]);
});
