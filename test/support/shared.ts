import { connect, createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";

const doorOf = (name: string) => `${name.toUpperCase()}_DOOR`;

/**
 * Lets all test files share one server, started for the first that asks for its URL by `sharedUrl(name)`. Resolves with what
 * ends it. `folder`: the suite's.
 */
export async function share(
  folder: string,
  name: string,
  start: () => Promise<{ url: string; stop: () => Promise<void> }>,
): Promise<() => Promise<void>> {
  let started: ReturnType<typeof start> | undefined;
  const door = createServer((asking) => {
    started ??= start();
    started.then(
      ({ url }) => asking.end(JSON.stringify({ url })),
      (error) => asking.end(JSON.stringify({ why: String(error) })),
    );
  });
  const path = join(folder, name);
  await new Promise<void>((resolve) => door.listen(path, resolve));
  process.env[doorOf(name)] = path;
  return async () => {
    door.close();
    await started?.then(
      ({ stop }) => stop(),
      () => undefined,
    );
  };
}

/** The URL of what the suite shares under this name. */
export async function sharedUrl(name: string): Promise<string> {
  const { url, why } = JSON.parse(await text(connect(process.env[doorOf(name)] ?? "")));
  if (!url) throw new Error(why);
  return url;
}
