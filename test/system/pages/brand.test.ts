import { describe, expect, it } from "vitest";
import { brandColors, contrast } from "../../../src/pages/brand-colors.ts";
import { runningSite } from "../../support/site.ts";

const COLORS = ["#0f5f6b", "#ffe600", "#ffffff", "#000000", "#7f7f7f", "#ff0000", "#2aabee", "#25d366"];
/** The paper of each scheme, as in `tokens.css`. */
const [LIGHT, DARK] = ["#ffffff", "#131c1f"];

/** The colour and what stands on it, in the light and in the dark scheme. */
function schemesOf(color: string) {
  const of = (name: string) =>
    new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(brandColors(color)) ?? expect.fail(name);
  const [brands, inks] = [of("brand"), of("on-brand")];
  const scheme = (n: 1 | 2) => ({ brand: brands[n] ?? "", ink: inks[n] ?? "" });
  return [scheme(1), scheme(2)] as const;
}

describe("the vendor's colour", () => {
  it.each(COLORS)("can be read on both schemes, and what stands on it, too: %s", (color) => {
    const [light, dark] = schemesOf(color);
    expect(contrast(light.brand, LIGHT)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(dark.brand, DARK)).toBeGreaterThanOrEqual(4.5);
    for (const { brand, ink } of [light, dark]) expect(contrast(brand, ink)).toBeGreaterThanOrEqual(4.5);
  });

  it("stays as it is where it can be read", () => {
    expect(schemesOf("#0f5f6b")[0]).toEqual({ brand: "#0f5f6b", ink: "#ffffff" });
    expect(schemesOf("#ffe600")[1]).toEqual({ brand: "#ffe600", ink: "#06171a" });
  });
});

describe("the vendor's logo and links", () => {
  const brand = {
    ...{ color: "#a02060", logoUrl: "https://cdn.vendor.example/logo.svg" },
    ...{ supportUrl: "mailto:help@vendor.example", privacyUrl: "https://vendor.example/privacy" },
  };

  it("are on every page, and only the logo's site may be loaded from", async () => {
    const site = await runningSite({ brand });
    for (const path of ["/", "/account", "/no-such-page"]) {
      const answer = await site.ask(path, { headers: { accept: "text/html" } });
      const page = await answer.text();
      expect(page).toContain('<img src="https://cdn.vendor.example/logo.svg" alt=""');
      expect(page).toContain('<a href="mailto:help@vendor.example">Help</a>');
      expect(page).toContain('<a href="https://vendor.example/privacy">Privacy</a>');
      const policy = answer.headers.get("content-security-policy");
      expect(policy).toContain("img-src 'self' data: https://cdn.vendor.example;");
      expect(policy?.match(/vendor/g)).toHaveLength(1);
    }
    expect(await (await site.ask("/style.css")).text()).toContain("--brand: light-dark(#a02060,");
  });

  it("are absent without settings", async () => {
    const site = await runningSite();
    const answer = await site.ask("/");
    expect(await answer.text()).not.toContain("<nav");
    expect(answer.headers.get("content-security-policy")).toContain("img-src 'self' data:;");
  });
});
