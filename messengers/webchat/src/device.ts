/** Names in a browser's User-Agent; the first match counts. Many also name the browsers that they derive from. */
const BROWSERS: [string, RegExp][] = [
  ["Edge", /\bEdg(e|A|iOS)?\//],
  ["Opera", /\bOPR\//],
  ["Yandex Browser", /\bYaBrowser\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(Firefox|FxiOS)\//],
  ["Chrome", /(Chrome|CriOS)\//],
  ["Safari", /\bSafari\//],
];
const SYSTEMS: [string, RegExp][] = [
  ["Android", /\bAndroid\b/],
  ["iOS", /\b(iPhone|iPad|iPod)\b/],
  ["Windows", /\bWindows\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["macOS", /\bMac OS X\b/],
  ["Linux", /\bLinux\b/],
];

const named = (names: [string, RegExp][], agent: string) => names.find(([, sign]) => sign.test(agent))?.[0] ?? "";

/** Empty if unknown. */
export const deviceOf = (agent: string) => ({ browser: named(BROWSERS, agent), os: named(SYSTEMS, agent) });
