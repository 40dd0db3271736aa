import { systemClock } from "gangway-messenger/clock";
import { describe, expect, it, onTestFinished } from "vitest";
import { createListener } from "../../../../src/operator/probe/listener.ts";

async function listener() {
  const heard: number[] = [];
  const made = await createListener({
    ...{ clock: systemClock, port: 0, host: "127.0.0.1", secret: "s3", clientId: "c1" },
    heard: (_, status) => void heard.push(status),
  });
  onTestFinished(made.close);
  const post = (path: string, body: string, headers: Record<string, string> = { clientid: "c1" }) =>
    fetch(`http://127.0.0.1:${made.port}${path}`, { method: "POST", body, headers });
  return { made, post, heard };
}
const SENT = '{"type":"message_sent","meta":{"timestamp":1},"data":{"id":9007199254740993}}';

describe("the probe's listener", () => {
  it("hears the gateway and the CRM, and nobody else", async () => {
    const { made, post, heard } = await listener();
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const strangers = [
      post("/webhook/other", SENT),
      post("/webhook/s3", SENT, {}),
      post("/webhook/s3", SENT, { clientid: "other" }),
      post("/activity", "clientId=other&activity={}", form),
      post("/account/other", "clientId=c1", form),
      post("/webhook/s3", `"${"x".repeat(2 * 1024 * 1024)}"`),
    ];
    const statuses = await Promise.all(
      strangers.map((answer) =>
        answer.then(
          ({ status }) => status,
          () => 404,
        ),
      ),
    );
    expect(statuses).toEqual(statuses.map(() => 404));
    expect(made.received).toEqual([]);
    expect((await post("/activity", 'clientId=c1&activity={"active":false}', form)).status).toBe(200);
    expect((await post("/account/s3", "clientId=c1", form)).headers.get("content-type")).toBe("text/html");
    expect(made.received.map(({ kind }) => kind)).toEqual(["activity", "account"]);
    expect(heard).toEqual([200, 200]);
  });

  it("answers a message with an id, whose digits it keeps, also when the data come as a text", async () => {
    const { made, post } = await listener();
    const sent = { async: false, external_message_id: "a-9007199254740993" };
    expect(await (await post("/webhook/s3", SENT)).json()).toEqual(sent);
    const { data, ...rest } = JSON.parse(SENT.replace("9007199254740993", '"9007199254740993"'));
    const text = JSON.stringify({ ...rest, data: JSON.stringify(data) });
    expect(await (await post("/webhook/s3", text)).json()).toEqual(sent);
    expect(made.received.map(({ isDataText }) => isDataText)).toEqual([false, true]);
  });

  it("knows when the other side gives up waiting", async () => {
    const { made } = await listener();
    made.answer(() => "hang");
    const gone = new AbortController();
    const call = fetch(`http://127.0.0.1:${made.port}/webhook/s3`, {
      ...{ method: "POST", body: SENT, headers: { clientid: "c1" }, signal: gone.signal },
    });
    const one = await made.next(() => true, 5_000, new AbortController().signal, 0);
    expect([one?.leftAt, one?.answeredAt]).toEqual([undefined, undefined]);
    gone.abort();
    await expect(call).rejects.toThrow();
    expect(await made.until(() => one?.leftAt !== undefined, 5_000, new AbortController().signal)).toBe(true);
  });
});
