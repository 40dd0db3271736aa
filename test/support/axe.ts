import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";

/** What axe finds wrong, of any weight, WCAG 2.2 AA and good practice: the rule and the element. */
export async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, { runOnly: ${JSON.stringify(tags)} })`);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** How far the page is wider than its window, px. */
export const wide = (page: Page) =>
  page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
