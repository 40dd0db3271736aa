import { get } from "node:http";
import { freePort, SANDBOX_KEY, serveSandbox } from "gangway-sandbox";
import { startServer } from "gangway-sandbox/demo/server";
import { addWebChat, connectThroughForm } from "gangway-sandbox/demo/set-up";
import { until } from "gangway-sandbox/demo/waiting";
import { type Browser, chromium } from "playwright-core";
import { installedChromium } from "../../chromium.ts";
import { addFailed } from "../backlog.ts";
import { type Figure, figureOf } from "../rounds.ts";
import { freshFolder } from "../stage.ts";
import { bounded, type Measure, type Row, type Scale } from "./figure.ts";

const LOADS: Record<Scale, number> = { quick: 10, usual: 40, long: 200 };
const CHANNELS = 50;
const FAILURES = 5_000;
const CHATS = 20;
/** Of the account, beside a channel's. */
const PATHS = ["", "/undelivered", "/add/telegram", "/disconnect"];
/** Who has an open account is sent on from here. */
const START = "/";
/** What every page comes with the first time. */
const ASSETS = ["/style.css", "/forms.js", "/icons.svg", "/logo.svg"];
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

/** The account's first channel. */
async function channelPage(origin: string, { home, cookie }: { home: string; cookie: string }): Promise<string> {
  const page = await (await fetch(origin + home, { headers: { cookie } })).text();
  const id = / data-channel="([\w-]+)"/.exec(page)?.[1];
  if (!id) throw new Error("no channel on the account's page");
  return `${home}/channels/${id}`;
}

/**
 * From the request to the first paint of content, ms, in a new window: of `url` with an empty cache, then of the bare page, then of `url`
 * again, whose style and script the browser has by now. A first page starts the window's process: no figure contains that.
 */
async function paints(browser: Browser, bare: string, url: string, cookie: string): Promise<Paints> {
  const context = await browser.newContext({ extraHTTPHeaders: { cookie } });
  const page = await context.newPage();
  const paint = async (address: string) => {
    await page.goto(address);
    let ms: number | null = null;
    await until("the first paint of content", async () => {
      ms = await page.evaluate<number | null>(
        "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null",
      );
      return ms !== null;
    });
    return ms ?? Number.NaN;
  };
  await paint(bare);
  const [firstMs, bareMs, ms] = [await paint(url), await paint(bare), await paint(url)];
  await context.close();
  return { firstMs, bareMs, ms };
}
interface Paints {
  firstMs: number;
  bareMs: number;
  ms: number;
}

/** The pages of an account with fifty messengers and thousands of undelivered messages. */
export const pages: Measure = async (scale) => {
  const crm = await serveSandbox({ port: 0 });
  const folder = freshFolder();
  const env = { PATH: process.env.PATH ?? "", LOG_LEVEL: "error" };
  const server = await startServer({ port: await freePort(0), dataFolder: folder, env });
  const browser = await chromium.launch({
    executablePath: installedChromium(),
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  try {
    const visit = await connectThroughForm(server.origin, crm.origin, SANDBOX_KEY);
    for (let n = 0; n < CHANNELS; n++) await addWebChat(visit);
    await server.kill("SIGTERM");
    addFailed(folder, FAILURES, CHATS);
    await server.start();
    const each: PageFigures[] = [];
    const paths = [START, ...PATHS.map((each) => visit.home + each), await channelPage(server.origin, visit)];
    for (const path of paths)
      each.push(await measured(browser, server.origin, path, path === START ? "" : visit.cookie, LOADS[scale]));
    return rowsOf(each);
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
  firstMs: Figure;
  bareMs: Figure;
}

async function measured(browser: Browser, origin: string, path: string, cookie: string, times: number) {
  const url = origin + path;
  await load(url, cookie);
  await paints(browser, origin + PLAIN, url, cookie);
  const assets = await Promise.all(ASSETS.map((each) => load(origin + each, cookie)));
  const beside = assets.reduce((sum, { bytes }) => sum + bytes, 0);
  const loads: Awaited<ReturnType<typeof load>>[] = [];
  const painted: Paints[] = [];
  for (let n = 0; n < times; n++) loads.push(await load(url, cookie));
  for (let n = 0; n < times / 2; n++) painted.push(await paints(browser, origin + PLAIN, url, cookie));
  const [kib, ms] = [loads.map(({ bytes }) => (bytes + beside) / 1024), loads.map((each) => each.ms)].map(figureOf) as [
    Figure,
    Figure,
  ];
  return {
    ...{ path, kib, ms },
    paintMs: figureOf(painted.map((each) => each.ms)),
    bareMs: figureOf(painted.map((each) => each.bareMs)),
    firstMs: figureOf(painted.map((each) => each.firstMs)),
  };
}

/** The worst of the pages. */
function rowsOf(pages: PageFigures[]): Row[] {
  const worst = (of: Exclude<keyof PageFigures, "path">) => {
    const [most] = pages.toSorted((a, b) => b[of].value - a[of].value);
    if (!most) throw new Error("no pages");
    const detail = Object.fromEntries(pages.map((each) => [each.path, each[of].value]));
    return { figure: most[of], detail };
  };
  const slowest = pages.toSorted((a, b) => b.paintMs.value - a.paintMs.value)[0];
  const besideIt = (of: "firstMs" | "bareMs") => ({
    figure: slowest?.[of] ?? worst(of).figure,
    detail: worst(of).detail,
    unit: " ms",
  });
  const of = `of an account with ${CHANNELS} messengers and ${FAILURES.toLocaleString("en")} undelivered messages`;
  return [
    bounded({
      name: "page-weight",
      what: `largest page ${of}, with style, script and icons, over the wire`,
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
      what: `slowest page ${of}, first contentful paint`,
      ...worst("paintMs"),
      unit: " ms",
      atMost: 100,
    }),
    {
      name: "page-paint-plain",
      what: "of it, the browser's own: first contentful paint of a page of two letters, just before in the same window",
      ...besideIt("bareMs"),
    },
    {
      name: "page-paint-first",
      what: "the same page's first contentful paint before the browser has its style",
      ...besideIt("firstMs"),
    },
  ];
}
