import { describe, expect, it } from "vitest";
import { readAddress } from "../../../../src/module/connecting/address.ts";

const rules = { hosts: ["*.retailcrm.ru", "crm.own.example"], sandbox: false };

describe("the address of a CRM account", () => {
  it.each([
    ["https://shop.retailcrm.ru", "https://shop.retailcrm.ru"],
    ["  https://Shop.RetailCRM.ru///  ", "https://shop.retailcrm.ru"],
    ["shop.retailcrm.ru", "https://shop.retailcrm.ru"],
    ["https://shop.retailcrm.ru:443/", "https://shop.retailcrm.ru"],
    ["https://crm.own.example", "https://crm.own.example"],
    ["https://shop.retailcrm.ru/admin/settings", "https://shop.retailcrm.ru"],
    ["shop.retailcrm.ru/orders/?a=1#b", "https://shop.retailcrm.ru"],
    ["https://shop.retailcrm.ru/a@evil.example", "https://shop.retailcrm.ru"],
    ["https://shop.retailcrm.ru\\@evil.example", "https://shop.retailcrm.ru"],
    ["https://shop.retailcrm.ru/https://evil.example", "https://shop.retailcrm.ru"],
  ])("is cleaned: %j", (typed, origin) => {
    expect(readAddress(typed, rules)).toEqual({ ok: true, origin });
  });

  it.each([
    "",
    " ",
    "http://shop.retailcrm.ru",
    "ftp://shop.retailcrm.ru",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "https://shop.retailcrm.ru:8443",
    "https://user@shop.retailcrm.ru",
    "https://user:pass@shop.retailcrm.ru",
    "https://",
    "http://127.0.0.1:7001",
    `https://${"a".repeat(300)}.retailcrm.ru`,
  ])("is valid: %j is not", (typed) => {
    expect(readAddress(typed, rules)).toEqual({ ok: false, fault: "address-form" });
  });

  it.each([
    "https://retailcrm.ru",
    "https://a.b.retailcrm.ru",
    "https://.retailcrm.ru",
    "https://shop.retailcrm.ru.",
    "https://shop.retailcrm.ru.evil.example",
    "https://evil-retailcrm.ru",
    "https://sub.crm.own.example",
    "https://evil.example\\@shop.retailcrm.ru",
    "https://evil.example/shop.retailcrm.ru",
    "https://evil.example#.retailcrm.ru",
    "evil.example?.retailcrm.ru",
    "https://shop.retailcrm.ru@evil.example/shop.retailcrm.ru",
    "https://127.0.0.1",
    "https://2130706433",
    "https://0x7f.1",
    "https://[::1]",
    "https://[::ffff:127.0.0.1]",
    "https://169.254.169.254",
    "https://localhost",
    "https://shop.rеtailcrm.ru",
    "https://*.retailcrm.ru",
    "https://evil.example;x.retailcrm.ru",
    "https://a;x.retailcrm.ru",
    "https://a%3bx.retailcrm.ru",
    "https://'none'.retailcrm.ru",
  ])("is at an allowed host: %j is not", (typed) => {
    expect(readAddress(typed, rules).ok).toBe(false);
  });

  it("may be this machine in the sandbox, and even there is only an origin", () => {
    const sandbox = { ...rules, sandbox: true };
    for (const typed of ["http://127.0.0.1:7001", "http://localhost:1/", "https://127.0.0.1:2", "http://[::1]:3"])
      expect(readAddress(typed, sandbox)).toEqual({ ok: true, origin: typed.replace(/\/$/, "") });
    expect(readAddress("http://127.0.0.1:1/x", sandbox)).toEqual({ ok: true, origin: "http://127.0.0.1:1" });
    for (const typed of ["http://10.0.0.1", "http://a@127.0.0.1", "http://shop.retailcrm.ru"])
      expect(readAddress(typed, sandbox).ok, typed).toBe(false);
  });
});
