import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isIPv4, isIPv6 } from "node:net";

export interface Certificate {
  /** PEM. */
  key: string;
  cert: string;
}

const DAY_MS = 24 * 3_600_000;
/** One day back for slow clocks; 398 days in total is the most that browsers accept. */
const BEFORE_DAYS = 1;
const AFTER_DAYS = 397;

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  sequence: 0x30,
  set: 0x31,
};
const UTC_TIME = 0x17;
/** Tags within subjectAltName (RFC 5280). */
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;
const explicit = (n: number) => 0xa0 + n;

const OID = {
  ecdsaWithSha256: "2a8648ce3d040302",
  commonName: "550403",
  subjectKeyIdentifier: "551d0e",
  keyUsage: "551d0f",
  subjectAltName: "551d11",
  basicConstraints: "551d13",
  extKeyUsage: "551d25",
  serverAuth: "2b06010505070301",
};
const VERSION_3 = Buffer.of(2);
/** digitalSignature (bit 0) and keyCertSign (bit 5), as a bit string. */
const MAY_SIGN = Buffer.of(2, 0b1000_0100);

/** A self-signed certificate for these hosts. Safe to trust as a CA: its key never leaves this process. */
export function selfSigned(hosts: string[], now: number): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const spki = publicKey.export({ type: "spki", format: "der" });
  const name = der(
    TAG.sequence,
    der(TAG.set, der(TAG.sequence, oid("commonName"), der(TAG.utf8, Buffer.from("Gangway's sandbox")))),
  );
  const algorithm = der(TAG.sequence, oid("ecdsaWithSha256"));
  const days = [-BEFORE_DAYS, AFTER_DAYS].map((each) => der(UTC_TIME, timeOf(now + each * DAY_MS)));
  const signed = der(
    TAG.sequence,
    der(explicit(0), der(TAG.integer, VERSION_3)),
    der(TAG.integer, Buffer.concat([Buffer.of(1), randomBytes(15)])),
    algorithm,
    name,
    der(TAG.sequence, ...days),
    name,
    spki,
    der(explicit(3), der(TAG.sequence, ...extensions(hosts, spki))),
  );
  const signature = Buffer.concat([Buffer.of(0), sign("sha256", signed, privateKey)]);
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: pem(der(TAG.sequence, signed, algorithm, der(TAG.bits, signature))),
  };
}

function extensions(hosts: string[], spki: Buffer): Buffer[] {
  const critical = der(TAG.boolean, Buffer.of(0xff));
  const extension = (name: keyof typeof OID, value: Buffer, ...flags: Buffer[]) =>
    der(TAG.sequence, oid(name), ...flags, der(TAG.octets, value));
  return [
    extension("basicConstraints", der(TAG.sequence, critical), critical),
    extension("keyUsage", der(TAG.bits, MAY_SIGN), critical),
    extension("extKeyUsage", der(TAG.sequence, oid("serverAuth"))),
    extension("subjectAltName", der(TAG.sequence, ...hosts.map(alternativeName))),
    extension("subjectKeyIdentifier", der(TAG.octets, createHash("sha1").update(spki).digest())),
  ];
}

function alternativeName(host: string): Buffer {
  if (isIPv4(host)) return der(IP_ADDRESS, Buffer.from(host.split(".").map(Number)));
  return isIPv6(host) ? der(IP_ADDRESS, ipv6(host)) : der(DNS_NAME, Buffer.from(host, "latin1"));
}

/** 16 bytes; `::` fills up with zeros. */
function ipv6(host: string): Buffer {
  const [head = "", tail] = host.split("::");
  const groups = (part: string) => (part === "" ? [] : part.split(":")).map((group) => Number.parseInt(group, 16));
  const [before, after] = [groups(head), groups(tail ?? "")];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  const bytes = Buffer.alloc(16);
  for (const [n, group] of [...before, ...zeros, ...after].entries()) bytes.writeUInt16BE(group, n * 2);
  return bytes;
}

const oid = (name: keyof typeof OID): Buffer => der(TAG.oid, Buffer.from(OID[name], "hex"));

/** Tag, length, content. DER wants the shortest form; a length from 128 on is prefixed with its own size. */
function der(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.of(tag), lengthOf(body.length), body]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  return length < 0x100 ? Buffer.of(0x81, length) : Buffer.of(0x82, length >> 8, length & 0xff);
}

/** YYMMDDhhmmssZ. */
const timeOf = (ms: number): Buffer =>
  Buffer.from(`${new Date(ms).toISOString().slice(2, 19).replaceAll(/\D/g, "")}Z`, "latin1");

const pem = (bytes: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${bytes.toString("base64").replaceAll(/.{64}/g, "$&\n").trimEnd()}\n-----END CERTIFICATE-----\n`;
