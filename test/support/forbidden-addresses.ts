import { type AddressInfo, createServer } from "node:net";
import { onTestFinished } from "vitest";

/** Addresses in this server's own network, in many spellings; PORT is the tripwire's. */
export const FORBIDDEN = [
  "http://127.0.0.1:PORT/",
  "https://127.0.0.1:PORT/",
  "https://127.0.0.1/",
  "https://localhost:PORT/",
  "https://2130706433/",
  "https://0x7f000001/",
  "https://0x7f.0.0.1/",
  "https://0177.0.0.1/",
  "https://127.1/",
  "https://0/",
  "https://0.0.0.0/",
  "https://127.0.0.1./",
  "https://[::1]/",
  "https://[::]/",
  "https://[::ffff:127.0.0.1]/",
  "https://[::ffff:7f00:1]/",
  "https://[0:0:0:0:0:ffff:127.0.0.1]/",
  "https://[::127.0.0.1]/",
  "https://[64:ff9b::7f00:1]/",
  "https://[64:ff9b:1::7f00:1]/",
  "https://[2002:7f00:1::]/",
  "https://[2001:0:7f00:1::]/",
  "https://[fe80::1]/",
  "https://[fc00::1]/",
  "https://[fd12:3456::1]/",
  "https://[ff02::1]/",
  "https://[fec0::1]/",
  "https://[::ffff:0:127.0.0.1]/",
  "https://[::ffff:0:a00:1]/",
  "https://[100:0:0:1::1]/",
  "https://[4000::1]/",
  "https://[2001:db8::1]/",
  "https://[3fff::1]/",
  "https://10.0.0.1/",
  "https://10.255.255.255/",
  "https://172.16.0.1/",
  "https://172.31.255.255/",
  "https://192.168.1.1/",
  "https://169.254.169.254/latest/meta-data/",
  "https://100.64.0.1/",
  "https://198.18.0.1/",
  "https://192.0.0.1/",
  "https://224.0.0.1/",
  "https://240.0.0.1/",
  "https://255.255.255.255/",
  "https://user@example.com/",
  "https://user:password@127.0.0.1/",
  "https://example.com:8443/",
  "http://example.com/",
  "ftp://example.com/",
  "file:///etc/passwd",
  "gopher://127.0.0.1:PORT/",
  "https://①②⑦.⓪.⓪.①/",
  "https://localhost./",
  "https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/",
  "https://metadata.google.internal/computeMetadata/v1/",
  "https://[::ffff:169.254.169.254]/",
  "https://[64:ff9b::a9fe:a9fe]/",
  "https://0251.0376.0251.0376/",
  "https://2852039166/",
  "https://shop.retailcrm.ru@127.0.0.1/",
  "https://127.0.0.1#@shop.retailcrm.ru/",
  "https://127.0.0.1\\@shop.retailcrm.ru/",
  "https://127.0.0.1:443@127.0.0.1:PORT/",
  "https://127.0.0.1.nip.example/",
  "not an address",
];

/** A server on this machine that must never get a connection. */
export async function openTripwire() {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

/** Resolves every name to this machine. */
export const resolveToLoopback = ((_: string, __: object, done: (error: null, found: object[]) => void) =>
  done(null, [{ address: "127.0.0.1", family: 4 }])) as never;
