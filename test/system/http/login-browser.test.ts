import { expect, it } from "vitest";
import { strings } from "../../../src/pages/i18n/strings.ts";
import { faultsOf } from "../../support/axe.ts";
import { startBrowser, takePicture } from "../../support/browser.ts";
import { berth } from "../../support/ferry-site.ts";
import { listening } from "../../support/listening.ts";
import { LONG } from "../../support/long.ts";
import { CRM } from "../../support/site.ts";
import { FERRY_APP, ferry, ferryLine } from "../contract/toy/ferry.ts";
import { servedSite } from "./served.ts";

const words = strings.en.logins;

/** The messenger's own page, at another site than the server's: it asks, and sends back. */
const dialogAt = async () => {
  const at = await listening((request, response) => {
    const query = new URL(request.url ?? "", "http://localhost").searchParams;
    const back = new URL(query.get("redirect") ?? "http://localhost/favicon.ico");
    const state = query.get("state") ?? "";
    const link = (more: Record<string, string>, label: string) => {
      back.search = String(new URLSearchParams({ state, ...more }));
      return `<a href="${back.href.replaceAll("&", "&amp;")}">${label}</a>`;
    };
    response
      .setHeader("content-type", "text/html")
      .end(
        `${link({ code: `code-${"c".repeat(20)}-${state}` }, "Allow")} ${link({ error: "access_denied" }, "Cancel")}`,
      );
  });
  return `${at.replace("127.0.0.1", "localhost")}/login`;
};

it.each(LONG ? [true, false] : [false])(
  "a person logs in at the messenger and comes back, in a browser; with scripts: %s",
  async (javaScriptEnabled) => {
    const { line, call } = ferryLine();
    line.berths = [berth("north", "+1 555 0100"), berth("south")];
    const messengers = { ferry: { ...FERRY_APP, dialog: await dialogAt() } };
    const { origin } = await servedSite([ferry], undefined, false, { messengers, call });
    const viewport = { width: 320, height: 740 };
    const page = await (await (await startBrowser()).newContext({ javaScriptEnabled, viewport })).newPage();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(origin);
    await page.getByLabel(strings.en.connect.crmUrl).fill(CRM);
    await page.getByLabel(strings.en.connect.apiKey).fill("sandbox-key");
    await page.getByRole("button", { name: strings.en.connect.submit }).click();
    await page.getByRole("link", { name: "Ferry" }).click();
    await page.getByRole("link", { name: words.with({ title: "Ferry" }) }).click();
    await page.getByRole("link", { name: "Cancel" }).click();
    await page.getByText(words.faults.cancelled).waitFor();
    await page.getByRole("link", { name: words.again({ title: "Ferry" }) }).click();
    await page.getByRole("link", { name: "Allow" }).click();
    await page.getByRole("checkbox", { name: "Quay north" }).check();
    await page.getByRole("checkbox", { name: "Quay south" }).check();
    expect(page.url()).toMatch(/\/add\/ferry\/choose$/);
    if (javaScriptEnabled) expect(await faultsOf(page)).toEqual([]);
    await takePicture(page, "login-choices", { fullPage: true });
    await page.getByRole("button", { name: words.connect }).click();
    await page.getByText(strings.en.done.added).nth(1).waitFor();
    await takePicture(page, "login-connected", { fullPage: true });
    // The way back, once more: nothing is asked twice, and nothing breaks.
    await page.goBack();
    await page.reload();
    expect(line.codes).toHaveLength(1);
    const hosts = new Set(asked.map((url) => new URL(url).host));
    expect([...hosts].sort()).toEqual([new URL(origin).host, new URL(messengers.ferry.dialog).host].sort());
  },
);
