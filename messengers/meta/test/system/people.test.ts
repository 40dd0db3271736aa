import { DeliveryError } from "gangway-messenger/errors";
import { expect, it } from "vitest";
import { handClock } from "../../../../test/support/clock.ts";
import type { Login } from "../../src/messaging/network.ts";
import { askingPeople } from "../../src/messaging/people.ts";

it("a profile that Meta does not answer for holds a webhook up for two seconds, by the module's clock", async () => {
  const clock = handClock();
  const graph = {
    call: (_: unknown, signal: AbortSignal) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(new DeliveryError({ type: "retry" }, "no answer")));
      }),
  };
  const context = { clock, closed: new AbortController().signal, notes: { get: async () => undefined } };
  const login = { context, graph, network: { title: "Messenger", profileFields: "name" } } as unknown as Login;
  let name: string | undefined;
  void askingPeople(login)(["5120000042"]).then((people) => {
    name = people.of("5120000042").nickname;
  });
  await clock.forward(1_500);
  expect(name).toBeUndefined();
  await clock.forward(1_000);
  expect(name).toBe("Messenger 0042");
});

it("a customer has the name that Meta tells, which is kept, and a number where it tells none", async () => {
  const names = new Map([
    ["5120000042", "Robin"],
    ["5120000043", ""],
  ]);
  const ended = new AbortController();
  const graph = { call: async ({ path }: { path: string }) => ({ id: path, name: names.get(path) }) };
  const context = { clock: handClock(), closed: ended.signal, notes: { get: async () => undefined } };
  const customerOf = ({ name }: { name?: string }) => ({ nickname: name, hasAvatar: true });
  const network = { title: "Messenger", profileFields: "name", customerOf };
  const people = await askingPeople({ context, graph, network } as unknown as Login)(names.keys());
  expect([...names.keys()].map((id) => people.of(id).nickname)).toEqual(["Robin", "Messenger 0043"]);
  expect(people.notes.map(({ value }) => JSON.parse(value).nickname)).toEqual(["Robin"]);
});
