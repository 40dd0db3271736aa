// A voice message without a microphone: Opus in Ogg (RFC 3533, RFC 7845).

const FRAMES_PER_SECOND = 50;
/** Samples of a 20 ms frame at 48 kHz. */
const FRAME = 960;
const SERIAL = 0x51554159;
/** 20 ms of silence. */
const SILENT = Uint8Array.of(0xfc, 0xff, 0xfe);
/** Most packets of a page: its table has 255 entries. */
const PAGE = 255;

export function silentOgg(seconds: number): Uint8Array {
  const count = Math.max(1, Math.round(seconds * FRAMES_PER_SECOND));
  const head = Buffer.concat([Buffer.from("OpusHead"), Buffer.from([1, 1, 0, 0, 0x80, 0xbb, 0, 0, 0, 0, 0])]);
  const tags = Buffer.concat([
    Buffer.from("OpusTags"),
    Buffer.from([4, 0, 0, 0]),
    Buffer.from("quay"),
    Buffer.alloc(4),
  ]);
  const pages = [page([head], 0, 2, 0), page([tags], 1, 0, 0)];
  for (let done = 0; done < count; ) {
    const packets = Array.from({ length: Math.min(PAGE, count - done) }, () => SILENT);
    done += packets.length;
    pages.push(page(packets, pages.length, done === count ? 4 : 0, done * FRAME));
  }
  return Uint8Array.from(Buffer.concat(pages));
}

/** `flags`: 2 begins the stream, 4 ends it. */
function page(packets: Uint8Array[], sequence: number, flags: number, position: number): Buffer {
  const header = Buffer.alloc(27);
  header.write("OggS");
  header.writeUInt8(flags, 5);
  header.writeBigUInt64LE(BigInt(position), 6);
  header.writeUInt32LE(SERIAL, 14);
  header.writeUInt32LE(sequence, 18);
  header.writeUInt8(packets.length, 26);
  const whole = Buffer.concat([header, Buffer.from(packets.map(({ length }) => length)), ...packets]);
  whole.writeUInt32LE(checksum(whole), 22);
  return whole;
}

function checksum(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) sum = sum & 0x80000000 ? (sum << 1) ^ 0x04c11db7 : sum << 1;
  }
  return sum >>> 0;
}
