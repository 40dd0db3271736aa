import { readFileSync } from "node:fs";
import { mediaTypeOf, sniff } from "gangway-messenger/kit/emulator/sniff";
import { describe, expect, it } from "vitest";
import { measuresOf } from "../../src/gateway/measures.ts";

const sample = (name: string) => readFileSync(new URL(`../samples/${name}`, import.meta.url));

/** Silence at 8,000 bytes a second, after a chunk of odd length. */
function wav(seconds: number): Buffer {
  const b = Buffer.alloc(12 + 24 + 12 + 8 + seconds * 8_000);
  b.write("RIFF", 0, "latin1");
  b.write("WAVEfmt ", 8, "latin1");
  b.writeUInt32LE(16, 16);
  b.writeUInt32LE(8_000, 28);
  b.write("LIST", 36, "latin1");
  b.writeUInt32LE(3, 40);
  b.write("data", 48, "latin1");
  b.writeUInt32LE(seconds * 8_000, 52);
  return b;
}

describe("a file's bytes", () => {
  it.each([
    ["picture.png", "image/png", { width: 36, height: 20 }],
    ["picture.jpg", "image/jpeg", { width: 36, height: 20 }],
    ["picture.gif", "image/gif", { width: 36, height: 20 }],
    ["picture.bmp", "image/bmp", { width: 36, height: 20 }],
    ["lossy.webp", "image/webp", { width: 36, height: 20 }],
    ["lossless.webp", "image/webp", { width: 36, height: 20 }],
    ["alpha.webp", "image/webp", { width: 37, height: 21 }],
    ["voice.ogg", "audio/ogg", { duration: 3 }],
    ["vorbis.ogg", "audio/ogg", { duration: 3 }],
    ["cbr.mp3", "audio/mpeg", { duration: 3 }],
    ["vbr.mp3", "audio/mpeg", { duration: 3 }],
    ["sound.m4a", "audio/mp4", { duration: 3 }],
    ["film.mp4", "video/mp4", { duration: 2 }],
  ])("tell that %s is %s, and how large or long it is", (name, mediaType, measures) => {
    expect([sniff(sample(name)), measuresOf(sample(name))]).toEqual([mediaType, measures]);
  });

  it("tell a sound's length past other chunks", () => {
    expect([sniff(wav(5)), measuresOf(wav(5))]).toEqual(["audio/wav", { duration: 5 }]);
  });

  it.each([
    ["<?xml version='1.0'?>\n<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml"],
    ['{"a":1}', "application/json"],
    ["{not json", "text/plain"],
    ["Привет", "text/plain"],
    ["%PDF-1.7", "application/pdf"],
    ["\u0001\u0002\u0003", "application/octet-stream"],
    ["", "application/octet-stream"],
  ])("%j are %s", (text, mediaType) => {
    expect(sniff(Buffer.from(text))).toBe(mediaType);
  });

  it("truncated anywhere fail nothing and tell no more than they hold", () => {
    for (const name of ["picture.png", "picture.jpg", "alpha.webp", "voice.ogg", "vbr.mp3", "sound.m4a", "film.mp4"])
      for (let length = 0; length < 120; length++) {
        const { width, duration } = measuresOf(sample(name).subarray(0, length));
        expect([undefined, 36, 37]).toContain(width);
        expect([undefined, 1, 2, 3]).toContain(duration);
      }
  });
});

describe("a declared type", () => {
  it("counts unless it is vague; then the bytes decide", () => {
    const png = sample("picture.png");
    expect(mediaTypeOf(png, "text/csv; charset=utf-8")).toBe("text/csv; charset=utf-8");
    for (const vague of [undefined, "", "application/octet-stream", "application/json; charset=utf-8"])
      expect(mediaTypeOf(png, vague)).toBe("image/png");
  });
});
