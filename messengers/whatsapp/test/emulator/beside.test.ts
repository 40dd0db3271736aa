import { expect, it } from "vitest";
import { opened } from "./stage.ts";

it("a group, a call in vain and a number that is given are played by JSON, as Meta tells them", async () => {
  const { control, messages, values, send, robin, text } = await opened();
  await control("POST", "groups", { id: "Z3JvdXA" });
  const early = await send({ recipient_type: "group", to: "Z3JvdXA", type: "text", text: { body: "early" } });
  // It fails late, as out of a window.
  expect(early.status).toBe(200);
  await control("POST", "groups/Z3JvdXA/messages", { customer: 1, text: "for us all" });
  expect(messages().at(-1)).toMatchObject({ from: robin.phone, group_id: "Z3JvdXA", text: { body: "for us all" } });
  const answer = { recipient_type: "group", to: "Z3JvdXA", type: "text", text: { body: "yes" } };
  expect((await send(answer)).body).toMatchObject({ contacts: [{ input: "Z3JvdXA" }] });
  expect((await send({ ...answer, to: "Zm9yZWlnbg" })).body).toMatchObject({ error: { code: 131009 } });
  const buttons = { type: "button", body: { text: "?" }, action: { buttons: [] } };
  expect((await send({ ...answer, type: "interactive", interactive: buttons })).status).toBe(400);

  await control("POST", "customers/1/missed-call");
  expect(values("calls").map((each) => (each as { calls?: { event: string }[] }).calls?.[0]?.event)).toEqual([
    "connect",
    "terminate",
  ]);

  const asked = (await text()).body as { messages: { id: string }[] };
  await control("POST", `messages/${asked.messages[0]?.id}/share`);
  expect(messages().at(-1)).toMatchObject({ type: "contacts", contacts: [{ origin: "contact_request" }] });
});
