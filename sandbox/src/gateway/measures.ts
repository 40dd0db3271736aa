import { sniff } from "gangway-messenger/kit/emulator/sniff";

export interface Measures {
  width?: number;
  height?: number;
  /** Whole seconds, as in the contract. */
  duration?: number;
}
type Size = Required<Pick<Measures, "width" | "height">>;

/** A picture's size or a recording's duration; empty for truncated or unknown bytes. */
export function measuresOf(bytes: Uint8Array): Measures {
  const measure = MEASURES[sniff(bytes)];
  try {
    return measure?.(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)) ?? {};
  } catch (error) {
    // Truncated.
    if (error instanceof RangeError) return {};
    throw error;
  }
}

const lasting = (seconds: number | undefined): Measures | undefined =>
  seconds && Number.isFinite(seconds) ? { duration: Math.max(1, Math.round(seconds)) } : undefined;

const MEASURES: Record<string, (b: Buffer) => Measures | undefined> = {
  "image/png": (b) => ({ width: b.readUInt32BE(16), height: b.readUInt32BE(20) }),
  "image/gif": (b) => ({ width: b.readUInt16LE(6), height: b.readUInt16LE(8) }),
  "image/bmp": (b) => ({ width: b.readUInt32LE(18), height: Math.abs(b.readInt32LE(22)) }),
  "image/jpeg": jpegSize,
  "image/webp": webpSize,
  "audio/wav": (b) => lasting(wavSeconds(b)),
  "audio/ogg": (b) => lasting(oggSeconds(b)),
  "audio/mpeg": (b) => lasting(mp3Seconds(b)),
  "audio/mp4": (b) => lasting(mp4Seconds(b)),
  "video/mp4": (b) => lasting(mp4Seconds(b)),
  "video/quicktime": (b) => lasting(mp4Seconds(b)),
};

/** Start-of-frame markers are C0 to CF, except tables (C4), extensions (C8) and conditioning (CC). */
function jpegSize(b: Buffer): Size | undefined {
  for (let at = 2; b[at] === 0xff; at += 2 + b.readUInt16BE(at + 2)) {
    const marker = b.readUInt8(at + 1);
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return { width: b.readUInt16BE(at + 7), height: b.readUInt16BE(at + 5) };
  }
  return undefined;
}

/** Lossy, lossless and extended files store it differently. */
function webpSize(b: Buffer): Size | undefined {
  const kind = b.toString("latin1", 12, 16);
  if (kind === "VP8X") return { width: b.readUIntLE(24, 3) + 1, height: b.readUIntLE(27, 3) + 1 };
  if (kind === "VP8 ") return { width: b.readUInt16LE(26) & 0x3fff, height: b.readUInt16LE(28) & 0x3fff };
  if (kind !== "VP8L") return undefined;
  const bits = b.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

function wavSeconds(b: Buffer): number | undefined {
  let perSecond = 0;
  for (let at = 12; at + 8 <= b.length; at += 8 + b.readUInt32LE(at + 4) + (b.readUInt32LE(at + 4) % 2)) {
    const name = b.toString("latin1", at, at + 4);
    if (name === "fmt ") perSecond = b.readUInt32LE(at + 16);
    if (name === "data") return Math.min(b.readUInt32LE(at + 4), b.length - at - 8) / perSecond;
  }
  return undefined;
}

/** Opus counts 48,000 samples a second, whatever the recording's rate. */
const OPUS_RATE = 48_000;

/** The last page holds the sample count. */
function oggSeconds(b: Buffer): number | undefined {
  const opus = b.indexOf("OpusHead");
  const vorbis = b.indexOf("\x01vorbis", 0, "latin1");
  const rate = opus > 0 ? OPUS_RATE : vorbis > 0 ? b.readUInt32LE(vorbis + 12) : 0;
  const skipped = opus > 0 ? b.readUInt16LE(opus + 10) : 0;
  return (Number(b.readBigUInt64LE(b.lastIndexOf("OggS") + 6)) - skipped) / rate;
}

const MP3_KBITS = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const MP3_KBITS_LOW = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const MP3_RATES = [44_100, 48_000, 32_000];

/** From the first frame's frame count (Xing, Info), else from its bit rate. */
function mp3Seconds(b: Buffer): number | undefined {
  // ID3 lengths are 7 bits a byte.
  const tag =
    b.toString("latin1", 0, 3) === "ID3" ? [6, 7, 8, 9].reduce((n, at) => n * 128 + b.readUInt8(at), 0) + 10 : 0;
  const frame = b.readUInt32BE(tag);
  if (frame >>> 21 !== 0x7ff) return undefined;
  // 3: MPEG 1; 2: MPEG 2 (half the rate); 0: MPEG 2.5 (a quarter).
  const version = (frame >>> 19) & 3;
  const full = version === 3;
  const rate = (MP3_RATES[(frame >>> 10) & 3] ?? 0) / (full ? 1 : version === 2 ? 2 : 4);
  const info = Math.max(b.indexOf("Xing", tag), b.indexOf("Info", tag));
  if (info > 0 && info < tag + 64 && b.readUInt32BE(info + 4) & 1)
    return (b.readUInt32BE(info + 8) * (full ? 1152 : 576)) / rate;
  const kbits = (full ? MP3_KBITS : MP3_KBITS_LOW)[(frame >>> 12) & 15] ?? 0;
  return (b.length - tag) / (kbits * 125);
}

/** `mvhd` holds the time scale; version 1 has wider fields. */
function mp4Seconds(b: Buffer): number | undefined {
  const at = b.indexOf("mvhd") + 4;
  if (at < 8) return undefined;
  const long = b.readUInt8(at) === 1;
  const scale = b.readUInt32BE(at + (long ? 20 : 12));
  return (long ? Number(b.readBigUInt64BE(at + 24)) : b.readUInt32BE(at + 16)) / scale;
}
