import { describe, expect, it } from "vitest";
import webchat from "../../src/index.ts";
import type { Settings } from "../../src/wire.ts";

const parse = (value: object) => webchat.settings.parse(value) as Settings;
const faultOf = (value: object) => webchat.settings.safeParse(value).error?.issues[0];

describe("the settings of a web chat", () => {
  it("need nothing from the shop, and make a key of their own", () => {
    const [one, other] = [parse({}), parse({})];
    expect(one).toMatchObject({ title: "Chat with us", allowedOrigins: [] });
    expect(one.visitorKey.length).toBeGreaterThanOrEqual(32);
    expect(one.visitorKey).not.toBe(other.visitorKey);
  });

  it("keep the key of a stored row", () => {
    expect(parse(JSON.parse(JSON.stringify(parse({ visitorKey: "k".repeat(43) })))).visitorKey).toBe("k".repeat(43));
  });

  it.each([
    ["https://Shop.example/", "https://shop.example"],
    [" https://shop.example:443 ", "https://shop.example"],
    ["https://shop.example:8443", "https://shop.example:8443"],
    ["http://localhost:3000", "http://localhost:3000"],
    ["https://магазин.рф", "https://xn--80aairftm.xn--p1ai"],
  ])("read the site %s as a browser names it", (typed, origin) => {
    expect(parse({ allowedOrigins: [typed] }).allowedOrigins).toEqual([origin]);
  });

  it.each([
    "shop.example",
    "https://shop.example/path",
    "ftp://shop.example",
    "https://*.example?x",
    "javascript:1",
    "",
  ])("refuse the site %j and say what is expected", (typed) => {
    const fault = faultOf({ allowedOrigins: [typed] });
    expect(fault?.path).toEqual(["allowedOrigins", 0]);
    expect(fault?.message).toContain("https://shop.example.com");
  });

  it("say what is wrong with a colour, a title and a greeting", () => {
    expect(faultOf({ accent: "red" })?.message).toContain("#0f5f6b");
    expect(faultOf({ title: "  " })?.message).toContain("title");
    expect(faultOf({ greeting: "x".repeat(501) })?.message).toContain("500");
  });
});

describe("the definition of the web chat", () => {
  it("allows large bodies only for uploads", () => {
    expect(webchat.bodyLimit("messages")).toBe(64 * 1024);
    expect(webchat.bodyLimit("filesystem")).toBe(64 * 1024);
    expect(webchat.bodyLimit("files")).toBeGreaterThan(20 * 1024 * 1024);
  });

  it("gives the HTML for the shop's site", () => {
    expect(webchat.snippet?.html("https://gw.example", "d-1")).toBe(
      '<script src="https://gw.example/channels/webchat/widget.js" data-channel="d-1" async></script>',
    );
  });
});
