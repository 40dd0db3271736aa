import { enterShop } from "gangway-sandbox/demo/visitor";
import { expect, it } from "vitest";
import { markedCounts } from "../../../src/store/disk/folder.ts";
import { damageLog } from "../../support/damaged-log.ts";
import { runningDemo } from "../../support/demo.ts";
import { gangway } from "../../support/gangway.ts";
import { rowsOf } from "../../support/rows.ts";
import { until } from "../../support/until.ts";

/** A visitor may send sixty messages at once. */
const [VISITORS, EACH] = [5, 40];
const SAID = VISITORS * EACH;

it("a server killed with a damaged log says what is missing, is not ready, and goes on once its operator decides", async () => {
  const { server, dataFolder, door } = await runningDemo();
  const talk = async () => {
    const visitor = await enterShop(door);
    for (let n = 0; n < EACH; n++) await visitor.say({ text: `message ${n}` });
    visitor.leave();
  };
  await Promise.all(Array.from({ length: VISITORS }, talk));
  await until("the mark", async () => markedCounts(dataFolder).accepted >= SAID);
  await server.kill("SIGKILL");
  damageLog(dataFolder);

  server.launch();
  const ready = () => fetch(`${server.origin}/health/ready`);
  await until("the answer", async () => (await ready().catch(() => undefined))?.status === 503);
  const said = expect.stringMatching(/^at least \d+ accepted messages are missing: .*see gangway doctor$/);
  expect(await (await ready()).json()).toEqual({ status: "not ready", fault: said });
  expect((await fetch(`${server.origin}/health/live`)).status).toBe(200);
  const refused = await fetch(door, { method: "POST", body: "{}" });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "30"]);
  const logged = server.lines.filter((line) => line.includes("database.incomplete")).map((line) => JSON.parse(line));
  expect(logged).toMatchObject([{ level: "error", fault: said, todo: expect.stringContaining("gangway doctor") }]);

  const before = await gangway(dataFolder, ["doctor", "--offline"]);
  expect([before.code, before.out]).toEqual([1, expect.stringMatching(/^fail {2}database: at least \d+ accepted/m)]);
  const decided = await gangway(dataFolder, ["doctor", "--offline", "--accept-loss"]);
  expect(decided.out).toMatch(/^The server goes on without what is lost: at least \d+ messages\./);
  await server.ready();
  const left = rowsOf(dataFolder, ["message"]).message ?? [];
  expect(left.length).toBeGreaterThan(0);
  expect(left.length).toBeLessThan(SAID);
  expect((await gangway(dataFolder, ["audit", "list"])).out).toContain("loss accepted");
  const later = await gangway(dataFolder, ["doctor", "--offline", "--accept-loss"]);
  expect(later.out).toMatch(/^No accepted message is missing/);

  // From now on it is as any other.
  const again = await enterShop(door);
  await again.say({ text: "still here" });
  again.leave();
  await server.kill("SIGKILL");
  await server.start();
  expect(rowsOf(dataFolder, ["message"]).message?.length).toBe(left.length + 1);
});
