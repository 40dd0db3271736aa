import { expect, it } from "vitest";
import { databaseWithTables } from "../../support/postgres.ts";
import { doorTo } from "../../support/postgres-door.ts";
import { OWN, runningSite } from "../../support/site.ts";
import { until } from "../../support/until.ts";

const AWAY = {
  en: "The server is not ready",
  es: "El servidor no está listo",
  ru: "Сервер пока не готов",
};

it("while PostgreSQL is away pages answer 503 in words, metrics show it, and all is there once it is back", async () => {
  const door = await doorTo(await databaseWithTables());
  const site = await runningSite({ databaseUrl: door.url, metrics: { host: "127.0.0.1", port: 9464 } });
  const cookie = await site.connect();
  const look = (language = "en") =>
    site.ask("/account", { headers: { cookie, accept: "text/html", "accept-language": language } });
  const metric = async (path: string) => site.app.metrics?.(new Request(OWN + path));
  expect((await look()).status).toBe(200);
  const open = await door.shut();
  for (const [language, title] of Object.entries(AWAY)) {
    const shown = await look(language);
    expect([shown.status, shown.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await shown.text()).toContain(title);
  }
  const changed = await site.submit("/account/disconnect", { formToken: "any" }, { cookie });
  expect([changed.status, await changed.text()]).toEqual([503, AWAY.en]);
  expect(await (await metric("/metrics"))?.text()).toContain("\ngangway_database_up 0\n");
  expect((await metric("/ledger"))?.status).toBe(503);
  const events = () => site.lines.map((line) => JSON.parse(line).event).filter((event) => /^database\./.test(event));
  expect(events()).toEqual(["database.connection-lost"]);
  await open();
  await until("the page", async () => (await look()).status === 200);
  expect(await (await metric("/metrics"))?.text()).toContain("\ngangway_database_up 1\n");
  await until("the log", () => String(events()) === "database.connection-lost,database.connected");
});
