import { errorText } from "gangway-messenger/errors";
import { createProgram, type Program } from "./app.ts";
import { type Config, readConfig } from "./config.ts";
import { REFUSED_TODO } from "./domain/channel.ts";
import { ConfigError } from "./domain/errors.ts";
import { listen, type SocketLimits, socketLimits } from "./http/serving/listening.ts";
import { createLog, type Log } from "./log.ts";
import { type Installed, installedMessengers, withInstalled } from "./messengers.ts";
import { version } from "./runtime.ts";
import { secretsIn } from "./settings.ts";
import { StoreError } from "./store/store.ts";

/** Grace period for open event streams after the relay has stopped, ms. */
const STREAM_GRACE_MS = 1_000;
/** Time for pending requests to get their error before the exit, ms. */
const EXIT_GRACE_MS = 500;

async function run(): Promise<void> {
  const installed = await installedMessengers(process.env);
  const adapters = withInstalled(installed);
  const config = readConfig(process.env, adapters);
  // Temporary files of SQLite: a container's other folders are read-only or in memory. Read when SQLite opens a file.
  process.env.SQLITE_TMPDIR ??= config.dataFolder;
  outliveLog();
  const log = createLog({ level: config.logLevel, write: (line) => process.stdout.write(line) });
  for (const secret of secretsIn(process.env, adapters)) log.hide(secret);
  for (const { name, meant } of config.misspelt) log.warn("setting.unknown", { name, todo: `did you mean ${meant}?` });
  logRefused(installed, log);
  const program = createProgram(config, {
    ...{ log, adapters },
    version: version(),
    memory: () => process.memoryUsage(),
    threads: true,
    // Close nothing: the files at those paths may belong to another database by now.
    lost: () => void setTimeout(() => process.exit(1), EXIT_GRACE_MS),
  });
  // Must run before any connection is open: the process report resolves their addresses.
  const limits = socketsFor(config, log);
  await program.open();
  const server = listen(
    program.fetch,
    { hostname: config.host, port: config.port },
    { limits, proxies: config.trustedProxies, onPressure: logPressure(log) },
  );
  failUnlessListening(server, `cannot listen on ${config.host}:${config.port}`, log);
  server.on("listening", () => {
    log.info("server.listening", {
      host: config.host,
      port: config.port,
      publicUrl: config.publicUrl,
      sandbox: config.sandbox,
    });
    void program.start().catch((error: unknown) => fail(`cannot start: ${String(error)}`));
  });
  serveOperator(config, program, log);
  stopOn(["SIGTERM", "SIGINT"], { program, server, log, delayMs: config.limits.stopDelayMs });
}

/** Logs refused packages; the server runs without them. */
function logRefused(installed: Installed[], log: Log): void {
  for (const each of installed)
    if ("refused" in each)
      log.error("messenger.refused", {
        package: each.package,
        version: each.version,
        why: each.refused,
        todo: REFUSED_TODO,
      });
}

/** Keeps running without a log if its reader is gone, such as a dead log shipper: messages matter more. */
function outliveLog(): void {
  const lost = (error: Error) =>
    void process.stderr.write(
      `gangway: standard output is closed (${error.message}); the server goes on without a log\n`,
    );
  process.stdout.once("error", lost);
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
}

/** Limits sockets to the file descriptors that the process does not need otherwise. */
function socketsFor({ limits: { calls, streams } }: Config, log: Log): SocketLimits {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: number | string } } };
  const all = Number(userLimits?.open_files?.soft ?? Infinity);
  const limits = socketLimits(streams, { all: Number.isNaN(all) ? Infinity : all, calls });
  const wanted = socketLimits(streams).all;
  const todo = "raise the limit of open files (ulimit -n, LimitNOFILE), or lower STREAMS";
  if (limits.all < wanted) log.warn("server.few-descriptors", { openFiles: all, sockets: limits.all, wanted, todo });
  return limits;
}

/** Logs the 1st, 10th, 100th … refused socket. */
const logPressure = (log: Log) => (address: string, count: number) => {
  if (/^10*$/.test(String(count))) log.warn("pressure.refused", { bound: "sockets", address, count });
};

type Server = ReturnType<typeof listen>;

/** Before listening an error is fatal; afterwards it concerns one connection that could not be accepted. */
function failUnlessListening(server: Server, what: string, log: Log): void {
  const failed = (error: Error) => fail(`${what}: ${error.message}`);
  server.once("error", failed);
  server.once("listening", () => {
    server.off("error", failed);
    server.on("error", (error) => log.warn("server.not-accepted", { error: error.message }));
  });
}

/** Serves metrics and console on their own ports: they are for the operator. */
function serveOperator(config: Config, program: Program, log: Log): void {
  for (const name of ["metrics", "console"] as const) {
    const at = config[name];
    if (!at) continue;
    const [fetch, setting] = [program[name], name.toUpperCase()];
    const server = listen(fetch, { hostname: at.host, port: at.port });
    const settings = `${setting}_HOST and ${setting}_PORT`;
    failUnlessListening(server, `cannot listen on ${at.host}:${at.port} for ${settings}`, log);
  }
}

interface Closable {
  close(done: () => void): void;
  closeIdleConnections(): void;
  closeAllConnections(): void;
}

interface Stopped {
  program: Program;
  server: Closable;
  log: Log;
  delayMs: number;
}

function stopOn(signals: NodeJS.Signals[], { program, server, log, delayMs }: Stopped): void {
  let stopping = false;
  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info("server.stopping", { signal });
    // The doors stay open while the relay finishes, and until proxies have seen that the server is not ready: new events are
    // stored for the next start, or for the other servers.
    const todo = "nothing: whoever works for the accounts next looks at what was not recorded";
    const failed = (error: unknown) => log.error("server.not-drained", { error: errorText(error), todo });
    const drained = program.drain().catch(failed);
    await Promise.all([drained, new Promise((resolve) => setTimeout(resolve, delayMs))]);
    const closed = new Promise<void>((resolve) => server.close(resolve));
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), STREAM_GRACE_MS);
    await closed;
    await program.close().catch((error) => log.error("server.not-closed", { error: errorText(error) }));
    log.info("server.stopped");
    process.exit(0);
  };
  for (const signal of signals) process.on(signal, () => void stop(signal));
}

function fail(message: string): never {
  process.stderr.write(`gangway: ${message}\n`);
  process.exit(1);
}

run().catch((error: unknown) => {
  if (error instanceof ConfigError || error instanceof StoreError) fail(error.message);
  fail(error instanceof Error ? (error.stack ?? error.message) : String(error));
});
