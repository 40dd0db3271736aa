import { createCipheriv } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createSealer } from "../../../src/store/secrets.ts";

const key = (byte: number) => Buffer.alloc(32, byte);
const address = { table: "account", row: "a", column: "api_key" };
const old = { keys: [{ id: "old", key: key(1) }] };

describe("the sealer", () => {
  it("opens a value at the address it was sealed for", () => {
    const sealer = createSealer(old);
    const sealed = sealer.seal("secret ключ", address);
    expect(sealed).not.toContain("secret");
    expect(sealer.open(sealed, address)).toBe("secret ключ");
  });

  it.each([
    ["table", { ...address, table: "channel" }],
    ["row", { ...address, row: "b" }],
    ["column", { ...address, column: "gateway_token" }],
  ])("refuses a value moved to another %s", (_, elsewhere) => {
    const sealer = createSealer(old);
    expect(() => sealer.open(sealer.seal("secret", address), elsewhere)).toThrow(/does not open/);
  });

  it("refuses a value with one bit changed", () => {
    const sealer = createSealer(old);
    const parts = sealer.seal("secret", address).split(".");
    const bytes = Buffer.from(parts[3] ?? "", "base64url");
    bytes[0] = (bytes[0] ?? 0) ^ 1;
    expect(() => sealer.open([...parts.slice(0, 3), bytes.toString("base64url")].join("."), address)).toThrow(
      /does not open/,
    );
  });

  it("refuses an authentication tag cut to four bytes", () => {
    const iv = Buffer.alloc(12, 3);
    const cipher = createCipheriv("aes-256-gcm", key(1), iv, { authTagLength: 4 });
    cipher.setAAD(Buffer.from(JSON.stringify([address.table, address.row, address.column])));
    const bytes = Buffer.concat([cipher.update("secret"), cipher.final(), cipher.getAuthTag()]);
    const forged = `v1.old.${iv.toString("base64url")}.${bytes.toString("base64url")}`;
    expect(() => createSealer(old).open(forged, address)).toThrow();
  });

  it("seals with the first key and opens with all", () => {
    const before = createSealer(old).seal("secret", address);
    const rotated = createSealer({ keys: [{ id: "new", key: key(2) }, ...old.keys] });
    expect(rotated.open(before, address)).toBe("secret");
    expect(rotated.seal("secret", address)).toMatch(/^v1\.new\./);
    expect(() => createSealer({ keys: [{ id: "new", key: key(2) }] }).open(before, address)).toThrow(/key "old"/);
  });
});
