import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { join } from "node:path";
import { connectThroughForm } from "gangway-sandbox/demo/set-up";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { parseAllDocuments } from "yaml";
import { freePort } from "../../sandbox/src/ports.ts";
import { ROOT } from "../../tools/root.ts";
import { debianProgram } from "../support/debian.ts";
import { runningPair } from "../support/demo.ts";
import { temporaryFolder } from "../support/store.ts";
import { until } from "../support/until.ts";

const DEPLOY = join(ROOT, "deploy");
const folder = temporaryFolder(afterAll);
const nginx = debianProgram(folder, "nginx", "usr/sbin/nginx");
const caddy = debianProgram(folder, "caddy", "usr/bin/caddy");
const kubectl = debianProgram(folder, "kubernetes-client", "usr/bin/kubectl");
const systemd = debianProgram(folder, "systemd", "usr/bin/systemd-analyze");

/** Runs a program; what it says, and its exit code. */
function tried(program: string | undefined, words: string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(program ?? "", words, {
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  return { status, said: `${stdout}${stderr}` };
}

describe.skipIf(systemd === undefined)("the units (skipped where systemd-analyze cannot be had)", () => {
  const names = ["gangway.service", "gangway-backup.service", "gangway-backup.timer"];
  const units = temporaryFolder(afterAll);
  for (const name of names) {
    const text = readFileSync(join(DEPLOY, "systemd", name), "utf8");
    writeFileSync(join(units, name), text.replaceAll("/usr/bin/node", process.execPath));
  }

  it("are taken by systemd without a word", () => {
    for (const name of names)
      expect(tried(systemd, ["verify", "--man=no", join(units, name)]), name).toEqual({ status: 0, said: "" });
  });

  it("expose little", () => {
    for (const name of names.slice(0, 2)) {
      const said = tried(systemd, ["security", "--offline=yes", "--no-pager", "--threshold=25", join(units, name)]);
      expect(said, said.said).toMatchObject({ status: 0 });
    }
  });

  it("make a backup by a command that backs up", async () => {
    const text = readFileSync(join(units, "gangway-backup.service"), "utf8");
    const [, command = ""] = /^ExecStart=\/bin\/sh -c '(.*)'$/m.exec(text) ?? [];
    const { dataFolder, env } = await runningPair();
    const backups = temporaryFolder();
    const line = command
      .replace("/opt/gangway/node_modules/gangway-server", ROOT)
      .replace("/var/backups/gangway", backups)
      .replaceAll("%%", "%");
    const run = spawnSync("/bin/sh", ["-c", line], {
      env: { ...env, DATA_FOLDER: dataFolder, SANDBOX: "1" },
      encoding: "utf8",
    });
    expect(run.status, run.stderr).toBe(env.DATABASE_URL ? 1 : 0);
    expect(execFileSync("ls", [backups], { encoding: "utf8" })).toMatch(/^gangway-\d{4}-\d\d-\d\d-\d{4}\.db$/m);
  });
});

/** A certificate for 127.0.0.1 that nobody trusts. */
function certificate(at: string) {
  const [key, cert] = [join(at, "key.pem"), join(at, "cert.pem")];
  const words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"];
  execFileSync("openssl", [...words, "-subj", "/CN=127.0.0.1", "-keyout", key, "-out", cert], { stdio: "ignore" });
  return { key, cert };
}

interface Asked {
  path: string;
  headers?: Record<string, string>;
  body?: Buffer;
}
const asking = (origin: string, { path, headers, body }: Asked) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const method = body ? "POST" : "GET";
    const asked = request(`${origin}${path}`, { method, headers, rejectUnauthorized: false }, resolve);
    asked.on("error", reject).end(body);
  });
const textOf = async (answer: IncomingMessage) => (await answer.toArray()).join("");

/** The built server, and a proxy of Debian's before it, by our file. */
async function behind(
  start: (
    parts: Record<"port" | "otherPort", number> & Record<"at" | "origin" | "serverPort", string>,
  ) => ReturnType<typeof spawn>,
) {
  const { server, sandbox } = await runningPair(undefined, undefined, undefined, { env: { TRUSTED_PROXIES: "1" } });
  const [at, port, otherPort] = [temporaryFolder(), await freePort(0), await freePort(0)];
  const origin = `https://127.0.0.1:${port}`;
  const proxy = start({ at, origin, port, otherPort, serverPort: new URL(server.origin).port });
  let said = "";
  proxy.stderr?.on("data", (bytes) => {
    said += bytes;
  });
  onTestFinished(() => void proxy.kill("SIGKILL"));
  await until("the proxy to answer", async () => {
    expect(proxy.exitCode, said).toBeNull();
    return asking(origin, { path: "/health/ready" }).then(
      (answer) => answer.resume().statusCode === 200,
      () => false,
    );
  });
  return { server, sandbox, at, origin };
}

async function passes({ server, sandbox, origin }: Awaited<ReturnType<typeof behind>>) {
  const secret = "a-secret-of-the-path-that-nobody-reads";
  const large = await asking(origin, { path: `/gateway/${secret}`, body: Buffer.alloc(20 * 1024 ** 2, "x") });
  const refusal = await textOf(large);
  expect([large.statusCode, refusal.includes("<html")], "the server's own refusal").toEqual([404, false]);
  const visit = await connectThroughForm(server.origin, sandbox.origin, "sandbox-key");
  const live = await asking(origin, { path: `${visit.home}/live`, headers: { cookie: visit.cookie } });
  onTestFinished(() => void live.destroy());
  const [first] = await new Promise<Buffer[]>((resolve) => live.once("data", (bytes) => resolve([bytes])));
  expect([live.statusCode, String(first)]).toEqual([200, expect.stringContaining("retry:")]);
  return secret;
}

describe.skipIf(nginx === undefined)("nginx (skipped where it cannot be had)", () => {
  it("takes our file, passes large bodies and event streams, and logs no secret path", async () => {
    const made = await behind(({ at, port, otherPort, serverPort }) => {
      const { key, cert } = certificate(at);
      const conf = readFileSync(join(DEPLOY, "nginx/gangway.conf"), "utf8")
        .replaceAll(/^\tlisten \[::\].*\n/gm, "")
        .replace("listen 80;", `listen 127.0.0.1:${otherPort};`)
        .replace("listen 443", `listen 127.0.0.1:${port}`)
        .replace("127.0.0.1:3000", `127.0.0.1:${serverPort}`)
        .replace(/ssl_certificate .*;/, `ssl_certificate ${cert};`)
        .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${key};`)
        .replaceAll("/var/log/nginx", at);
      const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
        (each) => `${each}_temp_path ${at}/${each};`,
      );
      // One process, of which nothing is left when it is ended.
      const main = `daemon off; master_process off; pid ${at}/pid; error_log stderr; events {}\nhttp {\n${temporary.join("\n")}\n${conf}\n}\n`;
      writeFileSync(join(at, "nginx.conf"), main);
      return spawn(nginx ?? "", ["-e", "stderr", "-p", at, "-c", join(at, "nginx.conf")], {
        stdio: ["ignore", "ignore", "pipe"],
      });
    });
    const secret = await passes(made);
    const log = await until("the log", async () => {
      const text = readFileSync(join(made.at, "gangway.log"), "utf8");
      return text.includes("/gateway/...") ? text : undefined;
    });
    expect(log).not.toContain(secret);
  });
});

describe.skipIf(caddy === undefined)("Caddy (skipped where it cannot be had)", () => {
  it("takes our files, passes large bodies and event streams, and logs no secret path", async () => {
    for (const file of ["Caddyfile", "one.Caddyfile"]) {
      const env = { PUBLIC_URL: "https://gangway.example.com", HOME: folder };
      const checked = tried(
        caddy,
        ["validate", "--adapter", "caddyfile", "--config", join(DEPLOY, "caddy", file)],
        env,
      );
      expect(checked, checked.said).toMatchObject({ status: 0 });
    }
    const made = await behind(({ at, port, serverPort }) => {
      const { key, cert } = certificate(at);
      const own = readFileSync(join(DEPLOY, "caddy/one.Caddyfile"), "utf8")
        .replace("{\n", "{\n\tadmin off\n\tauto_https disable_redirects\n")
        .replace("{$PUBLIC_URL} {", `https://127.0.0.1:${port} {\n\ttls ${cert} ${key}`)
        .replace("127.0.0.1:3000", `127.0.0.1:${serverPort}`)
        .replace("/var/log/caddy", at);
      writeFileSync(join(at, "Caddyfile"), own);
      const words = ["run", "--adapter", "caddyfile", "--config", join(at, "Caddyfile")];
      return spawn(caddy ?? "", words, { env: { HOME: at }, stdio: ["ignore", "ignore", "pipe"] });
    });
    const secret = await passes(made);
    const log = await until("the log", async () => {
      const text = readFileSync(join(made.at, "gangway.log"), "utf8");
      return text.includes("/gateway/...") ? text : undefined;
    });
    expect(log).not.toContain(secret);
  });
});

/** Debian's own is older than components and inline patches are. */
const renders = kubectl !== undefined && /v(1\.[2-9]\d|[2-9])/.test(tried(kubectl, ["version", "--client"]).said);

describe.skipIf(!renders)("Kustomize (skipped where kubectl cannot be had, or is older than 1.21)", () => {
  it("renders our base, and the kustomization that docs/production.md puts on it", () => {
    const at = temporaryFolder();
    cpSync(join(DEPLOY, "kubernetes"), join(at, "kubernetes"), { recursive: true });
    const page = readFileSync(join(ROOT, "docs/production.md"), "utf8");
    const [, shown = ""] = /```yaml\n(apiVersion: kustomize[\s\S]*?)```/.exec(page) ?? [];
    writeFileSync(join(at, "kustomization.yaml"), shown);
    const { status, said } = tried(kubectl, ["kustomize", at]);
    expect(status, said).toBe(0);
    const rendered = parseAllDocuments(said).map((document) => document.toJS());
    const kinds = ["ConfigMap", "Deployment", "Ingress", "NetworkPolicy", "PodDisruptionBudget"];
    expect(rendered.map(({ kind }) => kind).sort()).toEqual([...kinds, "Service", "Service", "ServiceMonitor"]);
    for (const { kind, metadata } of rendered) expect(metadata.namespace, kind).toBe("gangway");
    expect(said).toContain("image: ghcr.io/your-company/gangway:0.1.0");
    expect(said).toContain("PUBLIC_URL: https://chats.example.com");
    expect(said).not.toMatch(/gangway\.example\.com|your-module-code|registry\.example\.com/);
  });
});
