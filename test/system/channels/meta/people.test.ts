import { expect, it } from "vitest";
import type { Login } from "../../../../src/channels/meta/messaging/network.ts";
import { askingPeople } from "../../../../src/channels/meta/messaging/people.ts";
import { DeliveryError } from "../../../../src/domain/delivery/delivery.ts";
import { handClock } from "../../../support/clock.ts";

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
