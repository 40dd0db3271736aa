import { get } from "node:http";
import { freePort, SANDBOX_KEY, serveSandbox } from "gangway-sandbox";
import { type Browser, chromium } from "playwright-core";
import { startServer } from "../../demo/server.ts";
import { addWebChat, connectThroughForm } from "../../demo/set-up.ts";
import { until } from "../../waiting.ts";
import { addFailed } from "../backlog.ts";
import { type Figure, figureOf } from "../rounds.ts";
import { freshFolder } from "../stage.ts";
import { bounded, type Measure, type Row, type Scale } from "./figure.ts";

const LOADS: Record<Scale, number> = { quick: 10, usual: 40, long: 200 };
const CHANNELS = 50;
const FAILURES = 5_000;
const CHATS = 20;
const CHROMIUM = "/usr/bin/chromium";
/** Of the account. */
const PATHS = ["", "/undelivered", "/add/telegram", "/disconnect"];
/** A page without markup or style, to compare with. */
const PLAIN = "/health/live";

/** Bytes over the wire, compressed, and time until the last one, ms. */
function load(url: string, cookie: string): Promise<{ bytes: number; ms: number }> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    get(url, { headers: { cookie, "accept-encoding": "br" } }, (response) => {
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on("end", () =>
        response.statusCode === 200
          ? resolve({ bytes, ms: performance.now() - began })
          : reject(new Error(`${url}: ${response.statusCode}`)),
      );
    }).on("error", reject);
  });
}

/** From the request to the first paint, ms, with an empty cache. */
async function paint(browser: Browser, url: string, cookie: string): Promise<number> {
  const context = await browser.newContext({ extraHTTPHeaders: { cookie } });
  const page = await context.newPage();
  await page.goto(url);
  let ms: number | null = null;
  await until("the first paint", async () => {
    ms = await page.evaluate<number | null>("performance.getEntriesByName('first-paint')[0]?.startTime ?? null");
    return ms !== null;
  });
  await context.close();
  return ms ?? Number.NaN;
}

/** The pages of an account with fifty messengers and thousands of undelivered messages. */
export const pages: Measure = async (scale) => {
  const crm = await serveSandbox({ port: 0 });
  const folder = freshFolder();
  const env = { PATH: process.env.PATH ?? "", LOG_LEVEL: "error" };
  const server = await startServer({ port: await freePort(0), dataFolder: folder, env });
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  try {
    const visit = await connectThroughForm(server.origin, crm.origin, SANDBOX_KEY);
    for (let n = 0; n < CHANNELS; n++) await addWebChat(visit);
    await server.kill("SIGTERM");
    addFailed(folder, FAILURES, CHATS);
    await server.start();
    const each: PageFigures[] = [];
    for (const path of ["/", ...PATHS.map((each) => visit.home + each)])
      each.push(await measured(browser, server.origin, path, visit.cookie, LOADS[scale]));
    const plain = await measured(browser, server.origin, PLAIN, visit.cookie, LOADS[scale]);
    return rowsOf(each, plain);
  } finally {
    await browser.close();
    await server.kill("SIGKILL");
    await crm.close();
  }
};

interface PageFigures {
  path: string;
  kib: Figure;
  ms: Figure;
  paintMs: Figure;
}

async function measured(browser: Browser, origin: string, path: string, cookie: string, times: number) {
  const url = origin + path;
  await load(url, cookie);
  await paint(browser, url, cookie);
  const loads: Awaited<ReturnType<typeof load>>[] = [];
  const paints: number[] = [];
  for (let n = 0; n < times; n++) loads.push(await load(url, cookie));
  for (let n = 0; n < times / 4; n++) paints.push(await paint(browser, url, cookie));
  const [kib, ms] = [loads.map(({ bytes }) => bytes / 1024), loads.map((each) => each.ms)].map(figureOf) as [
    Figure,
    Figure,
  ];
  return { path, kib, ms, paintMs: figureOf(paints) };
}

/** The worst of the pages. */
function rowsOf(pages: PageFigures[], plain: PageFigures): Row[] {
  const worst = (of: "kib" | "ms" | "paintMs") => {
    const [most] = pages.toSorted((a, b) => b[of].value - a[of].value);
    if (!most) throw new Error("no pages");
    const detail = Object.fromEntries(pages.map((each) => [each.path, each[of].value]));
    return { figure: most[of], detail };
  };
  const of = `of an account with ${CHANNELS} messengers and ${FAILURES.toLocaleString("en")} undelivered messages`;
  return [
    bounded({
      name: "page-weight",
      what: `largest page ${of}, over the wire`,
      ...worst("kib"),
      unit: " KiB",
      atMost: 50,
    }),
    bounded({
      name: "page-time",
      what: `slowest page ${of}, to its last byte`,
      ...worst("ms"),
      unit: " ms",
      atMost: 150,
    }),
    bounded({
      name: "page-paint",
      what: `slowest page ${of}, first paint`,
      ...worst("paintMs"),
      unit: " ms",
      atMost: 100,
    }),
    {
      name: "page-paint-plain",
      what: "first paint of two letters in this browser",
      figure: plain.paintMs,
      unit: " ms",
    },
  ];
}
